package config

import (
	"path/filepath"

	"helve/internal/json"
)

// A Layer is one file, or the flags, or the defaults.
type Layer struct {
	Name     string // flags, program, project, user, managed, default
	File     string // "" for flags and defaults
	Tightens bool   // it may only take rights away: managed, or the project of a workspace that is not trusted

	root   json.Node
	places *places
}

// Has tells that a file or a program's own text says something of a key in this layer. The servers of MCPFile are said
// to other programs.
func (l Layer) Has(key string) bool {
	if l.Name == "default" || filepath.Base(l.File) == MCPFile {
		return false
	}
	return l.root.Get(key) != nil
}

// A Switch is an entry of tools.
type Switch struct {
	Name string
	To   Setting
	At   Place
}

// A Name is an entry of disabled_tools or allowed_tools.
type Name struct {
	Name string
	At   Place
}

// A PlacedRule is an entry of rules: one word of allow, ask and deny, and its text.
type PlacedRule struct {
	Word string
	Text string
	At   Place
}

// Client is what the layer says to one profile, as a layer of its own; false if it says nothing.
func (l Layer) Client(name string) (Layer, bool) {
	n := l.root.Path("clients", name)
	if n == nil {
		return Layer{}, false
	}
	l.root = *n
	return l, true
}

// Values is what counts of the layer.
func (l Layer) Values() Values {
	v, _ := l.places.decode(&l.root)
	return v
}

// Switches are the entries of tools, in the order of the file.
func (l Layer) Switches() []Switch {
	n := l.root.Get("tools")
	if n == nil {
		return nil
	}
	out := make([]Switch, 0, len(n.Kids))
	for i := range n.Kids {
		f := &n.Kids[i]
		if to, ok := settingOf(f); ok {
			out = append(out, Switch{f.Name, to, l.places.of(f)})
		}
	}
	return out
}

// Disabled are the names of disabled_tools.
func (l Layer) Disabled() []Name {
	return l.names("disabled_tools")
}

// Allowed are the names of allowed_tools.
func (l Layer) Allowed() []Name {
	return l.names("allowed_tools")
}

func (l Layer) names(key string) []Name {
	n := l.root.Get(key)
	if n == nil {
		return nil
	}
	var out []Name
	for i := range n.Kids {
		it := &n.Kids[i]
		if it.IsString() {
			out = append(out, Name{it.Text, l.places.of(it)})
		}
	}
	return out
}

// Rules are the rules in their order.
func (l Layer) Rules() []PlacedRule {
	n := l.root.Get("rules")
	if n == nil {
		return nil
	}
	var out []PlacedRule
	for _, it := range n.Kids {
		for i := range it.Kids {
			f := &it.Kids[i]
			if f.IsString() {
				out = append(out, PlacedRule{f.Name, f.Text, l.places.of(f)})
			}
		}
	}
	return out
}

// At is the place of a value, the zero Place if the layer does not set it.
func (l Layer) At(keys ...string) Place {
	return l.places.of(l.root.Path(keys...))
}
