package fetch

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfFetchAreThoseInferred(t *testing.T) {
	inferred.Check(t, "fetch", schema.Infer,
		reflect.TypeFor[fetchIn](),
	)
}
