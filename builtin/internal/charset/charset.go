// Package charset reads and writes texts in the encodings that the web knows beside those of Unicode, as the Encoding
// Standard says. golang.org/x/text has them all, too, in tables of 650 KB that each program with a file tool would
// hold; here they are packed, and unpacked when a text wants one.
package charset

import (
	"slices"
	"unicode/utf8"
)

// A Charset is one encoding. All of them have ASCII as it is.
type Charset struct {
	name  string
	kind  kind
	table *table
}

// A kind is how codes are made of bytes.
type kind uint8

const (
	letters kind = iota // one byte
	pairs               // one byte or two
	triples             // EUC-JP: and three, behind 0x8f
	quads               // GB18030: and four, which have what the others have not
	escaped             // ISO-2022-JP: sequences say what the bytes behind them are
)

// String is the name in the standard, in lower case.
func (c *Charset) String() string { return c.name }

// Single tells whether a character has one byte.
func (c *Charset) Single() bool { return c.kind == letters }

// Rune is the character of one byte, U+FFFD where it has none.
func (c *Charset) Rune(b byte) rune {
	if b < utf8.RuneSelf {
		return rune(b)
	}
	return known(c.table.runes()[b-utf8.RuneSelf])
}

func known(r rune) rune {
	if r == 0 {
		return utf8.RuneError
	}
	return r
}

// Decode reads a text. What is no character of the encoding becomes U+FFFD.
func (c *Charset) Decode(b []byte) []byte {
	if c.kind == escaped {
		return unescape(b, c.table.runes())
	}
	runes := c.table.runes()
	out := make([]byte, 0, len(b)+len(b)/2)
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			out = append(out, b[0])
			b = b[1:]
			continue
		}
		if c == Big5 {
			if both := twice[string(b[:min(2, len(b))])]; both != "" {
				out = append(out, both...)
				b = b[2:]
				continue
			}
		}
		r, n := c.first(b, runes)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// twice are the codes of Big5 that are two characters.
var twice = map[string]string{
	"\x88\x62": "\u00ca\u0304", "\x88\x64": "\u00ca\u030c", "\x88\xa3": "\u00ea\u0304", "\x88\xa5": "\u00ea\u030c",
}

// first is the character that b begins with, beyond ASCII, and how many bytes it has. A byte of ASCII behind one that
// begins nothing stays: a quotation mark must not disappear.
func (c *Charset) first(b []byte, runes []rune) (rune, int) {
	if r := runes[b[0]-utf8.RuneSelf]; r != 0 {
		return r, 1
	}
	if c.kind == letters || len(b) < 2 {
		return utf8.RuneError, 1
	}
	if c.kind == quads && isQuad(b) {
		if r := quad(numberOf(b)); r != 0 {
			return r, 4
		}
		return utf8.RuneError, 1
	}
	if c.kind == triples && b[0] == 0x8f && b[1] >= 0xa1 {
		if len(b) < 3 || b[2] < 0xa1 {
			return utf8.RuneError, 2
		}
		return known(at(runes, 0x8f<<16|code(b[1])<<8|code(b[2]))), 3
	}
	if r := at(runes, code(b[0])<<8|code(b[1])); r != 0 {
		return r, 2
	}
	if b[1] < utf8.RuneSelf || !leads(runes, b[0]) {
		return utf8.RuneError, 1
	}
	return utf8.RuneError, 2
}

// leads tells whether a code of two bytes begins with this one.
func leads(runes []rune, lead byte) bool {
	from := place(code(lead)<<8 | rowFrom)
	return from >= 0 && slices.ContainsFunc(runes[from:from+row], func(r rune) bool { return r != 0 })
}

// Encode writes a valid text; false where it has a character that the encoding has not.
func (c *Charset) Encode(s []byte) ([]byte, bool) {
	if c.kind == escaped {
		return escape(s, c.table)
	}
	out := make([]byte, 0, len(s))
	for _, r := range string(s) {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		code := c.code(r)
		if code == 0 {
			return nil, false
		}
		out = code.bytes(out)
	}
	return out, true
}

// code is that of a character beyond ASCII, 0 where there is none.
func (c *Charset) code(r rune) code {
	if c.kind == quads && r == '€' {
		return 0xa2e3 // not 0x80, which GBK writes
	}
	if c == ShiftJIS && r == 0x80 {
		return 0 // it is read, and not written
	}
	if code := c.table.code(r); code != 0 || c.kind != quads {
		return code
	}
	return quadOf(r)
}

// A code is what stands for a character: its bytes as a number, the first one highest.
type code uint32

// bytes appends the bytes of a code.
func (c code) bytes(out []byte) []byte {
	if c > 0xff && c <= 0xffff { // most
		return append(out, byte(c>>8), byte(c))
	}
	for shift := 24; shift >= 0; shift -= 8 {
		if b := c >> shift; b != 0 {
			out = append(out, byte(b))
		}
	}
	return out
}
