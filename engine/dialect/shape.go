package dialect

import (
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// A shape is one schema with its references followed and its allOf merged: what must be declared at one place. Its
// nodes are parts of the tool's schema, which does not change.
type shape struct {
	types    []string // empty: any
	null     bool     // null is accepted, too
	enum     []node   // values that are allowed
	listed   bool     // enum was given, if only an empty one
	desc     string
	said     string  // desc as it was read
	spelled  string  // and how that was spelled
	props    []*node // the schemas of members, each with its name
	required []string
	more     *node   // additionalProperties
	items    *node   // of all items
	tuple    []node  // of the first, the second, …
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

// keyword adds what one keyword says. Keywords come in any order, and those of $ref and allOf behind the schema's own.
func (c *converter) keyword(s *shape, k *node, at *place) {
	switch k.Name {
	case "type":
		s.limitTypes(textsOf(k))
	case "nullable":
		s.null = s.null || k.Kind == rawjson.KindTrue
	case "description":
		s.describe(k)
	case "enum", "const":
		c.limitEnum(s, k)
	case "properties":
		c.properties(s, k)
	case "required":
		s.require(textsOf(k))
	case "additionalProperties":
		if s.more == nil || k.Kind == rawjson.KindFalse {
			s.more = k
		}
	case "items", "prefixItems":
		s.list(k)
	case "anyOf", "oneOf":
		c.alternatives(s, k, at)
	case "$ref", "allOf": // absorb follows them
	default:
		c.other(s, k, at)
	}
}

// describe takes the first description: what a place says of itself is closer than what it refers to.
func (s *shape) describe(k *node) {
	if s.desc == "" {
		s.desc = k.Content()
		s.said = s.desc
		s.spelled = k.Raw
	}
}

func (s *shape) require(names []string) {
	for _, name := range names {
		if !slices.Contains(s.required, name) {
			s.required = append(s.required, name)
		}
	}
}

// other adds a constraint. Of one that is given twice, the tighter counts.
func (c *converter) other(s *shape, k *node, at *place) {
	if isSilent(k.Name) {
		return
	}
	if !isConstraint(k.Name) {
		if !strings.HasPrefix(k.Name, "x-") { // of a vendor, not for models
			c.lose(at.to(k.Name), "unknown keyword, dropped")
		}
		return
	}
	i := slices.IndexFunc(s.rest, func(r *node) bool { return r.Name == k.Name })
	switch {
	case i < 0:
		s.rest = append(s.rest, k)
	case tighter(k, s.rest[i]):
		s.rest[i] = k
	}
}

// tighter tells whether a bound given twice is the narrower one.
func tighter(k, old *node) bool {
	a, b := number(k.Text), number(old.Text)
	switch {
	case strings.HasPrefix(k.Name, "max"), k.Name == "exclusiveMaximum":
		return a < b
	case strings.HasPrefix(k.Name, "min"), k.Name == "exclusiveMinimum":
		return a > b
	}
	return false
}

// limitTypes leaves the types that were allowed before and are now.
func (s *shape) limitTypes(types []string) {
	if i := slices.Index(types, "null"); i >= 0 && len(types) > 1 {
		s.null = true
		types = slices.Delete(types, i, i+1)
	}
	if len(s.types) == 0 {
		s.types = types
		return
	}
	both := slices.DeleteFunc(slices.Clone(s.types), func(t string) bool { return !allows(types, t) })
	if slices.Contains(types, "integer") && allows(s.types, "integer") && !slices.Contains(both, "integer") {
		both = append(both, "integer")
	}
	if len(both) > 0 { // nothing in common accepts nothing: the first is as good
		s.types = both
	}
}

// allows tells whether values of a type fulfil a list of types: whole numbers are numbers.
func allows(types []string, typ string) bool {
	return slices.Contains(types, typ) || typ == "integer" && slices.Contains(types, "number")
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

// properties adds the members of an object.
func (c *converter) properties(s *shape, k *node) {
	if s.props == nil {
		s.props = c.arena.pointers(len(k.Kids))
	}
	for i := range k.Kids {
		s.property(&k.Kids[i])
	}
}

// property adds a parameter; one that is there already must satisfy both.
func (s *shape) property(p *node) {
	for i, old := range s.props {
		if old.Name == p.Name {
			both := named(p.Name, object(named("allOf", array(bare(*old), bare(*p)))))
			s.props[i] = &both
			return
		}
	}
	s.props = append(s.props, p)
}

// bare is a value without a name.
func bare(n node) node { return named("", n) }

// list adds what the items are.
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
	i, err := strconv.ParseUint(key, 10, 31)
	if err != nil || i >= uint64(len(n.Kids)) {
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
