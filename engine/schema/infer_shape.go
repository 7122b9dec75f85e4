package schema

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	rawjson "helve/internal/json"
)

// A shape is the schema of a Go type before it is written.
type shape struct {
	kind        string // the type; "" for any
	own         string // the keywords of a type that says its own schema
	title       string
	description string
	enum        []json.RawMessage
	fallback    json.RawMessage // the default
	items       *shape          // of a list
	fields      []property      // of a struct, not nil
	names       string          // of a map: the pattern of its names, "" for any
	values      *shape          // of a map
	closed      bool            // no other properties
	limits      []limit
	format      string
	encoding    string
	unsigned    bool
	nullable    bool // null is taken, too
	examples    []json.RawMessage
	remarks     []string // keywords that are true and judge nothing
}

// A limit is a keyword of numbers, texts or lists, with its value as JSON.
type limit struct {
	word  string
	value string
}

type property struct {
	name     string
	shape    *shape
	required bool
}

// limitOrder is the order in which the limits are written.
var limitOrder = []string{
	"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "format",
}

// set replaces a limit. One that a tag gives an unsigned number at its lower end stands in for the
// 0.
func (s *shape) set(word, value string) {
	s.limits = slices.DeleteFunc(s.limits, func(l limit) bool {
		return l.word == word || s.unsigned && word == "exclusiveMinimum" && l.word == "minimum"
	})
	s.limits = append(s.limits, limit{word, value})
}

// append writes the shape, its keywords in the order in which a person or a model reads them best.
func (s *shape) append(b []byte) []byte {
	w := objectWriter{b: append(append(b, '{'), s.own...), some: s.own != ""}
	if s.nullable && s.kind != "" {
		w.raw("type", json.RawMessage(`["`+s.kind+`","null"]`))
	} else {
		w.text("type", s.kind)
	}
	w.text("title", s.title)
	w.text("description", s.description)
	w.list("enum", s.choices())
	w.raw("default", s.fallback)
	w.list("examples", s.examples)
	if s.items != nil {
		w.shape("items", s.items)
	}
	if s.fields != nil {
		w.properties(s.fields)
	}
	w.mapping(s)
	rank := func(i int) int { return slices.Index(limitOrder, s.limits[i].word) }
	sort.SliceStable(s.limits, func(i, j int) bool { return rank(i) < rank(j) })
	for _, l := range s.limits {
		w.raw(l.word, json.RawMessage(l.value))
	}
	w.text("format", s.format)
	w.text("contentEncoding", s.encoding)
	w.required(s.fields)
	if s.closed {
		w.raw("additionalProperties", json.RawMessage("false"))
	}
	for _, word := range s.remarks {
		w.raw(word, json.RawMessage("true"))
	}
	return append(w.b, '}')
}

// choices are the values of an enum; null is one of them where it is taken.
func (s *shape) choices() []json.RawMessage {
	if !s.nullable || len(s.enum) == 0 {
		return s.enum
	}
	return append(slices.Clone(s.enum), json.RawMessage("null"))
}

// An objectWriter is a JSON object on its way out. What is empty is left out.
type objectWriter struct {
	b    []byte
	some bool
}

// name begins a member.
func (w *objectWriter) name(name string) {
	if w.some {
		w.b = append(w.b, ',')
	}
	w.some = true
	w.b = append(rawjson.AppendString(w.b, name), ':')
}

// text writes a member that is a text; an empty one says nothing and is left out.
func (w *objectWriter) text(name, value string) {
	if value != "" {
		w.name(name)
		w.b = rawjson.AppendString(w.b, value)
	}
}

// raw writes a member that is JSON already; nil is left out.
func (w *objectWriter) raw(name string, value json.RawMessage) {
	if value != nil {
		w.name(name)
		w.b = append(w.b, value...)
	}
}

func (w *objectWriter) shape(name string, s *shape) {
	w.name(name)
	w.b = s.append(w.b)
}

// list writes a member that is a list; an empty one is left out, for an enum of nothing would take
// nothing.
func (w *objectWriter) list(name string, values []json.RawMessage) {
	if len(values) == 0 {
		return
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, string(v))
	}
	w.raw(name, json.RawMessage("["+strings.Join(texts, ",")+"]"))
}

// properties writes the fields in the order of the struct, which is the order in which a model
// reads and writes them.
func (w *objectWriter) properties(fields []property) {
	w.name("properties")
	inner := objectWriter{b: append(w.b, '{')}
	for _, f := range fields {
		inner.shape(f.name, f.shape)
	}
	w.b = append(inner.b, '}')
}

// mapping says what the values of a map are; those of any type need no word.
func (w *objectWriter) mapping(s *shape) {
	switch {
	case s.values == nil:
	case s.names != "":
		w.name("patternProperties")
		inner := objectWriter{b: append(w.b, '{')}
		inner.shape(s.names, s.values)
		w.b = append(inner.b, '}')
	case s.values.kind != "":
		w.shape("additionalProperties", s.values)
	}
}

// required lists the fields that must be there.
func (w *objectWriter) required(fields []property) {
	var names []json.RawMessage
	for _, f := range fields {
		if f.required {
			names = append(names, rawjson.AppendString(nil, f.name))
		}
	}
	w.list("required", names)
}
