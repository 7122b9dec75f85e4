package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/server/internal/toolsearch"
	"helve/tool"
)

// A metaTool is in a deferred list for all the tools that are not in it.
type metaTool struct {
	name, about, input string
}

// searchName is the tool that finds others, and searchForScripts its words where what it finds is for scripts.
const (
	searchName       = "search_tools"
	searchForScripts = "Find further tools by what they do. Say what you want done, in any language; " +
		"they come as functions: call them in run_script."
)

const (
	searchDefault = 5
	searchMax     = 25
	// searchShown is how much of a description a hit shows, in bytes: enough to
	// choose by.
	searchShown = 160
)

// metaTools are the three of a deferred list. Their words are short: they are paid
// for in every turn.
func metaTools() []metaTool {
	return []metaTool{
		{
			name: searchName,
			about: "Find further tools by what they do. Say what you want done, in any language; " +
				"then use describe_tool and call_tool.",
			input: `{"type":"object","properties":{"query":{"type":"string"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":25,"default":5},` +
				`"source":{"type":"string","description":"only tools of this server"}},"required":["query"]}`,
		},
		{
			name:  "describe_tool",
			about: "Show a tool's parameters.",
			input: `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`,
		},
		{
			name:  "call_tool",
			about: "Call a tool that search_tools found.",
			input: `{"type":"object","properties":{"name":{"type":"string"},` +
				`"arguments":{"type":"object"}},"required":["name"]}`,
		},
	}
}

func (m metaTool) definition() json.RawMessage {
	d := definition{Name: m.name, Description: m.about, Input: json.RawMessage(m.input)}
	if m.name != "call_tool" {
		d.Annotations = &annotations{ReadOnly: true, OpenWorld: new(bool)}
	}
	return encodePlain(d)
}

// meta serves search_tools and describe_tool. call_tool becomes the call that
// it holds: it passes the kit's door under the real name, so that switches,
// approval and statistics see the real tool.
func (l *listing) meta(c *toolCall, absent missing) (res *tool.Result, done bool) {
	switch c.name {
	case searchName:
		return mended(c, func(args json.RawMessage) *tool.Result { return l.search(args, absent) }), true
	case "describe_tool":
		return mended(c, l.describe), true
	case "call_tool":
		name, ok := rawjson.String(rawjson.Get(c.args, "name"))
		if !ok || name == "" {
			return invalid(
				`call_tool: "name" is missing: want the name of a tool that search_tools found`,
			), true
		}
		if isMeta(name) {
			return invalid("call_tool: %s is called by itself", name), true
		}
		args, bad := inner(c.args)
		if bad != nil {
			return bad, true
		}
		c.name, c.args = name, args
	}
	return nil, false
}

// mended answers a call of a tool that only reads as a kit does: what it makes of the
// arguments is told.
func mended(c *toolCall, answer func(args json.RawMessage) *tool.Result) *tool.Result {
	m, err := mendMeta(c.name, tool.Read, c.args)
	if err != nil {
		return invalid("%s: %w", c.name, err)
	}
	res := answer(m.Args)
	res.Tell(c.name, m)
	return res
}

// mendMeta mends arguments as those of a tool of that kind. The tool takes no names but
// its own, which need not be said to the model.
func mendMeta(name string, kind tool.Kind, args json.RawMessage) (schema.Mended, error) {
	i := slices.IndexFunc(metaTools(), func(m metaTool) bool { return m.name == name })
	open := json.RawMessage(metaTools()[i].input)
	input, err := schema.Parse(rawjson.Set(open, "additionalProperties", json.RawMessage("false")))
	if err != nil {
		return schema.Mended{}, err
	}
	s := tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.Builtin, Name: name}, Kind: kind, Input: input}
	return s.Mend(args)
}

func isMeta(name string) bool {
	return slices.ContainsFunc(metaTools(), func(m metaTool) bool { return m.name == name })
}

// inner are the arguments of the call in call_tool. Models write them as a
// string, too, or next to the name, but not both.
func inner(args json.RawMessage) (json.RawMessage, *tool.Result) {
	var held json.RawMessage
	var name, rest []rawjson.Member
	members, err := rawjson.Object(args)
	if err != nil {
		return nil, invalid("call_tool: the arguments are not valid JSON: %v", err)
	}
	for _, m := range members {
		switch {
		case m.Key == "name":
			name = append(name, m)
		case string(m.Value) == jsonNull:
		case held == nil && (m.Key == "arguments" || m.Key == "args"):
			held = m.Value
		default:
			rest = append(rest, m)
		}
	}
	if held == nil {
		return rawjson.Join(rest), nil
	}
	if _, err := mendMeta("call_tool", tool.Exec, rawjson.Join(append(name, rest...))); err != nil {
		return nil, invalid("call_tool: %w: what is meant for the tool stands in arguments", err)
	}
	if s, ok := rawjson.String(held); ok {
		return json.RawMessage(s), nil // the kit's door says what is wrong with it, if anything is
	}
	return held, nil
}

func invalid(format string, args ...any) *tool.Result {
	return tool.Fail(tool.Errorf(tool.Validation, format, args...))
}

// A finder searches a view's tools; its documents are in the view's order.
type finder struct {
	index *toolsearch.Index
	specs []*tool.Spec
	stubs map[string]string // by public name; nil: there are no scripts
}

// finder makes the index with the first search, not with each list: most
// conversations never search.
func (l *listing) finder() *finder {
	l.once.Do(func() {
		specs := slices.Concat(l.view.Specs(), l.view.Unlisted())
		docs := make([]toolsearch.Doc, len(specs))
		for i, s := range specs {
			docs[i] = searchDoc(s)
		}
		l.find = &finder{index: toolsearch.New(docs), specs: specs}
		if l.functions == nil {
			return
		}
		l.find.stubs = map[string]string{}
		for _, f := range l.functions(l.view) {
			l.find.stubs[f.Tool.Public] = f.String()
		}
	})
	return l.find
}

// searchDoc is what of a tool is searched.
func searchDoc(s *tool.Spec) toolsearch.Doc {
	d := toolsearch.Doc{
		Name:   s.Origin.Name,
		Title:  s.Title,
		Source: s.Origin.Server,
		Short:  s.Doc.Short,
		Long:   strings.Join(append([]string{s.Doc.Long}, s.Doc.Usage...), "\n"),
		Tags:   append([]string{s.Category}, s.Tags...),
	}
	if s.Input == nil {
		return d
	}
	for _, p := range s.Input.Properties() {
		d.Params = append(d.Params, p.Name+" "+p.Description+choices(p.Enum))
	}
	return d
}

// choicesSearched is how many of a parameter's values are searched: a list of
// all the world's currencies says nothing of the tool.
const choicesSearched = 16

// choices are the texts among a parameter's values: "open closed all" tells
// what a list can be asked for.
func choices(values []json.RawMessage) string {
	var b strings.Builder
	for _, v := range values[:min(len(values), choicesSearched)] {
		if s, ok := rawjson.String(v); ok {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	return b.String()
}

type searchIn struct {
	Query  string `json:"query"`
	Limit  int    `json:"limit"`
	Source string `json:"source"`
}

type found struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Score       float64 `json:"score"`
	Stub        string  `json:"stub,omitempty"` // as a script calls it
}

// search is search_tools. What it finds goes out as text, which all clients show,
// and as data, which some programs read.
func (l *listing) search(args json.RawMessage, absent missing) *tool.Result {
	in := searchIn{}
	err := json.Unmarshal(args, &in)
	if err != nil || strings.TrimSpace(in.Query) == "" {
		return invalid(`search_tools: "query" is missing: say what you want done`)
	}
	limit := min(max(cmp.Or(in.Limit, searchDefault), 1), searchMax)
	f := l.finder()
	hits := f.index.Search(in.Query, limit, func(i int) bool {
		return in.Source == "" || f.specs[i].Origin.Source() == in.Source
	})
	out := make([]found, len(hits))
	var text strings.Builder
	for i, h := range hits {
		s := f.specs[h.Doc]
		name := l.view.Name(s)
		out[i] = found{name, shorten(s.Doc.Short, searchShown), h.Score, f.stubs[name]}
		fmt.Fprintf(&text, "%s: %s\n", cmp.Or(out[i].Stub, name), out[i].Description)
	}
	if len(hits) == 0 {
		text.WriteString("No tool found. Try other words, or fewer.\n")
	}
	text.WriteString(absent.words("search again in a moment for its tools"))
	res := tool.NewResult(tool.Text(strings.TrimSuffix(text.String(), "\n"))).WithSummary("%d tools found", len(hits))
	res.Data = encodePlain(map[string]any{"tools": out})
	return res
}

// describe is describe_tool: the definition as tools/list would show it, with the schema of its data, which the
// list leaves out where it is a built-in tool's.
func (l *listing) describe(args json.RawMessage) *tool.Result {
	name, ok := rawjson.String(rawjson.Get(args, "name"))
	if !ok {
		return invalid(`describe_tool: "name" is missing`)
	}
	t, bad := l.view.Lookup(name)
	if bad != nil {
		return tool.Fail(bad)
	}
	s := t.Spec()
	definition := Definition(s, l.view.Name(s))
	if s.Output != nil && s.Wire == nil {
		definition = rawjson.Set(definition, "outputSchema", s.Output.JSON())
	}
	return tool.NewResult(tool.Text(string(definition))).WithSummary("described %s", l.view.Name(s))
}

// shorten cuts a text to n bytes, between runes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
