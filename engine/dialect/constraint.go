package dialect

import (
	"slices"

	rawjson "helve/internal/json"
)

// maxNote is how much of a removed constraint goes into the description, in bytes: more than that no model keeps in
// mind.
const maxNote = 160

// finish adds to a schema its constraints, the description and null. The description stands behind the type, where a
// model looks for it first.
func (c *converter) finish(out node, s *shape, at *place) node {
	typ := ""
	if len(s.types) == 1 {
		typ = s.types[0]
	}
	kept := c.arena.kids(len(s.rest))
	var notes []string
	for _, k := range s.rest {
		if c.keeps(k) {
			kept = append(kept, *k)
			continue
		}
		inclusive, ok := bound(k, typ)
		if ok && slices.Contains(c.form.keep, inclusive.Name) {
			kept = append(kept, inclusive)
			continue
		}
		notes = append(notes, c.note(k, at)...)
	}
	if d := s.description(notes); d.Kind != 0 {
		behindType := min(1, len(out.Kids))
		out.Kids = slices.Insert(out.Kids, behindType, d)
	}
	for _, k := range kept {
		if out.Get(k.Name) == nil {
			out.Kids = append(out.Kids, k)
		}
	}
	if s.null {
		return c.orNull(out)
	}
	return out
}

// description is the member of that name, nothing if there is none. What was not changed keeps its spelling.
func (s *shape) description(notes []string) node {
	desc := withNotes(s.desc, notes)
	switch {
	case desc == "":
		return node{}
	case desc == s.said && s.spelled != "":
		return node{Kind: rawjson.KindString, Name: "description", Text: desc, Raw: s.spelled}
	}
	return named("description", text(desc))
}

// keeps tells whether a constraint stays. Of some that a dialect knows it takes only part of the values.
func (c *converter) keeps(k *node) bool {
	keep := c.form.keep
	if k.Name == "format" {
		return c.form.formats == nil || slices.Contains(c.form.formats, k.Content())
	}
	if !slices.Contains(keep, k.Name) {
		return false
	}
	switch k.Name {
	case "minItems":
		onlyFew := c.form.closed && !slices.Contains(keep, "maxItems") // Anthropic takes 0 and 1
		return !onlyFew || k.Text == "0" || k.Text == "1"
	case "exclusiveMinimum", "exclusiveMaximum":
		return k.Kind == rawjson.KindNumber // in the oldest draft it is a truth
	case "default":
		return k.Kind != rawjson.KindNull
	}
	return true
}

// words are how constraints read in a description. Others are called by their keyword.
var words = map[string]string{
	"minimum":          "at least ",
	"maximum":          "at most ",
	"exclusiveMinimum": "more than ",
	"exclusiveMaximum": "less than ",
	"multipleOf":       "a multiple of ",
	"minLength":        "length at least ",
	"maxLength":        "length at most ",
	"pattern":          "matches ",
	"format":           "format ",
	"minItems":         "items at least ",
	"maxItems":         "items at most ",
	"default":          "default ",
	"examples":         "for example ",
	"minProperties":    "members at least ",
	"maxProperties":    "members at most ",
}

// note is the words for a constraint that goes, and reports it. The tool's own schema still holds the model to it.
func (c *converter) note(k *node, at *place) []string {
	if saysNothing(k) {
		return nil
	}
	said := constraintInWords(k)
	if said == "" {
		c.lose(at.to(k.Name), "dropped")
		return nil
	}
	c.lose(at.to(k.Name), "in the description")
	return []string{said}
}

// saysNothing tells of constraints that every value fulfils.
func saysNothing(k *node) bool {
	switch k.Name {
	case "uniqueItems":
		return k.Kind != rawjson.KindTrue
	case "default":
		return k.Kind == rawjson.KindNull
	case "examples":
		return k.Kind == rawjson.KindArray && len(k.Kids) == 0
	}
	return false
}

// constraintInWords is "" for what is too long.
func constraintInWords(k *node) string {
	if k.Name == "uniqueItems" {
		return "no item twice"
	}
	value := k.String()
	if k.IsString() && (k.Name == "format" || k.Name == "pattern") { // a name and a pattern read better without quotes
		value = k.Content()
	}
	if len(value) > maxNote {
		return ""
	}
	lead, known := words[k.Name]
	if !known {
		lead = k.Name + " "
	}
	return lead + value
}

// orNull lets a schema be null, too.
func (c *converter) orNull(out node) node {
	t := out.Get("type")
	switch {
	case c.form.nullable:
		out.Set("nullable", truth(true))
	case t == nil: // any value, null among them
	case !c.form.typeLists:
		return c.nullBeside(out)
	case t.Kind == rawjson.KindArray:
		t.Kids = append(slices.Clip(t.Kids), text("null"))
	default:
		out.Set("type", c.arena.array(bare(*t), text("null")))
	}
	return out
}

// nullBeside makes a schema and null two alternatives. The description is that of both.
func (c *converter) nullBeside(one node) node {
	outer := c.arena.object()
	if d := one.Get("description"); d != nil {
		outer.Set("description", *d)
		one.Kids = slices.DeleteFunc(one.Kids, func(k node) bool { return k.Name == "description" })
	}
	null := c.arena.typed("null")
	outer.Set("anyOf", c.arena.array(one, null))
	return outer
}
