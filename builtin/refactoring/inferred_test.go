package refactoring

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasOfRefactoringAreThoseInferred(t *testing.T) {
	inferred.Check(t, "refactoring", schema.Infer,
		reflect.TypeFor[deleteIn](),
		reflect.TypeFor[moveIn](),
		reflect.TypeFor[renameIn](),
		reflect.TypeFor[signatureIn](),
		reflect.TypeFor[signatureParamIn](),
	)
}
