package stub

import (
	rawjson "helve/internal/json"

	"helve/engine/schema"
)

// maxFieldDepth bounds how deep fields are looked for, and maxShapes how many there are of one schema, which may hold
// itself: no data of a tool nests deeper or has more.
const (
	maxFieldDepth = 8
	maxShapes     = 2000
)

// A Shape says what data of a schema is made of, as far as a reader wants to know it who looks for what was left out.
type Shape struct {
	Kind   string            `json:"kind,omitempty"`   // str, int, float, bool, list, or "" for any
	Fields map[string]*Shape `json:"fields,omitempty"` // of an object
	Items  *Shape            `json:"items,omitempty"`  // of a list
}

// Fields is the shape of the data that a schema describes; nil: there is no schema.
func Fields(s *schema.Schema) *Shape {
	if s == nil {
		return nil
	}
	r := shaper{root: s.JSON(), room: maxShapes}
	return r.shape(r.root, 0)
}

// A shaper reads the shape of one schema.
type shaper struct {
	root []byte
	room int // shapes that may still be made
}

// shape is the shape of a part of the schema; nil: nothing is known of it.
func (r *shaper) shape(schema []byte, depth int) *Shape {
	schema = resolved(r.root, schema)
	r.room--
	if schema == nil || depth > maxFieldDepth || r.room < 0 {
		return nil
	}
	out := &Shape{Kind: kindOf(schema)}
	members, err := rawjson.Object(rawjson.Get(schema, "properties"))
	if err == nil && len(members) > 0 {
		out.Fields = make(map[string]*Shape, len(members))
		for _, m := range members {
			out.Fields[m.Key] = r.shape(m.Value, depth+1)
		}
	}
	if items := rawjson.Get(schema, "items"); items != nil {
		out.Items = r.shape(items, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		for _, one := range elements(rawjson.Get(schema, word)) {
			out = out.either(r.shape(one, depth+1))
		}
	}
	return out
}

// either is a shape of which data may be of the other, too: it has the fields of both, and a kind where both have it.
func (s *Shape) either(other *Shape) *Shape {
	switch {
	case s == nil:
		return other
	case other == nil:
		return s
	}
	out := &Shape{Fields: map[string]*Shape{}, Items: s.Items.either(other.Items)}
	if s.Kind == other.Kind {
		out.Kind = s.Kind
	}
	for _, of := range []*Shape{s, other} {
		for name, field := range of.Fields {
			out.Fields[name] = out.Fields[name].either(field)
		}
	}
	return out
}

// Loose is a shape whose fields may be anything: of data in which somebody else leaves something out.
func (s *Shape) Loose() *Shape {
	if s == nil {
		return nil
	}
	out := &Shape{Items: s.Items.Loose()}
	if s.Fields != nil {
		out.Fields = make(map[string]*Shape, len(s.Fields))
	}
	for name, field := range s.Fields {
		out.Fields[name] = field.Loose()
	}
	return out
}

// kindOf is the type that the value of a schema has; "": any.
func kindOf(schema []byte) string {
	word, _ := rawjson.String(rawjson.Get(schema, "type"))
	if word == "array" {
		return "list"
	}
	return scalar(word)
}
