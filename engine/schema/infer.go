package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// For returns the schema of the struct T, or of what the pointer T points at, for arguments that
// encoding/json decodes into it. The same T gives the same bytes. Property names and order are
// those of the fields, embedded ones in their place; objects are closed (additionalProperties
// false), and there are no references.
//
// A property is required unless its field has omitempty or omitzero, is a pointer, or has a
// default; the tag jsonschema:"required" requires it all the same.
//
// The jsonschema tag has one of two forms. One that begins with word=, with required or with nullable is a list of
// keywords, separated by commas, as github.com/invopop/jsonschema reads it; every other is a description, as the
// official MCP SDK reads it. The keywords are required, nullable, and with a value:
//
//	of every field    title, description, enum and example (one for each value), default,
//	                  deprecated, readOnly and writeOnly (true or false)
//	of texts          minLength, maxLength, pattern, format
//	of numbers        minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
//	of lists          minItems, maxItems, uniqueItems; all others but title and description are of the items
//
// A comma in a value is written \\, and jsonschema_description takes a whole description as it is.
// jsonschema:"-" leaves a field out.
//
// A type says its own schema with a method JSONSchema() string; title and description of the field
// are added to it.
//
// any and json.RawMessage accept everything, time.Time is a text in the form of RFC 3339,
// time.Duration is what encoding/json makes of it, nanoseconds, []byte is base64, a type that reads
// itself from text (encoding.TextUnmarshaler) is a text, and one that reads itself from JSON
// accepts everything. Unsigned numbers have the minimum 0; that a whole number fits into its Go
// type is for encoding/json to find.
//
// Types that contain themselves, functions, channels, complex numbers, interfaces with methods,
// maps by other keys than texts and whole numbers, two fields of one name, and tags that make no
// sense are errors, which name the field.
func For[T any]() (*Schema, error) { return ForType(reflect.TypeFor[T]()) }

// ForType is For of a type that is known at run time only. One that is Inferred is asked.
func ForType(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := inferred(t); s != nil {
		return s, nil
	}
	return Infer(t)
}

// Infer is ForType without asking the type.
func Infer(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema: %s: want a struct, whose fields are the parameters", t)
	}
	shape, err := (&inferrer{}).object(t)
	if err != nil {
		return nil, fmt.Errorf("schema: %s: %w", t, err)
	}
	return &Schema{raw: shape.append(nil)}, nil
}

// Later is the schema of a type, inferred when somebody first asks for it: what a tool promises of its results is seldom
// asked for. A type that has none panics then.
func Later(t reflect.Type) *Schema {
	return &Schema{later: sync.OnceValue(func() []byte {
		s, err := ForType(t)
		if err != nil {
			panic(err)
		}
		return s.raw
	})}
}

// An inferrer reads Go types. within are the types that it is in: a type that comes again would
// never end.
type inferrer struct{ within []reflect.Type }

// Types that encoding/json does not take for what their kind says.
var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	numberType  = reflect.TypeFor[json.Number]()
	timeType    = reflect.TypeFor[time.Time]()
	describes   = reflect.TypeFor[interface{ JSONSchema() string }]()
	readsJSON   = reflect.TypeFor[json.Unmarshaler]()
	readsText   = reflect.TypeFor[encoding.TextUnmarshaler]()
	errNoSchema = errors.New("has no JSON form")
)

// of is the shape of a value. The order of the cases is that in which encoding/json looks at a
// type.
func (r *inferrer) of(t reflect.Type) (*shape, error) {
	switch {
	case t.Kind() == reflect.Pointer:
		return r.enter(t, func() (*shape, error) { return r.of(t.Elem()) })
	case implements(t, describes):
		return described(t)
	case t == timeType:
		return &shape{kind: "string", format: "date-time"}, nil
	case t == numberType:
		return &shape{kind: "number"}, nil
	case t == rawType, implements(t, readsJSON):
		return &shape{}, nil
	case implements(t, readsText):
		return &shape{kind: "string"}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return &shape{kind: "boolean"}, nil
	case reflect.String:
		return &shape{kind: "string"}, nil
	case reflect.Float32, reflect.Float64:
		return &shape{kind: "number"}, nil
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return r.enter(t, func() (*shape, error) { return r.composed(t) })
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &shape{}, nil
		}
		return nil, fmt.Errorf("%s is an interface with methods, which encoding/json cannot decode into", t)
	}
	switch {
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return &shape{kind: "integer"}, nil
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		return &shape{kind: "integer", unsigned: true, limits: []limit{{"minimum", "0"}}}, nil
	}
	return nil, fmt.Errorf("%s %w", t, errNoSchema)
}

// described is what a type says of itself.
func described(t reflect.Type) (*shape, error) {
	says := reflect.New(t).Interface().(interface{ JSONSchema() string }).JSONSchema()
	s, err := Parse(json.RawMessage(says))
	if err != nil {
		return nil, fmt.Errorf("%s: JSONSchema: %w", t, err)
	}
	own := string(s.JSON())
	return &shape{own: own[1 : len(own)-1]}, nil
}

// implements tells that a value of the type, or its address, which encoding/json takes, has the
// methods.
func implements(t, methods reflect.Type) bool {
	return t.Implements(methods) || reflect.PointerTo(t).Implements(methods)
}

// enter reads a type that is made of others.
func (r *inferrer) enter(t reflect.Type, read func() (*shape, error)) (*shape, error) {
	for _, above := range r.within {
		if above == t {
			return nil, fmt.Errorf("%s contains itself: a schema without references cannot say that", t)
		}
	}
	if len(r.within) > maxSchemaDepth {
		return nil, fmt.Errorf("%s nests deeper than %d types", t, maxSchemaDepth)
	}
	r.within = append(r.within, t)
	s, err := read()
	r.within = r.within[:len(r.within)-1]
	return s, err
}

func (r *inferrer) composed(t reflect.Type) (*shape, error) {
	switch t.Kind() {
	case reflect.Struct:
		return r.properties(t)
	case reflect.Map:
		return r.mapping(t)
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return &shape{kind: "string", encoding: "base64"}, nil
	}
	items, err := r.of(t.Elem())
	if err != nil {
		return nil, err
	}
	s := &shape{kind: "array", items: items}
	if t.Kind() == reflect.Array {
		s.set("maxItems", fmt.Sprint(t.Len()))
		s.set("minItems", fmt.Sprint(t.Len()))
	}
	return s, nil
}

// mapping is an object with any names; those of whole numbers have a form.
func (r *inferrer) mapping(t reflect.Type) (*shape, error) {
	values, err := r.of(t.Elem())
	if err != nil {
		return nil, err
	}
	s := &shape{kind: "object"}
	switch kind := t.Key().Kind(); {
	case kind == reflect.String, implements(t.Key(), readsText):
		s.values = values
	case kind >= reflect.Int && kind <= reflect.Int64:
		s.names, s.values, s.closed = "^-?[0-9]+$", values, true
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		s.names, s.values, s.closed = "^[0-9]+$", values, true
	default:
		return nil, fmt.Errorf("%s: the keys of an object are texts or whole numbers", t)
	}
	return s, nil
}

// object is the shape of a struct whatever methods it has: the parameters of a tool.
func (r *inferrer) object(t reflect.Type) (*shape, error) {
	return r.enter(t, func() (*shape, error) { return r.properties(t) })
}

func (r *inferrer) properties(t reflect.Type) (*shape, error) {
	found, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	s := &shape{kind: "object", closed: true, fields: []property{}}
	for _, f := range found {
		p, err := r.property(f)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		s.fields = append(s.fields, p)
	}
	return s, nil
}

func (r *inferrer) property(f field) (property, error) {
	s, err := r.of(f.Type)
	if err != nil {
		return property{}, err
	}
	if f.quoted && (s.kind == "integer" || s.kind == "number" || s.kind == "boolean") {
		s = &shape{kind: "string"} // what json:",string" makes of it
	}
	tagged, err := s.tag(f.Tag)
	if err != nil {
		return property{}, err
	}
	optional := f.optional || f.Type.Kind() == reflect.Pointer || s.fallback != nil
	return property{f.name, s, tagged || !optional}, nil
}
