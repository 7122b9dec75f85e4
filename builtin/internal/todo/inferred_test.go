package todo

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfTodoAreThoseInferred(t *testing.T) {
	inferred.Check(t, "todo", schema.Infer,
		reflect.TypeFor[todoReadIn](),
		reflect.TypeFor[todoWriteIn](),
	)
}
