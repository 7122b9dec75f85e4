package text

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// units are UTF-16 and UTF-32, which have every character.
type units struct {
	width int  // bytes of a unit
	big   bool // the first byte is the highest
}

func (u units) order() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	if u.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Decode reads a text. A half of a pair that is alone, a number that is no character and a unit that breaks off become
// U+FFFD.
func (u units) Decode(b []byte) []byte {
	out := make([]byte, 0, len(b))
	order := u.order()
	for len(b) >= u.width {
		if u.width == 4 {
			out = utf8.AppendRune(out, rune(min(order.Uint32(b), utf8.MaxRune+1)))
			b = b[4:]
			continue
		}
		r, n := rune(order.Uint16(b)), 2
		if utf16.IsSurrogate(r) && len(b) >= 4 {
			if low := rune(order.Uint16(b[2:])); low >= 0xdc00 && low <= 0xdfff {
				r, n = utf16.DecodeRune(r, low), 4
			}
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	if len(b) > 0 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return out
}

// Encode writes a valid text.
func (u units) Encode(s []byte) ([]byte, bool) {
	out := make([]byte, 0, u.width*len(s))
	order := u.order()
	for _, r := range string(s) {
		if u.width == 4 {
			out = order.AppendUint32(out, uint32(r))
			continue
		}
		var pair [2]uint16
		for _, unit := range utf16.AppendRune(pair[:0], r) {
			out = order.AppendUint16(out, unit)
		}
	}
	return out, true
}
