// Package text reads text files as they come: it finds the encoding of a file from a sample, decodes and encodes
// without losing a byte or says that it cannot, and shows windows of lines of a file of any size without reading it
// whole.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"helve/builtin/internal/charset"
)

// ErrBinary says that a file is not text.
var ErrBinary = errors.New("not a text file")

// ErrInexact says that a file cannot be decoded and encoded back to the same bytes: it must not be rewritten.
var ErrInexact = errors.New("the file has bytes that are not valid in its encoding")

// An UnencodableError says that a text has a character that its file's encoding has not.
type UnencodableError struct {
	Encoding string
	Rune     rune
	Line     int // counted from 1
}

// Error names the character, its line and the two ways on.
func (e *UnencodableError) Error() string {
	return fmt.Sprintf("the file is %s, which has no %q (line %d): "+
		"use a character that it has, or ask the user to convert the file to UTF-8", e.Encoding, e.Rune, e.Line)
}

// A Codec reads and writes texts of one encoding.
type Codec interface {
	Decode(b []byte) []byte              // what is no character becomes U+FFFD
	Encode(s []byte) (b []byte, ok bool) // of valid UTF-8; false where the encoding has not all of it
}

// An Encoding is how a file's text is written as bytes. The zero value is UTF-8.
type Encoding struct {
	name  string
	mark  string // the byte order mark
	codec Codec  // nil: UTF-8
	width int    // bytes of a code unit; 0 is 1
	big   bool   // the first byte of a unit is the highest
	bare  bool   // the bytes from 0x80 to 0x9f are read but not written
}

// The encodings that files are found to have, by the names that IANA gives them.
var (
	UTF8     = Encoding{name: "UTF-8"}
	UTF8Mark = Encoding{name: "UTF-8 with BOM", mark: "\xef\xbb\xbf"}
	UTF16LE  = Encoding{
		name:  "UTF-16LE",
		codec: units{width: 2},
		width: 2,
	}
	UTF16BE = Encoding{
		name:  "UTF-16BE",
		codec: units{width: 2, big: true},
		width: 2,
		big:   true,
	}
	UTF16LEMark = Encoding{
		name:  "UTF-16LE with BOM",
		mark:  "\xff\xfe",
		codec: UTF16LE.codec,
		width: 2,
	}
	UTF16BEMark = Encoding{
		name:  "UTF-16BE with BOM",
		mark:  "\xfe\xff",
		codec: UTF16BE.codec,
		width: 2,
		big:   true,
	}
	UTF32LEMark = Encoding{
		name:  "UTF-32LE with BOM",
		mark:  "\xff\xfe\x00\x00",
		codec: units{width: 4},
		width: 4,
	}
	UTF32BEMark = Encoding{
		name:  "UTF-32BE with BOM",
		mark:  "\x00\x00\xfe\xff",
		codec: units{width: 4, big: true},
		width: 4,
		big:   true,
	}
	GBK         = Encoding{name: "GBK", codec: charset.GBK}
	GB18030     = Encoding{name: "GB18030", codec: charset.GB18030}
	Big5        = Encoding{name: "Big5", codec: charset.Big5}
	ShiftJIS    = Encoding{name: "Shift_JIS", codec: charset.ShiftJIS}
	EUCJP       = Encoding{name: "EUC-JP", codec: charset.EUCJP}
	ISO2022JP   = Encoding{name: "ISO-2022-JP", codec: charset.ISO2022JP}
	EUCKR       = Encoding{name: "EUC-KR", codec: charset.EUCKR}
	Windows1252 = Encoding{name: "windows-1252", codec: charset.Windows1252}
	Windows1251 = Encoding{name: "windows-1251", codec: charset.Windows1251}
	KOI8R       = Encoding{name: "KOI8-R", codec: charset.KOI8R}
	IBM866      = Encoding{name: "IBM866", codec: charset.IBM866}
	ISO88595    = Encoding{name: "ISO-8859-5", codec: charset.ISO88595}
	ISO88592    = Encoding{name: "ISO-8859-2", codec: charset.ISO88592}
	Windows1250 = Encoding{name: "windows-1250", codec: charset.Windows1250}
	Windows1253 = Encoding{name: "windows-1253", codec: charset.Windows1253}
	Windows1254 = Encoding{name: "windows-1254", codec: charset.Windows1254}
	Windows1255 = Encoding{name: "windows-1255", codec: charset.Windows1255}
	Windows1256 = Encoding{name: "windows-1256", codec: charset.Windows1256}
	Windows874  = Encoding{name: "windows-874", codec: charset.Windows874}
	Latin1      = Encoding{name: "ISO-8859-1", codec: charset.ISO88591}

	// Western is ISO-8859-1 for a file that has none of the characters that windows-1252 adds to it. What a large file
	// may have of them elsewhere is shown as what it most probably is.
	Western = Encoding{name: "ISO-8859-1", codec: charset.Windows1252, bare: true}
)

// Name is the name to tell people, "UTF-8" for the zero value.
func (e Encoding) Name() string {
	if e.name == "" {
		return UTF8.name
	}
	return e.name
}

// Plain tells whether the file is UTF-8 without a mark: its bytes are its text.
func (e Encoding) Plain() bool { return e.codec == nil && e.mark == "" }

// Decode gives a whole file's text as UTF-8, without the byte order mark. Bytes that are invalid in a UTF-8 file stay
// as they are; in any other encoding they are ErrInexact, as is every form of a character that Encode would not give
// back.
func (e Encoding) Decode(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte(e.mark)) {
		return nil, fmt.Errorf("decode %s: the byte order mark is missing: %w", e.Name(), ErrInexact)
	}
	rest := b[len(e.mark):]
	if e.codec == nil {
		return rest, nil
	}
	s := e.codec.Decode(rest)
	back, err := e.Encode(s)
	if err != nil || !bytes.Equal(back, b) {
		return nil, fmt.Errorf("decode %s: %w", e.Name(), ErrInexact)
	}
	return s, nil
}

// Encode gives the bytes of a file for a text in UTF-8, with the byte order mark. A character that the encoding has not
// is an *UnencodableError. For plain UTF-8 the result is the argument.
func (e Encoding) Encode(s []byte) ([]byte, error) {
	if e.Plain() {
		return s, nil
	}
	if e.codec == nil {
		return append([]byte(e.mark), s...), nil
	}
	if !utf8.Valid(s) {
		return nil, fmt.Errorf("encode %s: the text is not valid UTF-8", e.Name())
	}
	b, ok := e.codec.Encode(s)
	if !ok || e.bare && added(b) {
		return nil, e.unencodable(s)
	}
	return append([]byte(e.mark), b...), nil
}

// added tells whether bytes have one that windows-1252 adds to ISO-8859-1.
func added(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 && c <= 0x9f {
			return true
		}
	}
	return false
}

// unencodable finds the character that an encoder refused.
func (e Encoding) unencodable(s []byte) error {
	line := 1
	for _, r := range string(s) {
		b, ok := e.codec.Encode([]byte(string(r)))
		if !ok || e.bare && added(b) {
			return &UnencodableError{
				Encoding: e.Name(),
				Rune:     r,
				Line:     line,
			}
		}
		if r == '\n' {
			line++
		}
	}
	return fmt.Errorf("encode %s: the text cannot be written in it", e.Name())
}

// Show decodes a part of a file for reading: what is not valid becomes U+FFFD. The part must begin at a character.
func (e Encoding) Show(b []byte) string {
	b = bytes.TrimPrefix(b, []byte(e.mark))
	if e.codec == nil {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(e.codec.Decode(b))
}

// newline is the code unit that ends a line.
func (e Encoding) newline(c byte) []byte {
	unit := make([]byte, max(e.width, 1))
	if e.big {
		unit[len(unit)-1] = c
	} else {
		unit[0] = c
	}
	return unit
}
