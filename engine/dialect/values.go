package dialect

import (
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// enumTypes are the types of listed values, each once.
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

// typeOf is the narrowest type of JSON Schema that a value has.
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

// untyped declares what may be anything. Where a type is demanded it becomes what most models can be told to send.
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
	allowed := s.enum
	switch {
	case len(allowed) == 0: // nothing would be allowed: a list that its maker forgot to fill
		c.lose(at.to("enum"), "an empty list, dropped")
		s.listed = false
		return c.typed(s, at, 0)
	case !allScalars(allowed), c.form.texts && onlyTruths(allowed), c.form.scalars && onlyTruths(allowed):
		return c.valuesInWords(s, at)
	case c.form.texts:
		texts, u := asTexts(allowed)
		s.types = []string{"string"}
		s.rest = slices.DeleteFunc(s.rest, unfitForTexts)
		return c.enum(s, at, texts), u
	}
	return c.enum(s, at, allowed), nil
}

// unfitForTexts are constraints of values that were no texts before.
func unfitForTexts(k *node) bool {
	return k.Name == "format" || k.Name == "default" && k.Kind != rawjson.KindString
}

// valuesInWords describes values that the provider cannot list. Another value is refused at call time, by the tool's
// own schema.
func (c *converter) valuesInWords(s *shape, at *place) (node, *undo) {
	c.lose(at.to("enum"), "only text can be listed: in the description")
	list := array(s.enum...)
	s.desc = withNotes(s.desc, []string{"one of " + strings.Trim(list.String(), "[]")})
	s.listed = false
	if len(s.types) == 1 && onlyScalars(s.types) {
		return c.scalar(s, at), nil
	}
	return c.untyped(s, at)
}

// enum declares the values that are allowed, all of them scalars.
func (c *converter) enum(s *shape, at *place, allowed []node) node {
	if len(s.types) > 1 {
		s.types = fitting(s.types, allowed)
	}
	if len(s.types) > 1 && !c.form.typeLists {
		return c.enumPerType(s, at, allowed)
	}
	out := c.scalar(s, at)
	list := c.arena.array(allowed...)
	if t := out.Get("type"); s.null && t != nil && t.Kind == rawjson.KindArray {
		list.Kids = append(list.Kids, literal(rawjson.KindNull, "null"))
	}
	return withEnum(out, list)
}

func allScalars(values []node) bool {
	return !slices.ContainsFunc(values, func(v node) bool {
		return v.Kind == rawjson.KindObject || v.Kind == rawjson.KindArray || v.Kind == rawjson.KindNull
	})
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

// enumPerType lists the values of each type for themselves, where a schema has one type only.
func (c *converter) enumPerType(s *shape, at *place, allowed []node) node {
	list := array()
	for _, t := range s.types {
		values := slices.DeleteFunc(slices.Clone(allowed), func(v node) bool { return !is(v, t) })
		one := object(named("type", text(t)), named("enum", array(values...)))
		list.Kids = append(list.Kids, one)
	}
	if s.null {
		list.Kids = append(list.Kids, c.arena.typed("null"))
	}
	out := c.described(s.desc, c.beside(s, at))
	out.Set("anyOf", list)
	return out
}

// is tells whether a value has a type: a whole number is a number, too.
func is(v node, t string) bool {
	own := typeOf(v)
	return own == t || own == "integer" && t == "number"
}

// fitting are the types that the values have: a type without a value among those listed allows nothing. Whole numbers
// need no type of their own beside number.
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

// onlyTruths tells of lists like [true], which say more than a type does and cannot be texts.
func onlyTruths(values []node) bool {
	other := func(v node) bool { return !v.Kind.IsBool() }
	return len(values) > 0 && !slices.ContainsFunc(values, other)
}

// asTexts writes values as strings, and what they were: Gemini lists nothing else.
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

// bound is the inclusive bound that an exclusive one of whole numbers comes to: more providers take that.
func bound(k *node, typ string) (node, bool) {
	if typ != "integer" {
		return node{}, false
	}
	i, err := strconv.ParseInt(k.Text, 10, 53) // what a float64 holds exactly
	if err != nil {
		return node{}, false
	}
	name := ""
	switch k.Name {
	case "exclusiveMinimum":
		name = "minimum"
		i++
	case "exclusiveMaximum":
		name = "maximum"
		i--
	default:
		return node{}, false
	}
	return named(name, literal(rawjson.KindNumber, strconv.FormatInt(i, 10))), true
}
