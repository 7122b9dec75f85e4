package config

import (
	"slices"
	"strconv"

	"helve/internal/json"
)

// A Place is where a value is set. Line counts from 1, 0 where there is none.
type Place struct {
	Layer string `json:"layer,omitempty"` // flags, program, project, user, managed, default
	File  string `json:"file,omitempty"`  // "" for flags and defaults
	Line  int    `json:"line,omitempty"`
}

// String is file:line, or the layer's name.
func (p Place) String() string {
	switch {
	case p.File == "":
		return p.Layer
	case p.Line == 0:
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Places are where the values of all layers stand. Nodes of several files are merged into one tree,
// so that the At of a node is an index here and no longer an offset in a text. A node that nobody
// placed is at the zero Place.
type places struct {
	list    []Place
	further []string // keys at the top beside those of Values
}

// mark is the index of a place, for the At of a node.
func (p *places) mark(at Place) int32 {
	if len(p.list) == 0 {
		p.list = append(p.list, Place{})
	}
	last := len(p.list) - 1
	if p.list[last] != at {
		p.list = append(p.list, at)
		last++
	}
	return int32(last)
}

// of is where a node stands. n may be nil.
func (p *places) of(n *json.Node) Place {
	if n == nil || len(p.list) == 0 {
		return Place{}
	}
	return p.list[n.At]
}

// object is an empty object at the place of n.
func object(n *json.Node) json.Node {
	return json.Node{Kind: json.KindObject, At: n.At}
}

// list is an empty list at the place of n.
func list(n *json.Node) json.Node {
	return json.Node{Kind: json.KindArray, At: n.At}
}

// text is a string at the place of n.
func text(s string, n *json.Node) json.Node {
	return json.Node{Kind: json.KindString, Text: s, At: n.At}
}

// isFalse tells of false. n may be nil.
func isFalse(n *json.Node) bool {
	return n != nil && n.Kind == json.KindFalse
}

// whole is a number that has neither fraction nor exponent.
func whole(n *json.Node) (int, bool) {
	if n == nil || n.Kind != json.KindNumber {
		return 0, false
	}
	i, err := strconv.Atoi(n.Text)
	return i, err == nil
}

// what a value is, for messages.
func what(n *json.Node) string {
	switch n.Kind {
	case json.KindObject:
		return "an object"
	case json.KindArray:
		return "a list"
	case json.KindString:
		return "the string " + shorten(n.String())
	case json.KindNumber:
		return "the number " + shorten(n.Text)
	}
	return n.Text
}

// merge lays over upon base; over wins. Both stay as they are.
func merge(base, over *json.Node) json.Node {
	out := base.Clone()
	for i := range over.Kids {
		f := &over.Kids[i]
		out.Set(f.Name, mergeKey(f.Name, out.Get(f.Name), f))
	}
	return out
}

// mergeKey knows which values add up and which replace.
func mergeKey(name string, base, over *json.Node) json.Node {
	switch {
	case base == nil || base.Kind != over.Kind:
		return over.Clone()
	case name == "rules", name == "hooks", name == "secrets":
		return concat(base, over)
	case name == "disabled_tools", name == "masked":
		return union(base, over)
	case name == "discovery", over.Kind != json.KindObject:
		return over.Clone()
	}
	out := base.Clone()
	for i := range over.Kids {
		f := &over.Kids[i]
		if name == "mcp_servers" || name == "tool_options" { // one server, one tool: whole
			out.Set(f.Name, f.Clone())
			continue
		}
		out.Set(f.Name, mergeKey(f.Name, out.Get(f.Name), f))
	}
	return out
}

// concat puts the higher layer's items last, where the last match counts.
func concat(base, over *json.Node) json.Node {
	out := *over
	out.Kids = slices.Concat(base.Kids, over.Kids)
	return out
}

func union(base, over *json.Node) json.Node {
	out := *over
	out.Kids = slices.Clone(base.Kids)
	for _, it := range over.Kids {
		same := func(o json.Node) bool { return o.Kind == it.Kind && o.Text == it.Text }
		if !slices.ContainsFunc(out.Kids, same) {
			out.Kids = append(out.Kids, it)
		}
	}
	return out
}
