package dialect

import (
	"slices"

	rawjson "helve/internal/json"
)

// simplify makes alternatives that say little into something plainer.
func (c *converter) simplify(s *shape, at *place) {
	if len(s.any) == 0 {
		return
	}
	more := func(n *node) bool { return !onlyRequired(n) }
	if !slices.ContainsFunc(s.any, more) {
		c.lose(at.to("anyOf"), "which parameters go together cannot be said")
		s.any = nil
		return
	}
	// A list of constants is how some generators write an enumeration.
	values, ok := enumOf(s.any)
	if ok && !s.listed && len(s.props) == 0 {
		s.enum = values
		s.listed = true
		s.any = nil
		return
	}
	if len(s.any) == 1 {
		only := s.any[0]
		s.any = nil
		c.absorb(s, only, at)
		if len(s.any) > 0 {
			c.simplify(s, at)
		}
	}
}

// onlyRequired tells of an alternative like {"required":["a"]}: one of several parameters is wanted. No provider takes
// an alternative without a type.
func onlyRequired(n *node) bool {
	return n.Kind == rawjson.KindObject && len(n.Kids) == 1 && n.Kids[0].Name == "required"
}

// enumOf are the values of alternatives that are nothing but single values, with false if one is more than that.
func enumOf(any []*node) ([]node, bool) {
	var out []node
	for _, a := range any {
		for _, k := range a.Kids {
			if k.Name != "const" && k.Name != "enum" && k.Name != "type" {
				return nil, false
			}
		}
		switch v, list := a.Get("const"), a.Get("enum"); {
		case v != nil:
			out = append(out, bare(*v))
		case list != nil:
			out = append(out, list.Kids...)
		default:
			return nil, false
		}
	}
	return out, true
}
