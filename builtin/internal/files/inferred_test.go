package files

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfFilesAreThoseInferred(t *testing.T) {
	inferred.Check(t, "files", schema.Infer,
		reflect.TypeFor[editIn](),
		reflect.TypeFor[globIn](),
		reflect.TypeFor[grepIn](),
		reflect.TypeFor[lsIn](),
		reflect.TypeFor[multiEditIn](),
		reflect.TypeFor[readIn](),
		reflect.TypeFor[writeIn](),
	)
}
