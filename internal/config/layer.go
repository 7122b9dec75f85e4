package config

// A Layer is one file, or the flags, or the defaults.
type Layer struct {
	Name     string // flags, project, user, managed, default
	File     string // "" for flags and defaults
	Tightens bool   // it may only take rights away: managed, or the project of a workspace that is not trusted

	root *node
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
	n := l.root.path("clients", name)
	if n == nil {
		return Layer{}, false
	}
	return Layer{Name: l.Name, File: l.File, Tightens: l.Tightens, root: n}, true
}

// Values is what counts of the layer.
func (l Layer) Values() Values {
	v, _ := decodeValues(l.root)
	return v
}

// Switches are the entries of tools, in the order of the file.
func (l Layer) Switches() []Switch {
	n := l.root.get("tools")
	if n == nil {
		return nil
	}
	out := make([]Switch, 0, len(n.fields))
	for _, f := range n.fields {
		if to, ok := parseSetting(f.val.text); ok {
			out = append(out, Switch{f.name, to, f.val.at})
		}
	}
	return out
}

// Disabled are the names of disabled_tools.
func (l Layer) Disabled() []Name { return l.names("disabled_tools") }

// Allowed are the names of allowed_tools.
func (l Layer) Allowed() []Name { return l.names("allowed_tools") }

func (l Layer) names(key string) []Name {
	n := l.root.get(key)
	if n == nil {
		return nil
	}
	var out []Name
	for _, it := range n.items {
		if s, ok := it.str(); ok {
			out = append(out, Name{s, it.at})
		}
	}
	return out
}

// Rules are the rules in their order.
func (l Layer) Rules() []PlacedRule {
	n := l.root.get("rules")
	if n == nil {
		return nil
	}
	var out []PlacedRule
	for _, it := range n.items {
		for _, f := range it.fields {
			if s, ok := f.val.str(); ok {
				out = append(out, PlacedRule{f.name, s, f.val.at})
			}
		}
	}
	return out
}

// At is the place of a value, the zero Place if the layer does not set it.
func (l Layer) At(keys ...string) Place {
	if n := l.root.path(keys...); n != nil {
		return n.at
	}
	return Place{}
}
