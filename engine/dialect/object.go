package dialect

import (
	"fmt"
	"slices"
	"strings"

	"helve/internal/names"
)

// object declares the members of an object into out.
func (c *converter) object(s *shape, at *place, out node, depth int) (node, *undo) {
	if c.form.depth > 0 && depth > c.form.depth {
		c.cannot(at, fmt.Sprintf("objects nest more than %d deep", c.form.depth))
		return out, nil
	}
	var u undo
	props, required := node{kind: '{', kids: c.arena.kids(len(s.props))}, c.arena.array()
	required.kids = c.arena.kids(len(s.props))
	keys := c.keys(s.props)
	within := c.arena.step(at, "properties")
	for _, p := range s.props {
		here := c.arena.step(within, p.name)
		need := slices.Contains(s.required, p.name)
		declared, sub := c.schema(p, here, depth, c.form.demand && !need)
		key := keys.name(p.name)
		if key != p.name {
			c.lose(here, "the name is not taken: declared as %s", key)
		}
		props.kids = append(props.kids, named(key, bare(declared)))
		if need || c.form.demand {
			required.kids = append(required.kids, text(key))
		}
		u.member(key, p.name, sub, c.form.demand && !need && !acceptsNull(c, p))
	}
	c.missing(s, at)
	if len(props.kids) > 0 || depth == 0 || c.form.closed {
		out.set("properties", props)
	}
	c.require(&out, s, at, required, depth)
	c.others(&out, s, at, depth)
	return out, u.orNil()
}

// keys names the members: as they are, unless one of them is no name for the provider.
func (c *converter) keys(props []*node) naming {
	if c.form.names == nil || !slices.ContainsFunc(props, func(p *node) bool { return !c.form.names(p.name) }) {
		return naming{}
	}
	return naming{rule: nameRules{ok: c.form.names, clean: names.Hashed}, taken: make(map[string]bool, len(props))}
}

// acceptsNull tells whether the schema takes null for itself: then a null is the model's word.
func acceptsNull(c *converter, p *node) bool {
	if len(p.get("type").text()) > 0 && p.get("nullable") == nil { // one type: null is not it, whatever else is said
		return p.get("type").text() == "null"
	}
	quiet := converter{form: c.form, root: c.root, active: c.active, arena: c.arena}
	s := quiet.shape(p, nil)
	return s.null || slices.Contains(s.types, "null")
}

// missing reports names that are required and not described.
func (c *converter) missing(s *shape, at *place) {
	for _, r := range s.required {
		if !slices.ContainsFunc(s.props, func(p *node) bool { return p.name == r }) {
			c.lose(at.to("required"), "%s is required and not described", r)
		}
	}
}

func (c *converter) require(out *node, s *shape, at *place, required node, depth int) {
	switch {
	case c.form.required || depth == 0:
		if len(required.kids) > 0 || c.form.closed {
			out.set("required", required)
		}
	case len(required.kids) > 0:
		c.lose(at.to("required"), "in the description")
		s.desc = withNotes(s.desc, []string{"required: " + strings.Join(required.texts(), ", ")})
	}
}

// others is what is said of members without a name.
func (c *converter) others(out *node, s *shape, at *place, depth int) {
	open := s.more != nil && (s.more.kind == 't' || s.more.kind == '{')
	if s.more != nil && s.more.get("not") != nil && len(s.more.kids) == 1 { // {"not":{}}: a spelling of false
		open = false
	}
	switch {
	case c.form.closed:
		if open {
			c.cannot(at.to("additionalProperties"), "an object with members of any name")
		}
		out.set("additionalProperties", truth(false))
	case c.form.open && s.more != nil:
		out.set("additionalProperties", c.additional(s.more, at))
	case open && depth > 0 || open && s.more.kind == '{' && len(s.more.kids) > 0:
		c.lose(at.to("additionalProperties"), "further members cannot be declared")
	}
}
