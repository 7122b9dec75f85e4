package dialect

import (
	"slices"
	"strings"

	rawjson "helve/internal/json"
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

// isConstraint tells of the keywords that limit values and hold no schema that is declared elsewhere.
func isConstraint(keyword string) bool {
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
		"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
		"additionalItems", "unevaluatedItems",
		"minProperties", "maxProperties", "propertyNames", "patternProperties", "unevaluatedProperties",
		"dependentRequired", "dependentSchemas", "dependencies",
		"not", "if", "then", "else", "default", "examples":
		return true
	}
	return false
}

// isSilent tells of the keywords that say nothing to a model.
func isSilent(keyword string) bool {
	switch keyword {
	case "$schema", "$id", "id", "$comment", "$defs", "definitions", "$anchor", "$dynamicAnchor",
		"title", "readOnly", "writeOnly", "deprecated", "nullable":
		return true
	}
	return false
}

// shape reads a schema.
func (c *converter) shape(n *node, at *place) *shape {
	s := c.arena.shape()
	c.absorb(s, n, at)
	return s
}

// absorb adds what a schema says to a shape. What was there first counts where only one can.
func (c *converter) absorb(s *shape, n *node, at *place) {
	if n.Kind != rawjson.KindObject { // true, false or nonsense: anything
		return
	}
	for i := range n.Kids {
		c.keyword(s, &n.Kids[i], at)
	}
	if ref := n.Get("$ref"); ref != nil {
		c.follow(s, ref.Content(), at)
	}
	if list := n.Get("allOf"); list != nil {
		for i := range list.Kids {
			c.absorb(s, &list.Kids[i], at)
		}
	}
}

func (c *converter) keyword(s *shape, k *node, at *place) {
	switch k.Name {
	case "type":
		s.limitTypes(textsOf(k))
	case "nullable":
		s.null = s.null || k.Kind == rawjson.KindTrue
	case "description":
		if s.desc == "" {
			s.desc = k.Content()
			s.said, s.spelled = s.desc, k.Raw
		}
	case "enum", "const":
		c.limitEnum(s, k)
	case "properties":
		if s.props == nil {
			s.props = c.arena.pointers(len(k.Kids))
		}
		for i := range k.Kids {
			s.property(&k.Kids[i])
		}
	case "required":
		for _, name := range textsOf(k) {
			if !slices.Contains(s.required, name) {
				s.required = append(s.required, name)
			}
		}
	case "additionalProperties":
		if s.more == nil || k.Kind == rawjson.KindFalse {
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
	case isSilent(k.Name):
	case !isConstraint(k.Name):
		if !strings.HasPrefix(k.Name, "x-") {
			c.lose(at.to(k.Name), "unknown keyword, dropped")
		}
	case slices.ContainsFunc(s.rest, func(r *node) bool { return r.Name == k.Name }):
		i := slices.IndexFunc(s.rest, func(r *node) bool { return r.Name == k.Name })
		if tighter(k, s.rest[i]) {
			s.rest[i] = k
		}
	default:
		s.rest = append(s.rest, k)
	}
}

// tighter tells whether a bound given twice is the narrower one.
func tighter(k, old *node) bool {
	a, b := number(k.Text), number(old.Text)
	if strings.HasPrefix(strings.ToLower(k.Name), "max") || k.Name == "exclusiveMaximum" {
		return a < b
	}
	return (strings.HasPrefix(k.Name, "min") || k.Name == "exclusiveMinimum") && a > b
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

// limitEnum adds a list of values, or the one value of const. Of two lists, only what both allow remains.
func (c *converter) limitEnum(s *shape, k *node) {
	values := k.Kids
	if k.Name == "const" {
		values = []node{*k}
	}
	if s.listed {
		values = slices.DeleteFunc(slices.Clone(s.enum), func(v node) bool {
			return !slices.ContainsFunc(values, func(w node) bool { return v.String() == w.String() })
		})
	}
	s.enum, s.listed = c.arena.kids(len(values)), true
	for i := range values {
		if values[i].Kind == rawjson.KindNull && len(values) > 1 {
			s.null = true
			continue
		}
		s.enum = append(s.enum, bare(values[i]))
	}
}

// property adds a parameter; one that is there already must satisfy both.
func (s *shape) property(p *node) {
	for i, old := range s.props {
		if old.Name == p.Name {
			both := object(named("allOf", array(bare(*old), bare(*p))))
			both.Name = p.Name
			s.props[i] = &both
			return
		}
	}
	s.props = append(s.props, p)
}

func bare(n node) node { n.Name = ""; return n }

func (s *shape) list(k *node) {
	switch {
	case k.Kind == rawjson.KindArray && s.tuple == nil: // prefixItems, or items of the older drafts
		s.tuple = k.Kids
	case k.Kind == rawjson.KindObject && s.items == nil:
		s.items = k
	}
}

// alternatives adds anyOf. A second list is dropped: the original schema still holds.
func (c *converter) alternatives(s *shape, k *node, at *place) {
	if len(s.any) > 0 {
		c.lose(at.to(k.Name), "a second list of alternatives, dropped")
		return
	}
	for i := range k.Kids {
		alt := &k.Kids[i]
		if t := alt.Get("type"); alt.Kind == rawjson.KindObject && t.Content() == "null" {
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
		return anchored(c.root, frag)
	}
	n := c.root
	for key := range strings.SplitSeq(frag[1:], "/") {
		if n = child(n, unescape(key)); n == nil {
			return nil
		}
	}
	return n
}

// child is a member, or an item by its number.
func child(n *node, key string) *node {
	if n.Kind != rawjson.KindArray {
		return n.Get(key)
	}
	i := 0
	for _, d := range []byte(key) {
		if i = i*10 + int(d-'0'); d < '0' || d > '9' || i >= len(n.Kids) {
			return nil
		}
	}
	if key == "" || i >= len(n.Kids) {
		return nil
	}
	return &n.Kids[i]
}

func anchored(n *node, name string) *node {
	if n.Kind == rawjson.KindObject && (n.Get("$anchor").Content() == name || n.Get("$id").Content() == "#"+name) {
		return n
	}
	for i := range n.Kids {
		if hit := anchored(&n.Kids[i], name); hit != nil {
			return hit
		}
	}
	return nil
}
