package json

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Text reads a string: raw is what stands between the quotes, escaped says whether there are
// escapes in it.
func (s *Scanner) Text() (raw []byte, escaped, ok bool) {
	start := s.Pos + 1
	end, escaped := closingQuote(s.Src, start, s.Loose)
	if end < 0 {
		return nil, false, s.badText(start, ^end)
	}
	raw = s.Src[start:end]
	if !s.Loose && !ascii(raw) && !utf8.Valid(raw) {
		return nil, false, s.fail(start, "text that is not valid UTF-8")
	}
	s.Pos = end + 1
	return raw, escaped, true
}

// closingQuote is the place of the quote that ends a string whose inside begins at i. Where
// something is wrong, it is the complement of the place of that. lone allows halves of surrogate
// pairs.
func closingQuote(src []byte, i int, lone bool) (end int, escaped bool) {
	for {
		if i = plain(src, i); i >= len(src) {
			return ^i, false
		}
		switch src[i] {
		case '"':
			return i, escaped
		case '\\':
			n := escape(src[i:], lone)
			if n == 0 {
				return ^i, false
			}
			escaped = true
			i += n
		default:
			return ^i, false
		}
	}
}

// badText explains what is wrong at a place inside a string.
func (s *Scanner) badText(start, at int) bool {
	switch {
	case at >= len(s.Src):
		return s.fail(start-1, "a string is not closed")
	case s.Src[at] == '\\':
		seq := s.Src[at:min(at+6, len(s.Src))]
		return s.fail(at, "invalid escape %s: write a backslash as \\\\", shown(seq))
	}
	return s.fail(at, "raw control character %q in a string: write it as an escape", rune(s.Src[at]))
}

// Eight bytes are looked at in one register: ones and tops have the lowest and the highest bit of
// each byte set.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// zero marks the top bit of the lowest byte of v that is zero. Marks above that byte may be wrong.
func zero(v uint64) uint64 { return (v - ones) &^ v & tops }

// special marks the top bit of the lowest byte of v that does not stand for itself in a string.
// Marks above that byte may be wrong.
func special(v uint64) uint64 { return zero(v^'"'*ones) | zero(v^'\\'*ones) | (v-0x20*ones)&^v&tops }

// plain is the place of the first byte from i on that does not stand for itself in a string: a
// quote, a backslash or a control character; the length where there is none.
func plain(src []byte, i int) int {
	for ; i+8 <= len(src); i += 8 {
		if m := special(binary.LittleEndian.Uint64(src[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(src); i++ {
		if c := src[i]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return i
}

// ascii is what utf8.Valid tells as well, at a third of the time for texts of usual length.
func ascii(src []byte) bool {
	var all uint64
	i := 0
	for ; i+8 <= len(src); i += 8 {
		all |= binary.LittleEndian.Uint64(src[i : i+8])
	}
	for ; i < len(src); i++ {
		all |= uint64(src[i])
	}
	return all&tops == 0
}

// escape returns the length of the escape sequence that src begins with, 0 if it is none. Half of a
// surrogate pair alone is one only where that is told.
func escape(src []byte, lone bool) int {
	if len(src) < 2 {
		return 0
	}
	switch src[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	r, ok := hex4(src)
	switch {
	case !ok:
		return 0
	case r < 0xD800 || r >= 0xE000:
		return 6
	}
	if low, ok := hex4(src[6:]); r < 0xDC00 && ok && src[6] == '\\' && src[7] == 'u' && low >= 0xDC00 && low <= 0xDFFF {
		return 12
	}
	if lone {
		return 6
	}
	return 0
}

// hex4 reads the four digits of a six byte \uXXXX.
func hex4(src []byte) (rune, bool) {
	if len(src) < 6 {
		return 0, false
	}
	var r rune
	for _, c := range src[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape decodes what stands between the quotes of a string that a Scanner read. Half of a
// surrogate pair becomes the replacement character.
func unescape(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		n := escape(raw[i:], true)
		b.WriteRune(meant(raw[i : i+n]))
		i += n
	}
	return b.String()
}

// meant is the rune of one escape sequence.
func meant(seq []byte) rune {
	switch seq[1] {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		r, _ := hex4(seq)
		if len(seq) == 12 {
			low, _ := hex4(seq[6:])
			r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
		}
		return r
	}
	return rune(seq[1])
}

// Runes counts the characters of a string that a Scanner read, as [Scanner.Text] returns it.
func Runes(raw []byte, escaped bool) int {
	if !escaped {
		return utf8.RuneCount(raw)
	}
	n := 0
	for i := 0; i < len(raw); n++ {
		if raw[i] == '\\' {
			i += escape(raw[i:], true)
			continue
		}
		_, size := utf8.DecodeRune(raw[i:])
		i += size
	}
	return n
}

// String decodes a JSON string; false for anything else. What is not valid UTF-8 becomes the
// replacement character, one for each byte, as encoding/json has it.
func String(b []byte) (string, bool) {
	if len(b) < 2 || b[0] != '"' {
		return "", false
	}
	s := Scanner{Src: b, Loose: true}
	raw, escaped, ok := s.Text()
	if !ok || s.Pos != len(b) {
		return "", false
	}
	return decoded(raw, escaped), true
}

// decoded is the content of a string, in valid UTF-8.
func decoded(raw []byte, escaped bool) string {
	if escaped {
		return valid(unescape(raw))
	}
	return valid(string(raw))
}

// valid puts a replacement character for each byte that is not valid UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune { return r }, s)
}
