package dialect

import (
	"slices"
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
			kept = append(kept, named(name, node{kind: '0', raw: raw}))
			continue
		}
		notes = append(notes, c.note(k, at)...)
	}
	if d := s.description(notes); d.kind != 0 {
		out.kids = slices.Insert(out.kids, min(1, len(out.kids)), d)
	}
	for _, k := range kept {
		if out.get(k.name) == nil {
			out.kids = append(out.kids, k)
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
		return node{kind: '"', name: "description", raw: s.spelled}
	default:
		return named("description", text(desc))
	}
}

// keeps tells whether a constraint stays.
func (c *converter) keeps(k *node) bool {
	switch {
	case k.name == "format":
		return c.form.formats == nil || slices.Contains(c.form.formats, k.text())
	case !slices.Contains(c.form.keep, k.name):
		return false
	case k.name == "minItems" && c.form.closed && !slices.Contains(c.form.keep, "maxItems"): // Anthropic takes 0 and 1
		return k.raw == "0" || k.raw == "1"
	case k.name == "exclusiveMinimum" || k.name == "exclusiveMaximum":
		return k.kind == '0' // in the oldest draft it is a truth
	case k.name == "default":
		return k.kind != 'n'
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
	if k.kind == '"' && (k.name == "format" || k.name == "pattern") {
		raw = k.text()
	}
	lead, known := words[k.name]
	if !known {
		lead = k.name + " "
	}
	switch {
	case k.name == "uniqueItems" && k.kind == 't':
		lead, raw = "no item twice", ""
	case k.kind == 'n' && k.name == "default", k.kind == '[' && k.name == "examples" && len(k.kids) == 0, k.name == "uniqueItems":
		return nil
	case len(raw) > maxNote:
		c.lose(at.to(k.name), "dropped")
		return nil
	}
	c.lose(at.to(k.name), "in the description")
	return []string{lead + raw}
}

// orNull lets a schema be null, too.
func (c *converter) orNull(out node) node {
	t := out.get("type")
	switch {
	case c.form.nullable:
		out.set("nullable", truth(true))
	case t == nil:
	case !c.form.typeLists:
		null := c.arena.typed("null")
		outer := c.arena.object()
		if d := out.get("description"); d != nil {
			outer.set("description", *d)
			out.kids = slices.DeleteFunc(out.kids, func(k node) bool { return k.name == "description" })
		}
		outer.set("anyOf", c.arena.array(out, null))
		return outer
	case t.kind == '[':
		t.kids = append(slices.Clip(t.kids), text("null"))
	default:
		out.set("type", c.arena.array(bare(*t), text("null")))
	}
	return out
}
