package workspace

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

//go:embed small.json
var smallWords []byte

// wording is what profile small says of a tool. What it does not name stays as the tool says it; "" leaves a text out.
type wording struct {
	Description string            `json:"description"`
	Parameters  map[string]string `json:"parameters"` // those of the objects in a list as todos.status
}

// wordings are those of small.json, by tool, read once.
var wordings = sync.OnceValue(func() map[string]wording {
	var out map[string]wording
	if err := json.Unmarshal(smallWords, &out); err != nil { // the first test that lists them finds it
		panic("small.json: " + err.Error())
	}
	return out
})

const (
	editsParam = "edits"                                     // by which edit is multi_edit
	readsLs    = "\nA path that ends in / shows the folder." // what read says where ls is in it

	powershell = "powershell"
)

// own is the origin of one of our own tools.
func own(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }

// inSmall is what profile small lists of the tools that are offered: a tool stands for another only where both are.
func inSmall(all []*tool.Spec, todos bool) []*tool.Spec {
	there := map[tool.Origin]*tool.Spec{}
	for _, s := range all {
		there[s.Origin] = s
	}
	var out []*tool.Spec
	for _, s := range all {
		switch s.Origin {
		case own("multi_edit"):
			if there[own("edit")] != nil {
				continue
			}
		case own("ls"):
			if there[own("read")] != nil {
				continue
			}
		case own("todo_read"), own("todo_write"):
			if todos {
				continue
			}
		}
		out = append(out, briefly(s, there))
	}
	return out
}

// briefly is a tool's definition in the words of profile small.
func briefly(s *tool.Spec, there map[tool.Origin]*tool.Spec) *tool.Spec {
	name := s.Origin.Name
	if slices.Contains(s.Tags, powershell) { // the tool bash, where there is none
		name = powershell
	}
	words, ok := wordings()[name]
	if s.Origin.Kind != tool.Builtin || !ok {
		return s
	}
	out := *s
	if words.Description != "" {
		out.Doc = tool.Doc{Short: words.Description, Examples: s.Doc.Examples}
	}
	input := s.Input.JSON()
	switch multi := there[own("multi_edit")]; {
	case s.Origin == own("edit") && multi != nil:
		input = withEdits(input, multi.Input.JSON())
	case s.Origin == own("read") && there[own("ls")] != nil:
		out.Doc.Short += readsLs
	}
	in, err := schema.Parse(reworded(input, "", words.Parameters))
	if err != nil {
		return s // a schema of ours with other descriptions is one
	}
	out.Input = in
	return &out
}

// withEdits is the schema of edit with the list that multi_edit takes, and either of the two wanted.
func withEdits(edit, multi json.RawMessage) json.RawMessage {
	properties := rawjson.Get(edit, "properties")
	list := rawjson.Get(rawjson.Get(multi, "properties"), editsParam)
	edit = rawjson.Set(edit, "properties", rawjson.Set(properties, editsParam, list))
	return rawjson.Set(edit, "required", json.RawMessage(`["file_path"]`))
}

// reworded is a schema of an object with other descriptions, by the paths of its parameters.
func reworded(in json.RawMessage, at string, words map[string]string) json.RawMessage {
	properties := rawjson.Get(in, "properties")
	members, err := rawjson.Object(properties)
	if err != nil || properties == nil {
		return in
	}
	for i, m := range members {
		v := m.Value
		if text, ok := words[at+m.Key]; ok {
			v = described(v, text)
		}
		if items := rawjson.Get(v, "items"); items != nil {
			v = rawjson.Set(v, "items", reworded(items, at+m.Key+".", words))
		}
		members[i].Value = v
	}
	return rawjson.Set(in, "properties", rawjson.Join(members))
}

// described is a parameter's schema with this description; "": with none.
func described(param json.RawMessage, text string) json.RawMessage {
	if text != "" {
		return rawjson.Set(param, "description", rawjson.Quote(text))
	}
	return without(param, "description")
}

// without is an object without one of its members.
func without(object json.RawMessage, key string) json.RawMessage {
	members, err := rawjson.Object(object)
	if err != nil {
		return object
	}
	return rawjson.Join(slices.DeleteFunc(members, func(m rawjson.Member) bool { return m.Key == key }))
}

// meant tells which tool a call of another means: an edit with a list of edits is a multi_edit, a read of a path that
// ends in a slash an ls. Policies and approvals then
// know it as what it is.
func meant(s *tool.Spec, args json.RawMessage) (tool.Origin, json.RawMessage, bool) {
	// A look at the bytes spares nearly all calls the reading of their arguments.
	switch {
	case s.Origin == own("edit") && bytes.Contains(args, []byte(editsParam)):
		return meantEdits(s, args)
	case s.Origin == own("read") && bytes.Contains(args, []byte(`/"`)):
		return meantFolder(s, args)
	}
	return tool.Origin{}, nil, false
}

// arguments are those of a call under the names of the schema; nil where they cannot be read, which whoever checks them
// says.
func arguments(s *tool.Spec, args json.RawMessage) []rawjson.Member {
	n, _, err := rawjson.Mend(args)
	if err != nil {
		return nil
	}
	members, err := rawjson.Object([]byte(n.String()))
	if err != nil {
		return nil
	}
	for i, m := range members {
		if name, ok := s.Params[m.Key]; ok {
			members[i].Key = name
		}
	}
	return members
}

// named is the place of an argument, -1 if there is none.
func named(members []rawjson.Member, key string) int {
	return slices.IndexFunc(members, func(m rawjson.Member) bool { return m.Key == key })
}

// silent tells that an argument says nothing: so a model that must name every parameter fills those that it does not
// mean.
func silent(m rawjson.Member) bool {
	switch string(m.Value) {
	case "null", "[]", `""`, "false":
		return true
	}
	return false
}

// meantEdits leaves out what says nothing: of a single edit the list, of several the texts of one. Where both say
// something, multi_edit tells that the texts are too much.
func meantEdits(s *tool.Spec, args json.RawMessage) (tool.Origin, json.RawMessage, bool) {
	all := arguments(s, args)
	i := named(all, editsParam)
	switch {
	case i < 0:
		return tool.Origin{}, nil, false
	case silent(all[i]):
		return s.Origin, rawjson.Join(slices.Delete(all, i, i+1)), true
	}
	return own("multi_edit"), rawjson.Join(slices.DeleteFunc(all, silent)), true
}

// meantFolder goes by the path alone: nothing is looked at before the policy was asked.
func meantFolder(s *tool.Spec, args json.RawMessage) (tool.Origin, json.RawMessage, bool) {
	all := slices.DeleteFunc(arguments(s, args), silent)
	i := named(all, "file_path")
	if i < 0 {
		return tool.Origin{}, nil, false
	}
	path, ok := rawjson.String(all[i].Value)
	if !ok || !strings.HasSuffix(path, "/") {
		return tool.Origin{}, nil, false
	}
	all[i].Key = "path"
	return own("ls"), rawjson.Join(all), true
}
