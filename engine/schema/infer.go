package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// For returns the schema of the struct T, or of what the pointer T points at, for arguments that encoding/json decodes
// into it. Property names and order are those of the fields. The jsonschema tag gives description, enum, default,
// minimum, maximum, minLength, maxLength, pattern, minItems, maxItems and format (see github.com/invopop/jsonschema;
// a comma inside a value is written \\,), or jsonschema_description a whole description. Objects are closed
// (additionalProperties false), references are inlined.
//
// A property is required unless its field has omitempty or omitzero, is a pointer, or has a default; the jsonschema tag
// "required" requires it all the same. The same T gives the same bytes. Types that contain themselves, functions,
// channels and the like are errors, and so is a tag that makes no valid schema. Unsigned fields have the minimum 0; that
// a whole number fits into its Go type is otherwise for encoding/json to find.
func For[T any]() (*Schema, error) { return forType(reflect.TypeFor[T]()) }

func forType(t reflect.Type) (s *Schema, err error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema: %s: want a struct, whose fields are the parameters", t)
	}
	if loop := selfContaining(t, nil); loop != nil {
		return nil, fmt.Errorf("schema: %s: %s contains itself: a schema without references cannot say that", t, loop)
	}
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("schema: %s: %v", t, p)
		}
	}()
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	doc := r.ReflectFromType(t)
	doc.Version = ""
	require(doc, t)
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("schema: %s: %w", t, err)
	}
	return inferred(t, raw)
}

// inferred orders the keywords and makes sure that the tags made sense.
func inferred(t reflect.Type, raw []byte) (*Schema, error) {
	root, p, ok := parseTree(raw, maxSchemaDepth+reserve)
	if !ok {
		return nil, fmt.Errorf("schema: %s: byte %d: %s", t, p.at, p.why)
	}
	root.respell()
	arrange(&root)
	s := &Schema{raw: root.appendJSON(nil)}
	if notes := s.Notes(); len(notes) > 0 {
		return nil, fmt.Errorf("schema: %s: %s", t, strings.Join(notes, "; "))
	}
	return s, nil
}

// selfContaining returns a type that leads back to itself, nil for none.
func selfContaining(t reflect.Type, above []reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if slices.Contains(above, t) {
			return t
		}
		return selfContaining(t.Elem(), append(above, t))
	case reflect.Struct:
	default:
		return nil
	}
	if slices.Contains(above, t) {
		return t
	}
	if leaf(t) {
		return nil
	}
	for f := range fields(t) {
		if loop := selfContaining(f.Type, append(above, t)); loop != nil {
			return loop
		}
	}
	return nil
}

// leaf says whether the type has a schema of its own, whatever its fields are.
func leaf(t reflect.Type) bool {
	_, custom := t.MethodByName("JSONSchema")
	_, alias := t.MethodByName("JSONSchemaAlias")
	return custom || alias || t.PkgPath() == "time" || t.PkgPath() == "net/url"
}

func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// require corrects which properties are required: not pointers, not those with a default, unless a tag says so.
func require(doc *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if doc == nil || leaf(t) {
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		require(doc.Items, t.Elem())
	case reflect.Map:
		require(doc.AdditionalProperties, t.Elem())
	case reflect.Struct:
		for f := range fields(t) {
			requireField(doc, f)
		}
	}
}

func requireField(doc *jsonschema.Schema, f reflect.StructField) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous && name == "" {
		require(doc, f.Type)
		return
	}
	if name == "" {
		name = f.Name
	}
	if doc.Properties == nil {
		return
	}
	sub, ok := doc.Properties.Get(name)
	if !ok {
		return
	}
	require(sub, f.Type)
	if f.Type.Kind() >= reflect.Uint && f.Type.Kind() <= reflect.Uintptr && sub.Type == "integer" && sub.Minimum == "" {
		sub.Minimum = "0"
	}
	tagged := slices.Contains(strings.Split(f.Tag.Get("jsonschema"), ","), "required")
	if !tagged && (f.Type.Kind() == reflect.Pointer || sub.Default != nil) {
		doc.Required = slices.DeleteFunc(doc.Required, func(r string) bool { return r == name })
	}
}

// reading is the order in which a person or model reads a schema best.
var reading = [...]string{"type", "title", "description", "enum", "default", "properties", "required", "additionalProperties"}

// arrange puts the keywords of each schema into reading order, and writes {} for the schema true, which some providers
// refuse.
func arrange(n *node) {
	if n.kind == boolKind && n.text == "true" {
		*n = node{kind: objectKind, name: n.name}
		return
	}
	if n.kind != objectKind {
		return
	}
	rank := func(k node) int {
		if i := slices.Index(reading[:], k.name); i >= 0 {
			return i
		}
		return 5 // after default
	}
	slices.SortStableFunc(n.kids, func(x, y node) int { return rank(x) - rank(y) })
	_ = n.subschemas(func(sub *node, _ bool) error { arrange(sub); return nil })
}

// respell forgets how the source wrote the values: encoding/json writes < as \u003c.
func (n *node) respell() {
	n.raw = ""
	for i := range n.kids {
		n.kids[i].respell()
	}
}
