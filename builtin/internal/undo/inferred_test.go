package undo

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfUndoAreThoseInferred(t *testing.T) {
	inferred.Check(t, "undo", schema.Infer,
		reflect.TypeFor[diffIn](),
		reflect.TypeFor[historyIn](),
		reflect.TypeFor[redoIn](),
		reflect.TypeFor[undoIn](),
	)
}
