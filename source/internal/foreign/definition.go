package foreign

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/engine/schema"
	rawjson "helve/internal/json"
)

// Definition is a tool's definition in a form that clients take: the libraries of several languages refuse a whole list
// for one definition whose members are not of the types that the protocol gives them. What is right stays byte for
// byte. The notes say what was left out or replaced.
func Definition(raw json.RawMessage) (json.RawMessage, []string, error) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	changed := false
	kept := make([]rawjson.Member, 0, len(members))
	for _, m := range members {
		v, note := taken(m)
		if note != "" {
			notes = append(notes, note)
		}
		changed = changed || string(v) != string(m.Value)
		if v != nil {
			kept = append(kept, rawjson.Member{Key: m.Key, Value: v})
		}
	}
	if !slices.ContainsFunc(kept, func(m rawjson.Member) bool { return m.Key == "inputSchema" }) {
		kept = append(kept, rawjson.Member{Key: "inputSchema", Value: json.RawMessage(`{"type":"object"}`)})
		changed = true
	}
	if changed {
		raw = rawjson.Join(kept)
	}
	return raw, notes, nil
}

// taken is a member as clients take it; nil leaves it out, which the note says unless it was null.
func taken(m rawjson.Member) (v json.RawMessage, note string) {
	switch m.Key {
	case "title", "description":
		return textMember(m)
	case "annotations":
		return typed(m, map[string]func(json.RawMessage) bool{
			"title":           isText,
			"readOnlyHint":    isBool,
			"destructiveHint": isBool,
			"idempotentHint":  isBool,
			"openWorldHint":   isBool,
		})
	case "execution":
		return typed(m, map[string]func(json.RawMessage) bool{"taskSupport": isTaskSupport})
	case "_meta":
		return typed(m, nil)
	case "icons":
		if icons(m.Value) {
			return m.Value, ""
		}
		return nil, leftOut(m, "no list of icons")
	case "inputSchema":
		v, _ = clientSchema(m.Value)
		return v, "" // Input says what is wrong with it
	case "outputSchema":
		return output(m)
	}
	return m.Value, ""
}

func leftOut(m rawjson.Member, why string) string {
	if string(m.Value) == "null" {
		return ""
	}
	return fmt.Sprintf("its %s is %s: left out", m.Key, why)
}

// textMember is a text of bounded length.
func textMember(m rawjson.Member) (json.RawMessage, string) {
	s, ok := rawjson.String(m.Value)
	if !ok {
		return nil, leftOut(m, "no text")
	}
	if len(s) <= maxDoc {
		return m.Value, ""
	}
	cut := strings.ToValidUTF8(s[:maxDoc], "") + " […]"
	return rawjson.Quote(cut), fmt.Sprintf("its %s has %d bytes, %d are shown", m.Key, len(s), maxDoc)
}

// typed is an object whose members of these names are of their types; others may be anything.
func typed(m rawjson.Member, types map[string]func(json.RawMessage) bool) (json.RawMessage, string) {
	members, err := rawjson.Object(m.Value)
	if err != nil {
		return nil, leftOut(m, "no object")
	}
	var bad []string
	kept := slices.DeleteFunc(slices.Clone(members), func(in rawjson.Member) bool {
		is := types[in.Key]
		wrong := is != nil && !is(in.Value)
		if wrong {
			bad = append(bad, in.Key)
		}
		return wrong
	})
	if bad == nil {
		return m.Value, ""
	}
	return rawjson.Join(kept), fmt.Sprintf("its %s has %s of a wrong type: left out", m.Key, strings.Join(bad, ", "))
}

func isText(v json.RawMessage) bool {
	_, ok := rawjson.String(v)
	return ok
}

func isBool(v json.RawMessage) bool { return string(v) == "true" || string(v) == "false" }

func isObject(v json.RawMessage) bool { return len(v) > 0 && v[0] == '{' }

func isTaskSupport(v json.RawMessage) bool {
	s, _ := rawjson.String(v)
	return s == "forbidden" || s == "optional" || s == "required"
}

func icons(v json.RawMessage) bool {
	list, err := rawjson.Array(v)
	return err == nil && !slices.ContainsFunc(list, func(v json.RawMessage) bool { return !isIcon(v) })
}

func isIcon(v json.RawMessage) bool {
	if !isObject(v) || !isText(rawjson.Get(v, "src")) {
		return false
	}
	mime, sizes := rawjson.Get(v, "mimeType"), rawjson.Get(v, "sizes")
	return (mime == nil || isText(mime)) && (sizes == nil || texts(sizes))
}

func texts(v json.RawMessage) bool {
	list, err := rawjson.Array(v)
	return err == nil && !slices.ContainsFunc(list, func(t json.RawMessage) bool { return !isText(t) })
}

// output is a schema of results, which clients compile: one that is none costs them the whole list.
func output(m rawjson.Member) (json.RawMessage, string) {
	kind, _ := rawjson.String(rawjson.Get(m.Value, "type"))
	if !isObject(m.Value) || kind != "object" {
		return nil, leftOut(m, "no schema of an object")
	}
	v, _ := clientSchema(m.Value)
	if _, err := schema.Parse(v); err != nil {
		return nil, leftOut(m, "refused ("+err.Error()+")")
	}
	var whole any
	if json.Unmarshal(v, &whole) != nil || !compiles(whole, whole) {
		return nil, leftOut(m, "one that clients cannot compile")
	}
	return v, ""
}

// clientSchema is a schema of an object as clients take it: of type object, its properties an object of objects, what
// is required a list of names. The note says what was made of it.
func clientSchema(raw json.RawMessage) (json.RawMessage, string) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`), "its schema is no object: any arguments are accepted"
	}
	out, note := objectSchema(raw, members)
	if out == nil {
		return json.RawMessage(`{"type":"object"}`), note
	}
	members, _ = rawjson.Object(out)
	kept := make([]rawjson.Member, 0, len(members))
	for _, m := range members {
		v := m.Value
		switch {
		case m.Key == "properties":
			v = properties(v)
		case m.Key == "required" && !texts(v):
			v = nil
		}
		if v == nil {
			note = "its schema's " + m.Key + " are none: left out"
			continue
		}
		kept = append(kept, rawjson.Member{Key: m.Key, Value: v})
	}
	joined := rawjson.Join(kept)
	if string(joined) == string(rawjson.Join(members)) {
		return out, note
	}
	return joined, note
}

// properties are objects: true and false are schemas too, which some clients do not know. nil: they are none.
func properties(v json.RawMessage) json.RawMessage {
	members, err := rawjson.Object(v)
	if err != nil {
		return nil
	}
	changed := false
	for i, m := range members {
		switch {
		case isObject(m.Value):
			continue
		case string(m.Value) == "false":
			members[i].Value = json.RawMessage(`{"not":{}}`)
		default:
			members[i].Value = json.RawMessage("{}")
		}
		changed = true
	}
	if !changed {
		return v
	}
	return rawjson.Join(members)
}

// compiles tells that clients can compile a part of a schema: its references lead to something in it, and its patterns
// mean the same to all.
func compiles(whole, part any) bool {
	switch part := part.(type) {
	case []any:
		return !slices.ContainsFunc(part, func(p any) bool { return !compiles(whole, p) })
	case map[string]any:
		for key, v := range part {
			if !keywordCompiles(whole, key, v) || !compiles(whole, v) {
				return false
			}
		}
	}
	return true
}

// keywordCompiles tells it of one keyword alone, whatever stands below its value.
func keywordCompiles(whole any, key string, v any) bool {
	switch v := v.(type) {
	case string:
		return (key != "$ref" || leads(whole, v)) && (key != "pattern" || everywhere(v))
	case map[string]any:
		if key != "patternProperties" {
			return true
		}
		for pattern := range v {
			if !everywhere(pattern) {
				return false
			}
		}
	}
	return true
}

// leads tells that a reference leads to something in the schema.
func leads(whole any, ref string) bool {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return false
	}
	at := whole
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			return true
		}
		in, _ := at.(map[string]any)
		if at, ok = in[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]; !ok {
			return false
		}
	}
	return true
}

// ours are forms of patterns that other dialects refuse.
var ours = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\(\?[^:]|\\[QEAzC]|\[\[:`)
})

// everywhere tells that a pattern is one in every dialect.
func everywhere(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil && !ours().MatchString(pattern)
}
