package config

import (
	"encoding/json"
	"slices"
	"strings"
)

// merge lays over upon base; over wins. Both stay as they are.
func merge(base, over *node) *node {
	out := base.clone()
	for _, f := range over.fields {
		out.set(f.name, mergeKey(f.name, out.get(f.name), f.val))
	}
	return out
}

// mergeKey knows which values add up and which replace.
func mergeKey(name string, base, over *node) *node {
	switch {
	case base == nil || base.kind != over.kind:
		return over.clone()
	case name == "rules", name == "hooks":
		return concat(base, over)
	case name == "disabled_tools", name == "masked":
		return union(base, over)
	case name == "discovery", over.kind != object:
		return over.clone()
	}
	out := base.clone()
	for _, f := range over.fields {
		if name == "mcp_servers" || name == "tool_options" { // one server, one tool: whole
			out.set(f.name, f.val.clone())
			continue
		}
		out.set(f.name, mergeKey(f.name, out.get(f.name), f.val))
	}
	return out
}

// concat puts the higher layer's items last, where the last match counts.
func concat(base, over *node) *node {
	out := *over
	out.items = append(slices.Clone(base.items), over.items...)
	return &out
}

func union(base, over *node) *node {
	out := *over
	out.items = slices.Clone(base.items)
	for _, it := range over.items {
		if !slices.ContainsFunc(out.items, func(o *node) bool { return o.text == it.text }) {
			out.items = append(out.items, it)
		}
	}
	return &out
}

// An Entry is one effective value with the place that set it.
type Entry struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Layer string          `json:"layer"`
	File  string          `json:"file,omitempty"`
	Line  int             `json:"line,omitempty"`
}

// Entries lists the effective values, sorted by key. Maps and objects are listed by their keys, rules and hooks one by one.
func (c *Config) Entries() []Entry {
	var out []Entry
	add := func(key string, n *node) {
		e := Entry{Key: key, Value: n.json(), Layer: n.at.Layer, File: n.at.File}
		if e.File != "" { // a line of a flag or of the defaults means nothing to anybody
			e.Line = n.at.Line
		}
		out = append(out, e)
	}
	for _, f := range c.merged.fields {
		switch {
		case f.val.kind == object:
			for _, sub := range f.val.fields {
				add(f.name+"."+sub.name, sub.val)
			}
		case f.val.kind == array && len(f.val.items) > 0:
			for _, it := range f.val.items {
				add(f.name, it)
			}
		default:
			add(f.name, f.val)
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Get is the effective value of a key, or of a key in it: tools, tools.write. The name is split at the first dot.
func (c *Config) Get(key string) (json.RawMessage, bool) {
	n := c.merged.path(splitKey(key)...)
	if n == nil {
		return nil, false
	}
	return n.json(), true
}

// At is the place that set the effective value; the zero Place if nothing did.
func (c *Config) At(keys ...string) Place {
	if n := c.merged.path(keys...); n != nil {
		return n.at
	}
	return Place{}
}

// AtItem is the place of one item of a list, such as the second of hooks; the zero Place if there is none.
func (c *Config) AtItem(key string, i int) Place {
	n := c.merged.path(key)
	if n == nil || i >= len(n.items) {
		return Place{}
	}
	return n.items[i].at
}

// splitKey splits at the first dot: names of tools and servers may have dots.
func splitKey(key string) []string {
	top, rest, ok := strings.Cut(key, ".")
	if !ok {
		return []string{key}
	}
	return []string{top, rest}
}
