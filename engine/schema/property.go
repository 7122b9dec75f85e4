package schema

import (
	"encoding/json"
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// A Property is one parameter, for usage texts and forms.
type Property struct {
	Name        string
	Type        string   // for people: string, integer, string[], string or null, any
	Types       []string // as JSON Schema names them; empty: any
	Description string
	Required    bool
	Default     json.RawMessage   // nil: none
	Enum        []json.RawMessage // nil: any value
}

// Properties lists the top-level parameters in the schema's order.
func (s *Schema) Properties() []Property {
	if s == nil {
		return nil
	}
	s.once.properties.Do(func() { s.properties = readProperties(s.tree()) })
	return slices.Clone(s.properties)
}

const (
	// maxBelowDepth is how deep Below looks: what lies deeper is read in the schema itself.
	maxBelowDepth = 4
	// maxBelow is how many properties Below lists for one parameter: more than a person reads.
	maxBelow = 100
	// maxBelowSteps bounds the schemas that Below looks at: through references a small one can stand for
	// any number of them.
	maxBelowSteps = 10_000
)

// Below lists what stands in the objects and lists of a top-level parameter, in the schema's order:
// todos[].status. The items of a list are listed themselves where only certain values may be. It goes
// 4 levels deep and lists at most 100.
func (s *Schema) Below(name string) []Property {
	if s == nil {
		return nil
	}
	root := s.tree()
	w := below{res: resolver{root: root}}
	props := root.Get("properties")
	if props != nil && props.Kind == rawjson.KindObject {
		w.within(props.Get(name), name, 0)
	}
	return w.found
}

// A below collects what stands in a parameter.
type below struct {
	res   resolver
	found []Property
	steps int
}

// within lists what a schema's items and properties are, through references and alternatives.
func (w *below) within(n *node, path string, depth int) {
	for hops := 0; n != nil && hops < 4; hops++ {
		w.in(n, path, depth)
		n = standsFor(n, &w.res)
	}
}

func (w *below) in(n *node, path string, depth int) {
	w.steps++
	enough := depth >= maxBelowDepth || w.steps > maxBelowSteps || len(w.found) >= maxBelow
	if enough || n.Kind != rawjson.KindObject {
		return
	}
	w.items(n, path, depth)
	w.members(n, path, depth)
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		alt := n.Get(word)
		if alt == nil || alt.Kind != rawjson.KindArray {
			continue
		}
		for i := range alt.Kids {
			w.within(&alt.Kids[i], path, depth+1)
		}
	}
}

// items lists what a list holds.
func (w *below) items(n *node, path string, depth int) {
	if items := n.Get("items"); items != nil && items.Kind == rawjson.KindObject {
		one := Property{Name: path + "[]"}
		one.read(items, &w.res)
		if len(one.Enum) > 0 {
			w.add(one)
		}
		w.within(items, one.Name, depth+1)
	}
}

// members lists the properties of an object.
func (w *below) members(n *node, path string, depth int) {
	if props := n.Get("properties"); props != nil && props.Kind == rawjson.KindObject {
		for i := range props.Kids {
			p := Property{Name: path + "." + props.Kids[i].Name, Required: requires(n, props.Kids[i].Name)}
			p.read(&props.Kids[i], &w.res)
			w.add(p)
			w.within(&props.Kids[i], p.Name, depth+1)
		}
	}
}

// add keeps a property that another alternative does not have already.
func (w *below) add(p Property) {
	known := slices.ContainsFunc(w.found, func(o Property) bool { return o.Name == p.Name })
	if !known && len(w.found) < maxBelow {
		w.found = append(w.found, p)
	}
}

// requires tells whether a schema of an object wants the property.
func requires(object *node, name string) bool {
	required := object.Get("required")
	return required != nil && slices.ContainsFunc(required.Kids, func(r node) bool {
		return r.IsString() && r.Text == name
	})
}

// readProperties reads what people and forms are shown, straight from the schema: descriptions do
// not survive its compilation.
func readProperties(root *node) []Property {
	res := resolver{root: root}
	props := root.Get("properties")
	if props == nil || props.Kind != rawjson.KindObject {
		return nil
	}
	out := make([]Property, 0, len(props.Kids))
	for i := range props.Kids {
		n := &props.Kids[i]
		p := Property{Name: n.Name}
		p.read(n, &res)
		p.Required = requires(root, n.Name)
		out = append(out, p)
	}
	return out
}

// read takes what the schema says itself, then what the one that it stands for says.
func (p *Property) read(n *node, res *resolver) {
	for hops := 0; n != nil && hops < 4; hops++ {
		if d := n.Get("description"); d.IsString() && p.Description == "" {
			p.Description = d.Text
		}
		if d := n.Get("default"); d != nil && p.Default == nil {
			p.Default = json.RawMessage(rawjson.Compact([]byte(d.Raw)))
		}
		if e := n.Get("enum"); e != nil && p.Enum == nil {
			for _, v := range e.Kids {
				p.Enum = append(p.Enum, json.RawMessage(rawjson.Compact([]byte(v.Raw))))
			}
		}
		if p.Types == nil {
			p.Types = declaredTypes(n, res, 0)
			p.Type = typeWord(n, p.Types, res)
		}
		n = standsFor(n, res)
	}
}

// standsFor follows a local reference.
func standsFor(n *node, res *resolver) *node {
	if ref := n.Get("$ref"); ref.IsString() && local(ref.Text) {
		return res.find(ref.Text)
	}
	return nil
}

// declaredTypes collects the types that a schema allows, also through references and alternatives.
func declaredTypes(n *node, res *resolver, depth int) []string {
	if n == nil || depth > 4 {
		return nil
	}
	if t := n.Get("type"); t.IsString() {
		return []string{t.Text}
	} else if t != nil {
		var out []string
		for _, k := range t.Kids {
			out = append(out, k.Text)
		}
		return out
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		alt := n.Get(word)
		if alt == nil || alt.Kind != rawjson.KindArray {
			continue
		}
		var out []string
		for i := range alt.Kids {
			for _, t := range declaredTypes(&alt.Kids[i], res, depth+1) {
				if !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
		}
		return out
	}
	if target := standsFor(n, res); target != nil {
		return declaredTypes(target, res, depth+1)
	}
	return nil
}

// typeWord names the types for people: string[] for a list of texts, any where the schema says
// nothing.
func typeWord(n *node, types []string, res *resolver) string {
	if len(types) == 0 {
		return "any"
	}
	words := slices.Clone(types)
	if i := slices.Index(words, "array"); i >= 0 {
		if items := declaredTypes(n.Get("items"), res, 0); len(items) == 1 {
			words[i] = items[0] + "[]"
		}
	}
	return strings.Join(words, " or ")
}
