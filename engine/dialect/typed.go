package dialect

import (
	"slices"
	"strconv"
	"strings"

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
	case c.form.typeLists && !slices.Contains(s.types, "object") && !slices.Contains(s.types, "array"):
		return c.scalar(s, at), nil
	}
	return c.perType(s, at, depth)
}

// inferred are the types that the keywords speak of, where no type is given.
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

func enumTypes(values []node) []string {
	var out []string
	for _, v := range values {
		t := typeOf(v)
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func typeOf(v node) string {
	switch v.Kind {
	case rawjson.KindString:
		return "string"
	case rawjson.KindNumber:
		if strings.ContainsAny(v.Text, ".eE") {
			return "number"
		}
		return "integer"
	case rawjson.KindTrue, rawjson.KindFalse:
		return "boolean"
	case rawjson.KindObject:
		return "object"
	case rawjson.KindArray:
		return "array"
	}
	return "null"
}

// perType makes an alternative of each type.
func (c *converter) perType(s *shape, at *place, depth int) (node, *undo) {
	list := c.arena.array()
	var u undo
	c.arena.keep = true
	for _, t := range s.types {
		one := *s
		one.types, one.desc, one.null = []string{t}, "", false
		one.rest = slices.DeleteFunc(slices.Clone(s.rest), func(k *node) bool { return !belongs(k.Name, t) })
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
	if s.null && !c.form.nullable {
		list.Kids = append(list.Kids, c.arena.typed("null"))
	}
	out := c.described(s.desc, notes)
	out.Set("anyOf", list)
	if s.null && c.form.nullable {
		out.Set("nullable", truth(true))
	}
	return out, u.orNil()
}

// belongs tells whether a constraint speaks of values of a type.
func belongs(keyword, typ string) bool {
	switch keyword {
	case "default", "examples":
		return false
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return typ == "number" || typ == "integer"
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType":
		return typ == "string"
	case "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "additionalItems", "unevaluatedItems":
		return typ == "array"
	case "not", "if", "then", "else":
		return true
	}
	return typ == "object"
}

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

// free tells of an object whose members are not known.
func free(s *shape, f *form) bool { return len(s.props) == 0 && !f.open }

// freeObject declares an object with any members.
func (c *converter) freeObject(s *shape, at *place) (node, *undo) {
	switch {
	case c.form.closed && (s.more == nil || s.more.Kind != rawjson.KindFalse):
		c.cannot(at, "an object with members of any name")
	case c.form.nullable:
		c.lose(at, "an object without known members: declared as JSON text")
		s.types = []string{"string"}
		s.desc = withNotes(s.desc, append([]string{"an object, written as JSON text"}, c.members(s)...))
		s.rest = slices.DeleteFunc(s.rest, func(k *node) bool { return k.Name != "examples" })
		return c.scalar(s, at), &undo{text: true}
	}
	out := c.arena.typed("object")
	switch {
	case c.form.closed:
		out.Set("properties", object())
		out.Set("required", array())
		out.Set("additionalProperties", truth(false))
	case c.form.open && s.more != nil:
		out.Set("additionalProperties", c.additional(s.more, at))
	case s.more != nil && s.more.Kind == rawjson.KindObject:
		c.lose(at.to("additionalProperties"), "dropped")
		s.desc = withNotes(s.desc, c.members(s))
	}
	return c.finish(out, s, at), nil
}

// members describes what the members of a free object are.
func (c *converter) members(s *shape) []string {
	if s.more == nil || s.more.Kind != rawjson.KindObject || len(s.more.Kids) == 0 {
		return nil
	}
	if t := s.more.Get("type"); t.Content() != "" && len(s.more.Kids) == 1 {
		return []string{"its members are of type " + t.Content()}
	}
	if raw := s.more.String(); len(raw) <= maxNote {
		return []string{"each member: " + raw}
	}
	return nil
}

// additional is additionalProperties where it may be said.
func (c *converter) additional(more *node, at *place) node {
	if more.Kind != rawjson.KindObject {
		return bare(*more)
	}
	out, _ := c.schema(more, at.to("additionalProperties"), 0, false)
	return out
}

func (c *converter) array(s *shape, at *place, depth int) (node, *undo) {
	out := c.arena.typed("array")
	u := undo{}
	outer := c.form
	if outer.items != nil {
		c.form = outer.items
	}
	switch {
	case len(s.tuple) > 0 && c.form.tuples:
		list := array()
		for i := range s.tuple {
			item, _ := c.schema(&s.tuple[i], at.to("prefixItems").item(i), depth, false)
			list.Kids = append(list.Kids, bare(item))
		}
		out.Set("prefixItems", list)
		if s.items != nil {
			item, _ := c.schema(s.items, at.to("items"), depth, false)
			out.Set("items", item)
		}
	default:
		item := s.item()
		if len(s.tuple) > 0 {
			c.lose(at.to("prefixItems"), "a list with a schema for each place: declared as a list of any of them")
		}
		declared, sub := c.schema(item, c.arena.step(at, "items"), depth, false)
		out.Set("items", bare(declared))
		u.items = sub
	}
	c.form = outer
	return c.finish(out, s, at), u.orNil()
}

// item is what each item is; a list that does not say so gets any.
func (s *shape) item() *node {
	if len(s.tuple) > 0 {
		return ptr(object(named("anyOf", array(s.tuple...))))
	}
	if s.items != nil {
		return s.items
	}
	return ptr(object())
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

// untyped declares what may be anything.
func (c *converter) untyped(s *shape, at *place) (node, *undo) {
	switch {
	case c.form.closed:
		c.cannot(at, "a value of any type")
		return object(), nil
	case c.form.anything:
		s.null = false
		return c.finish(c.arena.object(), s, at), nil
	}
	c.lose(at, "a value of any type: declared as text, number or truth")
	notes := c.beside(s, at)
	out := c.described(s.desc, notes)
	list := array()
	for _, t := range []string{"string", "number", "boolean"} {
		list.Kids = append(list.Kids, c.arena.typed(t))
	}
	out.Set("anyOf", list)
	return out, nil
}

// values declares an enumeration.
func (c *converter) values(s *shape, at *place) (node, *undo) {
	allowed, u := s.enum, (*undo)(nil)
	plain := !slices.ContainsFunc(allowed, func(v node) bool {
		return v.Kind == rawjson.KindObject || v.Kind == rawjson.KindArray || v.Kind == rawjson.KindNull
	})
	switch {
	case len(allowed) == 0: // nothing would be allowed: a list that its maker forgot to fill
		c.lose(at.to("enum"), "an empty list, dropped")
		s.listed = false
		return c.typed(s, at, 0)
	case c.form.texts && plain && !onlyTruths(allowed):
		allowed, u = asTexts(allowed)
		s.types = []string{"string"}
		s.rest = slices.DeleteFunc(s.rest, func(k *node) bool { return k.Name == "default" && k.Kind != rawjson.KindString || k.Name == "format" })
	case c.form.texts, c.form.scalars && onlyTruths(allowed), !plain:
		c.lose(at.to("enum"), "only text can be listed: in the description")
		s.desc = withNotes(s.desc, []string{"one of " + strings.Trim(ptr(array(allowed...)).String(), "[]")})
		s.listed = false
		if len(s.types) == 1 && s.types[0] != "object" && s.types[0] != "array" {
			return c.scalar(s, at), nil
		}
		return c.untyped(s, at)
	}
	if len(s.types) > 1 {
		s.types = fitting(s.types, allowed)
	}
	if len(s.types) > 1 && !c.form.typeLists {
		return c.enumPerType(s, at, allowed)
	}
	out := c.arena.object(named("type", c.typeNode(s.types)))
	out = c.finish(out, s, at)
	list := c.arena.array(allowed...)
	if t := out.Get("type"); t != nil && t.Kind == rawjson.KindArray && s.null {
		list.Kids = append(list.Kids, literal(rawjson.KindNull, "null"))
	}
	out = withEnum(out, list)
	return out, u
}

// withEnum puts the values into the schema, inside of the alternative to null where there is one.
func withEnum(out, list node) node {
	if alts := out.Get("anyOf"); alts != nil {
		alts.Kids[0].Set("enum", list)
		return out
	}
	out.Set("enum", list)
	return out
}

func (c *converter) enumPerType(s *shape, at *place, allowed []node) (node, *undo) {
	list := array()
	for _, t := range s.types {
		values := slices.DeleteFunc(slices.Clone(allowed), func(v node) bool { return !is(v, t) })
		list.Kids = append(list.Kids, object(named("type", text(t)), named("enum", array(values...))))
	}
	if s.null {
		list.Kids = append(list.Kids, c.arena.typed("null"))
	}
	out := c.described(s.desc, c.beside(s, at))
	out.Set("anyOf", list)
	return out, nil
}

func is(v node, t string) bool {
	own := typeOf(v)
	return own == t || own == "integer" && t == "number"
}

// fitting are the types that the values have.
func fitting(types []string, values []node) []string {
	out := slices.DeleteFunc(slices.Clone(types), func(t string) bool {
		return !slices.ContainsFunc(values, func(v node) bool { return is(v, t) })
	})
	if slices.Contains(out, "number") {
		out = slices.DeleteFunc(out, func(t string) bool { return t == "integer" })
	}
	if len(out) == 0 {
		return types
	}
	return out
}

func onlyTruths(values []node) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v node) bool { return v.Kind != rawjson.KindTrue && v.Kind != rawjson.KindFalse })
}

// asTexts writes values as strings, and what they were.
func asTexts(values []node) ([]node, *undo) {
	out := make([]node, 0, len(values))
	u := undo{values: map[string]string{}}
	for _, v := range values {
		s := v
		if v.Kind != rawjson.KindString {
			s = text(v.Text)
			u.values[v.Text] = v.Text
		}
		if listed(out, &s) { // "1" beside 1: the text counts
			delete(u.values, s.Content())
			continue
		}
		out = append(out, s)
	}
	return out, u.orNil()
}

func ptr[T any](v T) *T { return &v }

// bound is what an exclusive bound of whole numbers comes to.
func bound(k *node, typ string) (string, string, bool) {
	i, err := strconv.ParseInt(k.Text, 10, 53)
	if typ != "integer" || err != nil {
		return "", "", false
	}
	switch k.Name {
	case "exclusiveMinimum":
		return "minimum", strconv.FormatInt(i+1, 10), true
	case "exclusiveMaximum":
		return "maximum", strconv.FormatInt(i-1, 10), true
	}
	return "", "", false
}
