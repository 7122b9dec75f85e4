package dialect

import (
	"slices"

	rawjson "helve/internal/json"
)

// typed declares a schema without alternatives.
func (c *converter) typed(s *shape, at *place, depth int) (node, *undo) {
	if len(s.types) == 0 {
		s.types = s.inferred()
	}
	switch {
	case len(s.types) == 0:
		return c.untyped(s, at)
	case s.listed:
		return c.values(s, at)
	case len(s.types) == 1:
		return c.single(s, s.types[0], at, depth)
	case c.form.typeLists && onlyScalars(s.types):
		return c.scalar(s, at), nil
	}
	return c.perType(s, at, depth)
}

func onlyScalars(types []string) bool {
	return !slices.Contains(types, "object") && !slices.Contains(types, "array")
}

// inferred are the types that the keywords speak of, where no type is given. JSON Schema would allow any other type
// too, but that is never meant: whoever writes minLength means a text.
func (s *shape) inferred() []string {
	switch {
	case s.listed:
		return enumTypes(s.enum)
	case len(s.props) > 0 || s.more != nil && s.more.Kind == rawjson.KindObject:
		return []string{"object"}
	case s.items != nil || s.tuple != nil:
		return []string{"array"}
	}
	for _, k := range s.rest {
		switch k.Name {
		case "minLength", "maxLength", "pattern", "format":
			return []string{"string"}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			return []string{"number"}
		}
	}
	return nil
}

// perType makes an alternative of each type, for providers without lists of types and for objects and arrays, whose
// keywords would stand beside those of the other types.
func (c *converter) perType(s *shape, at *place, depth int) (node, *undo) {
	list := c.arena.array()
	var u undo
	c.arena.keep = true // the undo tells the alternatives apart by their schemas
	for _, t := range s.types {
		one := *s
		one.types = []string{t}
		one.desc = "" // that of all is said once, beside the list
		one.null = false
		one.rest = constraintsOf(s.rest, t)
		out, sub := c.single(&one, t, at, depth)
		list.Kids = append(list.Kids, out)
		u.add(out, sub)
	}
	var notes []string
	for _, k := range s.rest {
		if k.Name == "default" || k.Name == "examples" {
			notes = append(notes, c.note(k, at)...)
		}
	}
	return c.alternativesOf(list, s, notes), u.orNil()
}

// alternativesOf is a schema of nothing but alternatives, with null among them where that is accepted.
func (c *converter) alternativesOf(list node, s *shape, notes []string) node {
	if s.null && !c.form.nullable {
		list.Kids = append(list.Kids, c.arena.typed("null"))
	}
	out := c.described(s.desc, notes)
	out.Set("anyOf", list)
	if s.null && c.form.nullable {
		out.Set("nullable", truth(true))
	}
	return out
}

// constraintsOf are those that speak of values of a type.
func constraintsOf(all []*node, typ string) []*node {
	return slices.DeleteFunc(slices.Clone(all), func(k *node) bool { return !belongs(k.Name, typ) })
}

// belongs tells whether a constraint speaks of values of a type. A default and examples are said beside the
// alternatives.
func belongs(keyword, typ string) bool {
	switch keyword {
	case "default", "examples":
		return false
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return typ == "number" || typ == "integer"
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType":
		return typ == "string"
	case "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
		"additionalItems", "unevaluatedItems":
		return typ == "array"
	case "not", "if", "then", "else":
		return true
	}
	return typ == "object"
}

// single declares a schema of one type. Only objects count for the depth that a provider allows.
func (c *converter) single(s *shape, typ string, at *place, depth int) (node, *undo) {
	switch typ {
	case "object":
		if free(s, c.form) {
			return c.freeObject(s, at)
		}
		out, u := c.object(s, at, c.arena.typed("object"), depth+1)
		return c.finish(out, s, at), u
	case "array":
		return c.array(s, at, depth)
	}
	return c.scalar(s, at), nil
}

// free tells of an object whose members are not known, where a dialect has no words for such.
func free(s *shape, f *form) bool { return len(s.props) == 0 && !f.open }

// freeObject declares an object with any members, which strict modes refuse: they hold a model to names that are known.
func (c *converter) freeObject(s *shape, at *place) (node, *undo) {
	forbidden := s.more != nil && s.more.Kind == rawjson.KindFalse
	switch {
	case c.form.closed && !forbidden:
		c.cannot(at, "an object with members of any name")
	case c.form.nullable: // Gemini refuses an object without properties
		return c.objectAsText(s, at)
	}
	out := c.arena.typed("object")
	var u undo
	switch {
	case c.form.closed:
		out.Set("properties", object())
		out.Set("required", array())
		out.Set("additionalProperties", truth(false))
	case c.form.open && s.more != nil:
		declared, sub := c.additional(s.more, at)
		out.Set("additionalProperties", declared)
		u.others(nil, sub)
	case s.more != nil && s.more.Kind == rawjson.KindObject:
		c.lose(at.to("additionalProperties"), "dropped")
		s.desc = withNotes(s.desc, c.members(s))
	}
	return c.finish(out, s, at), u.orNil()
}

// objectAsText lets the model write an object as JSON text, which a call reads back.
func (c *converter) objectAsText(s *shape, at *place) (node, *undo) {
	c.lose(at, "an object without known members: declared as JSON text")
	notes := []string{"an object, written as JSON text"}
	s.types = []string{"string"}
	s.desc = withNotes(s.desc, append(notes, c.members(s)...))
	s.rest = slices.DeleteFunc(s.rest, func(k *node) bool { return k.Name != "examples" })
	return c.scalar(s, at), &undo{text: true}
}

// members describes what the members of a free object are, in a schema of at most maxNote bytes.
func (c *converter) members(s *shape) []string {
	more := s.more
	if more == nil || more.Kind != rawjson.KindObject || len(more.Kids) == 0 {
		return nil
	}
	if typ := more.Get("type").Content(); typ != "" && len(more.Kids) == 1 {
		return []string{"its members are of type " + typ}
	}
	if raw := more.String(); len(raw) <= maxNote {
		return []string{"each member: " + raw}
	}
	return nil
}

// additional is additionalProperties where it may be said: a truth, or a schema.
func (c *converter) additional(more *node, at *place) (node, *undo) {
	if more.Kind != rawjson.KindObject {
		return bare(*more), nil
	}
	return c.schema(more, at.to("additionalProperties"), 0, false)
}

// array declares a list.
func (c *converter) array(s *shape, at *place, depth int) (node, *undo) {
	outer := c.form
	if outer.items != nil { // Ollama takes more below items than above
		c.form = outer.items
	}
	out := c.arena.typed("array")
	var u undo
	if len(s.tuple) > 0 && c.form.tuples {
		c.tuple(&out, s, at, depth, &u)
	} else {
		u.items = c.items(&out, s, at, depth)
	}
	c.form = outer
	return c.finish(out, s, at), u.orNil()
}

// tuple declares a list with a schema for each place.
func (c *converter) tuple(out *node, s *shape, at *place, depth int, u *undo) {
	list := array()
	changed := false
	undos := make([]*undo, len(s.tuple))
	for i := range s.tuple {
		item, sub := c.schema(&s.tuple[i], at.to("prefixItems").item(i), depth, false)
		list.Kids = append(list.Kids, bare(item))
		undos[i] = sub
		changed = changed || sub != nil
	}
	out.Set("prefixItems", list)
	if s.items != nil {
		item, sub := c.schema(s.items, at.to("items"), depth, false)
		out.Set("items", item)
		u.items = sub
	}
	if changed || u.items != nil { // else no place needs an undo, and the list none either
		u.tuple = undos
	}
}

// items declares one schema for all items.
func (c *converter) items(out *node, s *shape, at *place, depth int) *undo {
	item := s.item()
	if len(s.tuple) > 0 {
		c.lose(at.to("prefixItems"), "a list with a schema for each place: declared as a list of any of them")
	}
	declared, sub := c.schema(item, c.arena.step(at, "items"), depth, false)
	out.Set("items", bare(declared))
	return sub
}

// item is what each item is; a list that does not say so gets any. Providers want to know it of every list.
func (s *shape) item() *node {
	switch {
	case len(s.tuple) > 0:
		any := object(named("anyOf", array(s.tuple...)))
		return &any
	case s.items != nil:
		return s.items
	}
	any := object()
	return &any
}

// typeNode is one type, or a list of them.
func (c *converter) typeNode(types []string) node {
	if len(types) == 1 {
		return text(types[0])
	}
	return c.arena.textList(types)
}

func (c *converter) scalar(s *shape, at *place) node {
	out := c.arena.object(named("type", c.typeNode(s.types)))
	return c.finish(out, s, at)
}
