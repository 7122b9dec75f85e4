// Package charmap has the encodings of one byte a character that the WHATWG's Encoding Standard names, and ISO-8859-1.
// They read and write what golang.org/x/text does, from tables that take 4 KB of the program: its own take 85.
package charmap

import (
	_ "embed"
	"errors"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"helve/internal/packed"
)

// The encodings.
var (
	CodePage866       = add("IBM Code Page 866")
	ISO8859_1         = add("ISO 8859-1")
	ISO8859_2         = add("ISO 8859-2")
	ISO8859_3         = add("ISO 8859-3")
	ISO8859_4         = add("ISO 8859-4")
	ISO8859_5         = add("ISO 8859-5")
	ISO8859_6         = add("ISO 8859-6")
	ISO8859_7         = add("ISO 8859-7")
	ISO8859_8         = add("ISO 8859-8")
	ISO8859_10        = add("ISO 8859-10")
	ISO8859_13        = add("ISO 8859-13")
	ISO8859_14        = add("ISO 8859-14")
	ISO8859_15        = add("ISO 8859-15")
	ISO8859_16        = add("ISO 8859-16")
	KOI8R             = add("KOI8-R")
	KOI8U             = add("KOI8-U")
	Macintosh         = add("Macintosh")
	MacintoshCyrillic = add("Macintosh Cyrillic")
	Windows874        = add("Windows 874")
	Windows1250       = add("Windows 1250")
	Windows1251       = add("Windows 1251")
	Windows1252       = add("Windows 1252")
	Windows1253       = add("Windows 1253")
	Windows1254       = add("Windows 1254")
	Windows1255       = add("Windows 1255")
	Windows1256       = add("Windows 1256")
	Windows1257       = add("Windows 1257")
	Windows1258       = add("Windows 1258")
	XUserDefined      = add("X-User-Defined")
)

// ISO8859_8I has the characters of ISO8859_8: it differs in who puts them in their order on a line.
var ISO8859_8I = &Charmap{name: "ISO-8859-8I", first: ISO8859_8.first}

// all are the encodings in the order of their tables.
var all []*Charmap

// upper is the number of bytes above ASCII, which all encodings share.
const upper = 256 - utf8.RuneSelf

// tablesPacked has what the bytes from 0x80 on mean in each encoding, as UTF-8: U+FFFD where they mean nothing.
// `go test -update` makes it from golang.org/x/text.
//
//go:embed tables.zst
var tablesPacked []byte

// tables are unpacked when the first text needs one.
var tables = sync.OnceValue(func() []rune { return []rune(string(packed.Bytes(tablesPacked))) })

// A Charmap is one encoding.
type Charmap struct {
	name  string
	first int // of its runes in the tables
	once  sync.Once
	bytes map[rune]byte
}

func add(name string) *Charmap {
	m := &Charmap{name: name, first: len(all) * upper}
	all = append(all, m)
	return m
}

// String is the encoding's name.
func (m *Charmap) String() string { return m.name }

// NewDecoder reads the encoding: bytes that mean nothing become U+FFFD.
func (m *Charmap) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: decoder{Charmap: m}}
}

// NewEncoder writes the encoding: a character that it has not is an error.
func (m *Charmap) NewEncoder() *encoding.Encoder {
	return &encoding.Encoder{Transformer: encoder{Charmap: m}}
}

// DecodeByte is the character that b means, U+FFFD where it means none.
func (m *Charmap) DecodeByte(b byte) rune {
	if b < utf8.RuneSelf {
		return rune(b)
	}
	return tables()[m.first+int(b)-utf8.RuneSelf]
}

// encodeRune is the byte that means r; false: there is none.
func (m *Charmap) encodeRune(r rune) (byte, bool) {
	if r < utf8.RuneSelf {
		return byte(r), true
	}
	m.once.Do(func() {
		m.bytes = map[rune]byte{}
		for i, r := range tables()[m.first : m.first+upper] {
			if r != utf8.RuneError {
				m.bytes[r] = byte(utf8.RuneSelf + i)
			}
		}
	})
	b, ok := m.bytes[r]
	return b, ok
}

type decoder struct {
	transform.NopResetter
	*Charmap
}

// Transform is transform.Transformer's.
func (d decoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, b := range src {
		r := d.DecodeByte(b)
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc++
	}
	return nDst, nSrc, nil
}

// errNone says that an encoding has not the character of a text.
var errNone = errors.New("the encoding has not this character")

type encoder struct {
	transform.NopResetter
	*Charmap
}

// Transform is transform.Transformer's.
func (e encoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, n := utf8.DecodeRune(src[nSrc:])
		b, ok := e.encodeRune(r)
		if !ok {
			return nDst, nSrc, errNone
		}
		dst[nDst] = b
		nDst++
		nSrc += n
	}
	return nDst, nSrc, nil
}
