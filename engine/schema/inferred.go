package schema

import "reflect"

// An Inferred type brings the schema that For infers of it, so that no start of a program has to: to read the fields
// and tags of forty types takes a tenth of one. Inferred returns the name of the type, since a struct that embeds one
// has its method but is another type, and the schema, which is believed: whoever writes such methods has a program
// write them, and a test compare them with Infer.
type Inferred interface {
	Inferred() (name, schema string)
}

var inferredType = reflect.TypeFor[Inferred]()

// inferred is the schema that a type brings, nil if it brings none of its own.
func inferred(t reflect.Type) *Schema {
	if !t.Implements(inferredType) {
		return nil
	}
	name, schema := reflect.Zero(t).Interface().(Inferred).Inferred()
	if name != t.Name() {
		return nil
	}
	return &Schema{raw: []byte(schema)}
}
