package dialect

import (
	"slices"

	rawjson "helve/internal/json"
)

// maxNote is how much of a removed constraint goes into the description, in bytes: more than that no model keeps in mind.
const maxNote = 160

// finish adds to a schema its constraints, null and the description, in this order of judging; type stands first.
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
		if name, raw, ok := bound(k, typ); ok && slices.Contains(c.form.keep, name) {
			kept = append(kept, named(name, literal(rawjson.KindNumber, raw)))
			continue
		}
		notes = append(notes, c.note(k, at)...)
	}
	if d := s.description(notes); d.Kind != 0 {
		out.Kids = slices.Insert(out.Kids, min(1, len(out.Kids)), d)
	}
	for _, k := range kept {
		if out.Get(k.Name) == nil {
			out.Kids = append(out.Kids, k)
		}
	}
	if s.null {
		out = c.orNull(out)
	}
	return out
}

// description is the member of that name, nothing if there is none. What was not changed keeps its spelling.
func (s *shape) description(notes []string) node {
	switch desc := withNotes(s.desc, notes); {
	case desc == "":
		return node{}
	case desc == s.said && s.spelled != "":
		return node{Kind: rawjson.KindString, Name: "description", Text: desc, Raw: s.spelled}
	default:
		return named("description", text(desc))
	}
}

// keeps tells whether a constraint stays.
func (c *converter) keeps(k *node) bool {
	switch {
	case k.Name == "format":
		return c.form.formats == nil || slices.Contains(c.form.formats, k.Content())
	case !slices.Contains(c.form.keep, k.Name):
		return false
	case k.Name == "minItems" && c.form.closed && !slices.Contains(c.form.keep, "maxItems"): // Anthropic takes 0 and 1
		return k.Text == "0" || k.Text == "1"
	case k.Name == "exclusiveMinimum" || k.Name == "exclusiveMaximum":
		return k.Kind == rawjson.KindNumber // in the oldest draft it is a truth
	case k.Name == "default":
		return k.Kind != rawjson.KindNull
	}
	return true
}

// words are how constraints read in a description.
var words = map[string]string{
	"minimum": "at least ", "maximum": "at most ", "exclusiveMinimum": "more than ", "exclusiveMaximum": "less than ", "multipleOf": "a multiple of ",
	"minLength": "length at least ", "maxLength": "length at most ", "pattern": "matches ", "format": "format ", "minItems": "items at least ",
	"maxItems": "items at most ", "default": "default ", "examples": "for example ", "minProperties": "members at least ", "maxProperties": "members at most ",
}

// note is the words for a constraint that goes, and reports it.
func (c *converter) note(k *node, at *place) []string {
	raw := k.String()
	if k.Kind == rawjson.KindString && (k.Name == "format" || k.Name == "pattern") {
		raw = k.Content()
	}
	lead, known := words[k.Name]
	if !known {
		lead = k.Name + " "
	}
	switch {
	case k.Name == "uniqueItems" && k.Kind == rawjson.KindTrue:
		lead, raw = "no item twice", ""
	case k.Kind == rawjson.KindNull && k.Name == "default", k.Kind == rawjson.KindArray && k.Name == "examples" && len(k.Kids) == 0, k.Name == "uniqueItems":
		return nil
	case len(raw) > maxNote:
		c.lose(at.to(k.Name), "dropped")
		return nil
	}
	c.lose(at.to(k.Name), "in the description")
	return []string{lead + raw}
}

// orNull lets a schema be null, too.
func (c *converter) orNull(out node) node {
	t := out.Get("type")
	switch {
	case c.form.nullable:
		out.Set("nullable", truth(true))
	case t == nil:
	case !c.form.typeLists:
		null := c.arena.typed("null")
		outer := c.arena.object()
		if d := out.Get("description"); d != nil {
			outer.Set("description", *d)
			out.Kids = slices.DeleteFunc(out.Kids, func(k node) bool { return k.Name == "description" })
		}
		outer.Set("anyOf", c.arena.array(out, null))
		return outer
	case t.Kind == rawjson.KindArray:
		t.Kids = append(slices.Clip(t.Kids), text("null"))
	default:
		out.Set("type", c.arena.array(bare(*t), text("null")))
	}
	return out
}
