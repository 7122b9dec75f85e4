package otlp

import (
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is a protobuf message that is being written. A field that has its zero value is left out, as protobuf does.
type message []byte

// text writes a string.
func (m *message) text(field protowire.Number, s string) {
	if s != "" {
		*m = protowire.AppendTag(*m, field, protowire.BytesType)
		*m = protowire.AppendString(*m, s)
	}
}

// bytes writes bytes.
func (m *message) bytes(field protowire.Number, b []byte) {
	if len(b) > 0 {
		m.value(field, b)
	}
}

// value writes bytes that count even if there are none.
func (m *message) value(field protowire.Number, b []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, b)
}

// number writes a whole number of variable length.
func (m *message) number(field protowire.Number, n uint64) {
	if n != 0 {
		*m = protowire.AppendTag(*m, field, protowire.VarintType)
		*m = protowire.AppendVarint(*m, n)
	}
}

// signed writes a whole number that may be below zero, in zigzag form.
func (m *message) signed(field protowire.Number, n int32) {
	m.number(field, protowire.EncodeZigZag(int64(n)))
}

// count writes how many there were; the format holds 32 bits.
func (m *message) count(field protowire.Number, n int) {
	m.number(field, uint64(min(max(n, 0), math.MaxUint32)))
}

// fixed writes 64 bits.
func (m *message) fixed(field protowire.Number, n uint64) {
	if n != 0 {
		m.fixedValue(field, n)
	}
}

// fixedValue writes 64 bits that count even if they are zero.
func (m *message) fixedValue(field protowire.Number, n uint64) {
	*m = protowire.AppendTag(*m, field, protowire.Fixed64Type)
	*m = protowire.AppendFixed64(*m, n)
}

// moment writes a time in nanoseconds since 1970.
func (m *message) moment(field protowire.Number, t time.Time) {
	m.fixed(field, uint64(max(0, t.UnixNano())))
}

// flags writes 32 bits.
func (m *message) flags(field protowire.Number, n uint32) {
	if n != 0 {
		*m = protowire.AppendTag(*m, field, protowire.Fixed32Type)
		*m = protowire.AppendFixed32(*m, n)
	}
}

// inner writes a message in this one, an empty one too.
func (m *message) inner(field protowire.Number, fill func(*message)) {
	var in message
	fill(&in)
	m.value(field, in)
}
