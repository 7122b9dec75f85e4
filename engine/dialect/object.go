package dialect

import (
	"fmt"
	"slices"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/names"
)

// object declares the members of an object into out.
func (c *converter) object(s *shape, at *place, out node, depth int) (node, *undo) {
	if c.form.depth > 0 && depth > c.form.depth {
		c.cannot(at, fmt.Sprintf("objects nest more than %d deep", c.form.depth))
		return out, nil
	}
	var u undo
	props, required := node{Kind: rawjson.KindObject, Kids: c.arena.kids(len(s.props))}, c.arena.array()
	required.Kids = c.arena.kids(len(s.props))
	keys := c.keys(s.props)
	within := c.arena.step(at, "properties")
	for _, p := range s.props {
		here := c.arena.step(within, p.Name)
		need := slices.Contains(s.required, p.Name)
		declared, sub := c.schema(p, here, depth, c.form.demand && !need)
		key := keys.name(p.Name)
		if key != p.Name {
			c.lose(here, "the name is not taken: declared as %s", key)
		}
		props.Kids = append(props.Kids, named(key, bare(declared)))
		if need || c.form.demand {
			required.Kids = append(required.Kids, text(key))
		}
		u.member(key, p.Name, sub, c.form.demand && !need && !acceptsNull(c, p))
	}
	c.missing(s, at)
	if len(props.Kids) > 0 || depth == 0 || c.form.closed {
		out.Set("properties", props)
	}
	c.require(&out, s, at, required, depth)
	c.others(&out, s, at, depth)
	return out, u.orNil()
}

// keys names the members: as they are, unless one of them is no name for the provider.
func (c *converter) keys(props []*node) naming {
	if c.form.names == nil || !slices.ContainsFunc(props, func(p *node) bool { return !c.form.names(p.Name) }) {
		return naming{}
	}
	return naming{rule: nameRules{ok: c.form.names, clean: names.Hashed}, taken: make(map[string]bool, len(props))}
}

// acceptsNull tells whether the schema takes null for itself: then a null is the model's word.
func acceptsNull(c *converter, p *node) bool {
	one := p.Get("type").Content()
	if one != "" && p.Get("nullable") == nil { // null is of no other type, whatever else is said
		return one == "null"
	}
	quiet := converter{form: c.form, root: c.root, active: c.active, arena: c.arena}
	s := quiet.shape(p, nil)
	return s.null || slices.Contains(s.types, "null")
}

// missing reports names that are required and not described.
func (c *converter) missing(s *shape, at *place) {
	for _, r := range s.required {
		if !slices.ContainsFunc(s.props, func(p *node) bool { return p.Name == r }) {
			c.lose(at.to("required"), "%s is required and not described", r)
		}
	}
}

func (c *converter) require(out *node, s *shape, at *place, required node, depth int) {
	switch {
	case c.form.required || depth == 0:
		if len(required.Kids) > 0 || c.form.closed {
			out.Set("required", required)
		}
	case len(required.Kids) > 0:
		c.lose(at.to("required"), "in the description")
		s.desc = withNotes(s.desc, []string{"required: " + strings.Join(textsOf(&required), ", ")})
	}
}

// others is what is said of members without a name.
func (c *converter) others(out *node, s *shape, at *place, depth int) {
	open := s.more != nil && (s.more.Kind == rawjson.KindTrue || s.more.Kind == rawjson.KindObject)
	if s.more != nil && s.more.Get("not") != nil && len(s.more.Kids) == 1 { // {"not":{}}: a spelling of false
		open = false
	}
	switch {
	case c.form.closed:
		if open {
			c.cannot(at.to("additionalProperties"), "an object with members of any name")
		}
		out.Set("additionalProperties", truth(false))
	case c.form.open && s.more != nil:
		out.Set("additionalProperties", c.additional(s.more, at))
	case open && depth > 0 || open && s.more.Kind == rawjson.KindObject && len(s.more.Kids) > 0:
		c.lose(at.to("additionalProperties"), "further members cannot be declared")
	}
}
