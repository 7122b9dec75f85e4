// Package cjk has the encodings of Chinese, Japanese and Korean that have more than one byte for most characters, as
// the WHATWG's Encoding Standard names them. They read and write what golang.org/x/text does, from tables that are a
// tenth of its own: those are 0.55 MB of a program.
package cjk

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// The encodings.
var (
	GBK       encoding.Encoding = &scheme{name: "GBK", read: readGBK, write: writeGBK}
	GB18030   encoding.Encoding = &scheme{name: "GB18030", read: readGB18030, write: writeGB18030}
	Big5      encoding.Encoding = &scheme{name: "Big5", read: readPair, write: writePairs}
	ShiftJIS  encoding.Encoding = &scheme{name: "Shift_JIS", read: readShiftJIS, write: writeShiftJIS}
	EUCJP     encoding.Encoding = &scheme{name: "EUC-JP", read: readEUCJP, write: writePairs}
	EUCKR     encoding.Encoding = &scheme{name: "EUC-KR", read: readPair, write: writePairs}
	ISO2022JP encoding.Encoding = &scheme{name: "ISO-2022-JP", read: readEscaped, write: writeEscaped}
)

// A scheme is one encoding.
type scheme struct {
	name string
	// read gives the character that bytes begin with, and how many bytes it takes: utf8.RuneError for bytes that mean
	// none, more for bytes that end too early. A character of -1 is none: an escape that changes the set.
	read func(t *table, set *set, b []byte) (r rune, n int)
	// write appends a character and tells whether the encoding has it. The character -1 ends the text.
	write func(t *table, set *set, dst []byte, r rune) ([]byte, bool)
}

// more says that what is there ends within a character.
const more = 0

// A set is the set of characters that a text in ISO-2022-JP is in: the last byte of the escape that led to it.
type set byte

// String is the encoding's name.
func (s *scheme) String() string { return s.name }

// NewDecoder reads the encoding: bytes that mean nothing become U+FFFD.
func (s *scheme) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: &decoder{scheme: s, table: tableOf(s.name)}}
}

// NewEncoder writes the encoding: a character that it has not is an error.
func (s *scheme) NewEncoder() *encoding.Encoder {
	return &encoding.Encoder{Transformer: &encoder{scheme: s, table: tableOf(s.name)}}
}

type decoder struct {
	*scheme
	*table
	set set
}

// Reset is transform.Transformer's.
func (d *decoder) Reset() { d.set = 0 }

// Transform is transform.Transformer's.
func (d *decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		set := d.set
		r, n := d.read(d.table, &set, src[nSrc:])
		if n == more {
			if !atEOF {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r, n = utf8.RuneError, len(src)-nSrc
		}
		if nDst+2*utf8.UTFMax > len(dst) && nDst+size(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += put(dst[nDst:], r)
		nSrc += n
		d.set = set
	}
	return nDst, nSrc, nil
}

type encoder struct {
	*scheme
	*table
	set set
}

// Reset is transform.Transformer's.
func (e *encoder) Reset() { e.set = 0 }

// errMissing says that an encoding has not the character that stands next.
type errMissing struct{ rune }

func (errMissing) Error() string { return "the encoding has no such character" }

// Transform is transform.Transformer's.
func (e *encoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	var room [8]byte // an escape and a character
	for nSrc < len(src) {
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, n := utf8.DecodeRune(src[nSrc:])
		set := e.set
		b, ok := e.write(e.table, &set, room[:0], r)
		if !ok {
			return nDst, nSrc, errMissing{r}
		}
		if nDst+len(b) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], b)
		nSrc += n
		e.set = set
	}
	if atEOF {
		b, _ := e.write(e.table, &e.set, room[:0], -1)
		if nDst+len(b) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], b)
	}
	return nDst, nSrc, nil
}

// Big5 has four codes that mean two characters each: a letter with two marks. They stand for themselves in its table as
// what is no character.
const twofold = utf8.MaxRune + 1

var twofolds = [...]string{"\u00ca\u0304", "\u00ca\u030c", "\u00ea\u0304", "\u00ea\u030c"}

// size is how many bytes of UTF-8 a character takes.
func size(r rune) int {
	switch {
	case r < 0:
		return 0
	case r >= twofold:
		return len(twofolds[r-twofold])
	}
	return utf8.RuneLen(r)
}

// put writes a character as UTF-8.
func put(dst []byte, r rune) int {
	switch {
	case r < 0:
		return 0
	case r >= twofold:
		return copy(dst, twofolds[r-twofold])
	}
	return utf8.EncodeRune(dst, r)
}
