package dialect

import (
	"fmt"
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// object declares the members of an object into out, which has its type already. depth counts the objects around it.
func (c *converter) object(s *shape, at *place, out node, depth int) (node, *undo) {
	if c.form.depth > 0 && depth > c.form.depth {
		c.cannot(at, fmt.Sprintf("objects nest more than %d deep", c.form.depth))
		return out, nil
	}
	var u undo
	props := c.declareMembers(s, at, depth, &u)
	c.missing(s, at)
	if len(props.Kids) > 0 || depth == 0 || c.form.closed {
		out.Set("properties", props)
	}
	c.require(&out, s, at, props, depth)
	c.others(&out, s, at, depth, &u)
	return out, u.orNil()
}

// declareMembers declares each parameter under a name that the provider takes.
func (c *converter) declareMembers(s *shape, at *place, depth int, u *undo) node {
	props := node{Kind: rawjson.KindObject, Kids: c.arena.kids(len(s.props))}
	keys := c.keys(s.props)
	within := c.arena.step(at, "properties")
	for _, p := range s.props {
		here := c.arena.step(within, p.Name)
		demanded := c.form.demand && !slices.Contains(s.required, p.Name)
		declared, sub := c.schema(p, here, depth, demanded)
		key := keys.name(p.Name)
		if key != p.Name {
			c.lose(here, "the name is not taken: declared as %s", key)
		}
		props.Kids = append(props.Kids, named(key, declared))
		// Where null was no value of its own, it says that the model leaves the parameter out.
		dropNull := demanded && !acceptsNull(c, p)
		u.member(key, p.Name, sub, dropNull)
	}
	return props
}

// keys names the members: as they are, unless one of them is no name for the provider. Then all are looked at, since a
// clean name may be that of another member.
func (c *converter) keys(props []*node) naming {
	rule := c.form.names
	if rule.ok == nil || !slices.ContainsFunc(props, func(p *node) bool { return !rule.ok(p.Name) }) {
		return naming{}
	}
	return naming{rule: rule, taken: make(map[string]bool, len(props))}
}

// acceptsNull tells whether the schema takes null for itself: then a null is the model's word.
func acceptsNull(c *converter, p *node) bool {
	one := p.Get("type").Content()
	if one != "" && p.Get("nullable") == nil { // null is of no other type, whatever else is said
		return one == "null"
	}
	// What is lost on the way is told when the parameter is declared, not twice.
	quiet := converter{form: c.form, root: c.root, active: c.active, arena: c.arena}
	s := quiet.shape(p, nil)
	return s.null || slices.Contains(s.types, "null")
}

// missing reports names that are required and not described. They stay out: OpenAI refuses a required name without a
// property.
func (c *converter) missing(s *shape, at *place) {
	for _, r := range s.required {
		if !slices.ContainsFunc(s.props, func(p *node) bool { return p.Name == r }) {
			c.lose(at.to("required"), "%s is required and not described", r)
		}
	}
}

// require says which of the declared members must be there, in words where the dialect has none for nested objects.
func (c *converter) require(out *node, s *shape, at *place, props node, depth int) {
	required := node{Kind: rawjson.KindArray, Kids: c.arena.kids(len(s.props))}
	for i, p := range s.props {
		if c.form.demand || slices.Contains(s.required, p.Name) {
			required.Kids = append(required.Kids, text(props.Kids[i].Name))
		}
	}
	switch {
	case c.form.required || depth == 0:
		if len(required.Kids) > 0 || c.form.closed {
			out.Set("required", required)
		}
	case len(required.Kids) > 0:
		c.lose(at.to("required"), "in the description")
		note := "required: " + strings.Join(textsOf(&required), ", ")
		s.desc = withNotes(s.desc, []string{note})
	}
}

// others is what is said of members without a name. A dialect that cannot say it lets the model know the named ones
// only.
func (c *converter) others(out *node, s *shape, at *place, depth int, u *undo) {
	open := isOpen(s.more)
	switch {
	case c.form.closed:
		if open {
			c.cannot(at.to("additionalProperties"), "an object with members of any name")
		}
		out.Set("additionalProperties", truth(false))
	case c.form.open && s.more != nil:
		declared, sub := c.additional(s.more, at)
		out.Set("additionalProperties", declared)
		u.others(kidsOf(out.Get("properties")), sub)
	case !open:
	case depth > 0 || len(s.more.Kids) > 0: // at the root, true and {} are what every tool allows
		c.lose(at.to("additionalProperties"), "further members cannot be declared")
	}
}

// isOpen tells whether additionalProperties allows any. Nothing said counts as no: few tools mean it.
func isOpen(more *node) bool {
	if more == nil {
		return false
	}
	if more.Get("not") != nil && len(more.Kids) == 1 { // {"not":{}}: a spelling of false
		return false
	}
	return more.Kind == rawjson.KindTrue || more.Kind == rawjson.KindObject
}
