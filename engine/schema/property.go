package schema

import (
	"encoding/json"
	"slices"
	"strings"
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

func readProperties(root *node) []Property {
	res := resolver{root: root}
	props, required := root.get("properties"), root.get("required")
	if props == nil || props.kind != objectKind {
		return nil
	}
	out := make([]Property, 0, len(props.kids))
	for i := range props.kids {
		n := &props.kids[i]
		p := Property{Name: n.name}
		p.read(n, &res)
		p.Required = required != nil && slices.ContainsFunc(required.kids, func(r node) bool { return r.isString() && r.text == n.name })
		out = append(out, p)
	}
	return out
}

// read takes what the schema says itself, then what the one that it stands for says.
func (p *Property) read(n *node, res *resolver) {
	for hops := 0; n != nil && hops < 4; hops++ {
		if d := n.get("description"); d.isString() && p.Description == "" {
			p.Description = d.text
		}
		if d := n.get("default"); d != nil && p.Default == nil {
			p.Default = json.RawMessage(compact([]byte(d.raw)))
		}
		if e := n.get("enum"); e != nil && p.Enum == nil {
			for _, v := range e.kids {
				p.Enum = append(p.Enum, json.RawMessage(compact([]byte(v.raw))))
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
	if ref := n.get("$ref"); ref.isString() && local(ref.text) {
		return res.find(ref.text)
	}
	return nil
}

// declaredTypes collects the types that a schema allows, also through references and alternatives.
func declaredTypes(n *node, res *resolver, depth int) []string {
	if n == nil || depth > 4 {
		return nil
	}
	if t := n.get("type"); t.isString() {
		return []string{t.text}
	} else if t != nil {
		var out []string
		for _, k := range t.kids {
			out = append(out, k.text)
		}
		return out
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		alt := n.get(word)
		if alt == nil || alt.kind != arrayKind {
			continue
		}
		var out []string
		for i := range alt.kids {
			for _, t := range declaredTypes(&alt.kids[i], res, depth+1) {
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

func typeWord(n *node, types []string, res *resolver) string {
	if len(types) == 0 {
		return "any"
	}
	words := slices.Clone(types)
	if i := slices.Index(words, "array"); i >= 0 {
		if items := declaredTypes(n.get("items"), res, 0); len(items) == 1 {
			words[i] = items[0] + "[]"
		}
	}
	return strings.Join(words, " or ")
}
