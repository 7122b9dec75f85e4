package search

import (
	"encoding/binary"
	"unicode/utf8"
)

// assembly is what some bytes amount to.
type assembly uint8

const (
	broken  assembly = iota // no character begins so
	partial                 // the beginning of one
	whole                   // a character
)

// assemble looks at the bytes of a character so far, the first in the highest place.
func assemble(came uint32) (rune, assembly) {
	var buf [4]byte
	binary.BigEndian.PutUint32(buf[:], came)
	b := buf[:]
	for b[0] == 0 {
		b = b[1:]
	}
	r, n := utf8.DecodeRune(b)
	if r != utf8.RuneError || n == 3 { // U+FFFD itself has three bytes
		return r, whole
	}
	begins := len(b) == 1 && b[0] >= 0xc2 && b[0] <= 0xf4
	goesOn := len(b) > 1 && !utf8.FullRune(b)
	if begins || goesOn {
		return 0, partial
	}
	return 0, broken
}

// canonical merges beginnings of characters that have the same continuations, for whom every character is as good as
// another. It keeps a dot from having a state for every character. The limits are those of table 3-7 of the Unicode
// standard, well-formed UTF-8: e0, ed, f0 and f4 are not followed by every byte, and so have states of their own.
func canonical(came uint32) uint32 {
	switch {
	case came >= 0xc2 && came <= 0xdf:
		return 0xc2
	case came >= 0xe1 && came <= 0xef && came != 0xed:
		return 0xe1
	case came >= 0xf1 && came <= 0xf3:
		return 0xf1
	case came > 0xffff: // four bytes, one to come
		return 0xc2
	case came > 0xff && came>>8 < 0xf0: // three bytes, one to come
		return 0xc2
	case came > 0xff: // four bytes, two to come: no more limits
		return 0xe1
	}
	return came
}
