package dialect

import (
	"slices"
	"strings"
)

// A shape is one schema with its references followed and its allOf merged: what must be declared at one place.
type shape struct {
	types    []string // empty: any
	null     bool     // null is accepted, too
	enum     []node
	listed   bool // enum was given
	desc     string
	said     string // desc as it was read, and how it was spelled
	spelled  string
	props    []*node // named
	required []string
	more     *node // additionalProperties
	items    *node
	tuple    []node
	any      []*node // anyOf, or oneOf
	rest     []*node // other constraints, in order
	back     *node   // a reference that leads back: nothing else counts
	entered  []*node // targets of references that are part of it
}

// constraints are the keywords that limit values and hold no schema that is declared elsewhere.
var constraints = map[string]bool{
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"minLength": true, "maxLength": true, "pattern": true, "format": true, "contentEncoding": true, "contentMediaType": true,
	"minItems": true, "maxItems": true, "uniqueItems": true, "contains": true, "minContains": true, "maxContains": true,
	"additionalItems": true, "unevaluatedItems": true, "minProperties": true, "maxProperties": true, "propertyNames": true,
	"patternProperties": true, "dependentRequired": true, "dependentSchemas": true, "dependencies": true, "unevaluatedProperties": true,
	"not": true, "if": true, "then": true, "else": true, "default": true, "examples": true,
}

// silent are the keywords that say nothing to a model.
var silent = map[string]bool{
	"$schema": true, "$id": true, "id": true, "$comment": true, "$defs": true, "definitions": true, "$anchor": true, "$dynamicAnchor": true,
	"title": true, "readOnly": true, "writeOnly": true, "deprecated": true, "nullable": true,
}

// shape reads a schema.
func (c *converter) shape(n *node, at *place) *shape {
	s := c.arena.shape()
	c.absorb(s, n, at)
	return s
}

// absorb adds what a schema says to a shape. What was there first counts where only one can.
func (c *converter) absorb(s *shape, n *node, at *place) {
	if n.kind != '{' { // true, false or nonsense: anything
		return
	}
	for i := range n.kids {
		c.keyword(s, &n.kids[i], at)
	}
	if ref := n.get("$ref"); ref != nil {
		c.follow(s, ref.text(), at)
	}
	if list := n.get("allOf"); list != nil {
		for i := range list.kids {
			c.absorb(s, &list.kids[i], at)
		}
	}
}

func (c *converter) keyword(s *shape, k *node, at *place) {
	switch k.name {
	case "type":
		s.limitTypes(k.texts())
	case "nullable":
		s.null = s.null || k.kind == 't'
	case "description":
		if s.desc == "" {
			s.desc = k.text()
			s.said, s.spelled = s.desc, k.raw
		}
	case "enum", "const":
		s.limitEnum(k)
	case "properties":
		if s.props == nil {
			s.props = c.arena.pointers(len(k.kids))
		}
		for i := range k.kids {
			s.property(&k.kids[i])
		}
	case "required":
		for _, name := range k.texts() {
			if !slices.Contains(s.required, name) {
				s.required = append(s.required, name)
			}
		}
	case "additionalProperties":
		if s.more == nil || k.kind == 'f' {
			s.more = k
		}
	case "items", "prefixItems":
		s.list(k)
	case "anyOf", "oneOf":
		c.alternatives(s, k, at)
	case "$ref", "allOf":
	default:
		c.other(s, k, at)
	}
}

func (c *converter) other(s *shape, k *node, at *place) {
	switch {
	case silent[k.name]:
	case !constraints[k.name]:
		if !strings.HasPrefix(k.name, "x-") {
			c.lose(at.to(k.name), "unknown keyword, dropped")
		}
	case slices.ContainsFunc(s.rest, func(r *node) bool { return r.name == k.name }):
		i := slices.IndexFunc(s.rest, func(r *node) bool { return r.name == k.name })
		if tighter(k, s.rest[i]) {
			s.rest[i] = k
		}
	default:
		s.rest = append(s.rest, k)
	}
}

// tighter tells whether a bound given twice is the narrower one.
func tighter(k, old *node) bool {
	a, b := number(k.raw), number(old.raw)
	if strings.HasPrefix(strings.ToLower(k.name), "max") || k.name == "exclusiveMaximum" {
		return a < b
	}
	return (strings.HasPrefix(k.name, "min") || k.name == "exclusiveMinimum") && a > b
}

func (s *shape) limitTypes(types []string) {
	if i := slices.Index(types, "null"); i >= 0 && len(types) > 1 {
		s.null = true
		types = slices.Delete(types, i, i+1)
	}
	if len(s.types) == 0 {
		s.types = types
		return
	}
	both := slices.DeleteFunc(slices.Clone(s.types), func(t string) bool {
		return !slices.Contains(types, t) && !(t == "integer" && slices.Contains(types, "number"))
	})
	if slices.Contains(types, "integer") && slices.Contains(s.types, "number") && !slices.Contains(both, "integer") {
		both = append(both, "integer")
	}
	if len(both) > 0 { // nothing in common accepts nothing: the first is as good
		s.types = both
	}
}

func (s *shape) limitEnum(k *node) {
	values := k.kids
	if k.name == "const" {
		values = []node{*k}
	}
	if s.listed {
		values = slices.DeleteFunc(slices.Clone(s.enum), func(v node) bool {
			return !slices.ContainsFunc(values, func(w node) bool { return v.String() == w.String() })
		})
	}
	s.enum, s.listed = nil, true
	for _, v := range values {
		v.name = ""
		if v.kind == 'n' && len(values) > 1 {
			s.null = true
			continue
		}
		s.enum = append(s.enum, v)
	}
}

// property adds a parameter; one that is there already must satisfy both.
func (s *shape) property(p *node) {
	for i, old := range s.props {
		if old.name == p.name {
			both := object(named("allOf", array(bare(*old), bare(*p))))
			both.name = p.name
			s.props[i] = &both
			return
		}
	}
	s.props = append(s.props, p)
}

func bare(n node) node { n.name = ""; return n }

func (s *shape) list(k *node) {
	switch {
	case k.kind == '[' && s.tuple == nil: // prefixItems, or items of the older drafts
		s.tuple = k.kids
	case k.kind == '{' && s.items == nil:
		s.items = k
	}
}

// alternatives adds anyOf. A second list is dropped: the original schema still holds.
func (c *converter) alternatives(s *shape, k *node, at *place) {
	if len(s.any) > 0 {
		c.lose(at.to(k.name), "a second list of alternatives, dropped")
		return
	}
	for i := range k.kids {
		alt := &k.kids[i]
		if t := alt.get("type"); alt.kind == '{' && t.text() == "null" {
			s.null = true
			continue
		}
		s.any = append(s.any, alt)
	}
}

// follow adds what a reference points at.
func (c *converter) follow(s *shape, ref string, at *place) {
	target := c.find(ref)
	switch {
	case target == nil:
		c.lose(at.to("$ref"), "leads nowhere: any value")
	case slices.Contains(c.active, target) || slices.Contains(s.entered, target):
		s.back = target
	default:
		s.entered = append(s.entered, target)
		c.absorb(s, target, at)
	}
}

// find resolves a local reference: a JSON pointer, or an anchor.
func (c *converter) find(ref string) *node {
	frag, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if frag == "" {
		return c.root
	}
	if frag[0] != '/' {
		return c.root.anchored(frag)
	}
	n := c.root
	for key := range strings.SplitSeq(frag[1:], "/") {
		if n = n.child(unescape(key)); n == nil {
			return nil
		}
	}
	return n
}

// child is a member, or an item by its number.
func (n *node) child(key string) *node {
	if n.kind != '[' {
		return n.get(key)
	}
	i := 0
	for _, d := range []byte(key) {
		if i = i*10 + int(d-'0'); d < '0' || d > '9' || i >= len(n.kids) {
			return nil
		}
	}
	if key == "" || i >= len(n.kids) {
		return nil
	}
	return &n.kids[i]
}

func (n *node) anchored(name string) *node {
	if n.kind == '{' && (n.get("$anchor").text() == name || n.get("$id").text() == "#"+name) {
		return n
	}
	for i := range n.kids {
		if hit := n.kids[i].anchored(name); hit != nil {
			return hit
		}
	}
	return nil
}
