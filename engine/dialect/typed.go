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
