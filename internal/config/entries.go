package config

import (
	stdjson "encoding/json"
	"sort"
	"strings"

	"helve/internal/json"
)

// An Entry is one effective value with the place that set it.
type Entry struct {
	Key   string             `json:"key"`
	Value stdjson.RawMessage `json:"value"`
	Layer string             `json:"layer"`
	File  string             `json:"file,omitempty"`
	Line  int                `json:"line,omitempty"`
}

// Entries lists the effective values, sorted by key. Maps and objects are listed by their keys,
// rules and hooks one by one.
func (c *Config) Entries() []Entry {
	var out []Entry
	for i := range c.merged.Kids {
		f := &c.merged.Kids[i]
		if len(f.Kids) == 0 && f.Kind != json.KindObject {
			out = append(out, c.entry(f.Name, f))
			continue
		}
		for k := range f.Kids {
			key := f.Name
			if f.Kind == json.KindObject {
				key += "." + f.Kids[k].Name
			}
			out = append(out, c.entry(key, &f.Kids[k]))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return out
}

func (c *Config) entry(key string, n *json.Node) Entry {
	at := c.places.of(n)
	return Entry{
		Key:   key,
		Value: n.AppendCompact(nil),
		Layer: at.Layer,
		File:  at.File,
		Line:  at.Line,
	}
}

// Get is the effective value of a key, or of a key in it: tools, tools.write. The name is split at
// the first dot.
func (c *Config) Get(key string) (stdjson.RawMessage, bool) {
	n := c.merged.Path(SplitKey(key)...)
	if n == nil {
		return nil, false
	}
	return n.AppendCompact(nil), true
}

// At is the place that set the effective value; the zero Place if nothing did.
func (c *Config) At(keys ...string) Place {
	return c.places.of(c.merged.Path(keys...))
}

// AtItem is the place of one item of a list, such as the second of hooks; the zero Place if there
// is none.
func (c *Config) AtItem(key string, i int) Place {
	n := c.merged.Get(key)
	if n == nil || i >= len(n.Kids) {
		return Place{}
	}
	return c.places.of(&n.Kids[i])
}

// SplitKey splits at the first dot: names of tools and servers may have dots.
func SplitKey(key string) []string {
	top, rest, ok := strings.Cut(key, ".")
	if !ok {
		return []string{key}
	}
	return []string{top, rest}
}
