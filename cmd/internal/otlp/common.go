package otlp

import (
	"math"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth is how deep a value may lie in lists and maps: what lies deeper is left out. Nothing here nests.
const maxDepth = 16

// about writes a resource: who tells.
func about(m *message, r *resource.Resource) {
	m.inner(1, func(m *message) { attributes(m, 1, r.Attributes()) })
}

// scope writes which part of a program tells.
func scope(m *message, s instrumentation.Scope) {
	m.inner(1, func(m *message) {
		m.text(1, s.Name)
		m.text(2, s.Version)
		attributes(m, 3, s.Attributes.ToSlice())
	})
}

// attributes writes keys with values.
func attributes(m *message, field protowire.Number, all []attribute.KeyValue) {
	pairs(m, field, all, 0)
}

func pairs(m *message, field protowire.Number, all []attribute.KeyValue, depth int) {
	for _, kv := range all {
		m.inner(field, func(m *message) {
			m.text(1, string(kv.Key))
			m.inner(2, func(m *message) { value(m, kv.Value, depth) })
		})
	}
}

// value writes one value. A value that is nothing stays empty.
func value(m *message, v attribute.Value, depth int) {
	if depth > maxDepth {
		return
	}
	switch v.Type() {
	case attribute.STRING:
		m.value(1, []byte(v.AsString()))
	case attribute.BOOL:
		m.bool(2, v.AsBool())
	case attribute.INT64:
		m.varint(3, uint64(v.AsInt64()))
	case attribute.FLOAT64:
		m.fixedValue(4, math.Float64bits(v.AsFloat64()))
	case attribute.MAP:
		m.inner(6, func(m *message) { pairs(m, 1, v.AsMap(), depth+1) })
	case attribute.BYTESLICE:
		m.value(7, v.AsByteSlice())
	case attribute.STRINGSLICE:
		list(m, v.AsStringSlice(), attribute.StringValue, depth)
	case attribute.BOOLSLICE:
		list(m, v.AsBoolSlice(), attribute.BoolValue, depth)
	case attribute.INT64SLICE:
		list(m, v.AsInt64Slice(), attribute.Int64Value, depth)
	case attribute.FLOAT64SLICE:
		list(m, v.AsFloat64Slice(), attribute.Float64Value, depth)
	case attribute.SLICE:
		list(m, v.AsSlice(), func(v attribute.Value) attribute.Value { return v }, depth)
	}
}

// list writes a list of values.
func list[T any](m *message, all []T, of func(T) attribute.Value, depth int) {
	m.inner(5, func(m *message) {
		for _, v := range all {
			m.inner(1, func(m *message) { value(m, of(v), depth+1) })
		}
	})
}

// bool and varint write what counts even if it is false or zero: which field stands there says the type.
func (m *message) bool(field protowire.Number, b bool) { m.varint(field, protowire.EncodeBool(b)) }

func (m *message) varint(field protowire.Number, n uint64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, n)
}
