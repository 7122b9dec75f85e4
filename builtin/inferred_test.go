package builtin

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasAreThoseInferred(t *testing.T) {
	inferred.Check(t, "builtin", schema.Infer,
		reflect.TypeFor[bashIn](),
		reflect.TypeFor[bashKillIn](),
		reflect.TypeFor[bashOutputIn](),
		reflect.TypeFor[deleteIn](),
		reflect.TypeFor[diffIn](),
		reflect.TypeFor[editIn](),
		reflect.TypeFor[fetchIn](),
		reflect.TypeFor[globIn](),
		reflect.TypeFor[grepIn](),
		reflect.TypeFor[historyIn](),
		reflect.TypeFor[lsIn](),
		reflect.TypeFor[moveIn](),
		reflect.TypeFor[multiEditIn](),
		reflect.TypeFor[oddIn](),
		reflect.TypeFor[powershellIn](),
		reflect.TypeFor[readIn](),
		reflect.TypeFor[redoIn](),
		reflect.TypeFor[renameIn](),
		reflect.TypeFor[signatureIn](),
		reflect.TypeFor[signatureParamIn](),
		reflect.TypeFor[todoReadIn](),
		reflect.TypeFor[todoWriteIn](),
		reflect.TypeFor[undoIn](),
		reflect.TypeFor[writeIn](),
	)
}
