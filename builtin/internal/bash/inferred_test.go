package bash

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfBashAreThoseInferred(t *testing.T) {
	inferred.Check(t, "bash", schema.Infer,
		reflect.TypeFor[bashIn](),
		reflect.TypeFor[bashKillIn](),
		reflect.TypeFor[bashOutputIn](),
		reflect.TypeFor[powershellIn](),
	)
}
