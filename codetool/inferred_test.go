package codetool

import (
	"reflect"
	"testing"

	"helve/engine/schema"
	"helve/internal/testing/inferred"
)

// No start of a program infers the schemas of our own tools.
func TestSchemasAreThoseInferred(t *testing.T) {
	inferred.Check(t, "codetool", schema.Infer,
		reflect.TypeFor[askIn](),
		reflect.TypeFor[chainIn](),
		reflect.TypeFor[changeIn](),
		reflect.TypeFor[edgesIn](),
		reflect.TypeFor[filesIn](),
		reflect.TypeFor[findIn](),
		reflect.TypeFor[impactIn](),
		reflect.TypeFor[itemsIn](),
		reflect.TypeFor[linksIn](),
		reflect.TypeFor[nameIn](),
		reflect.TypeFor[namesIn](),
		reflect.TypeFor[outlineIn](),
		reflect.TypeFor[pathIn](),
		reflect.TypeFor[placeIn](),
		reflect.TypeFor[reindexIn](),
		reflect.TypeFor[searchIn](),
		reflect.TypeFor[sourceIn](),
		reflect.TypeFor[summaryIn](),
		reflect.TypeFor[usageIn](),
	)
}
