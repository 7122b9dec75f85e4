package json

import (
	"encoding/json"
	"unicode/utf8"
)

// AppendString appends s as a JSON string, with no more escapes than JSON demands. What is not
// valid UTF-8 becomes the replacement character, one for each byte.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	if len(s) <= short && isPlain(s) {
		b = append(b, s...)
		return append(b, '"')
	}
	text := []byte(valid(s)) // read only, so that the compiler copies nothing
	for done := 0; ; {
		i := plain(text, done)
		b = append(b, text[done:i]...)
		if i == len(text) {
			return append(b, '"')
		}
		b = appendEscape(b, text[i])
		done = i + 1
	}
}

// short is up to how many bytes one plain loop is quicker than looking for escapes and broken UTF-8
// eight at a time.
const short = 24

// isPlain tells of text that stands for itself in a string: ASCII without quotes, backslashes and
// control characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\t':
		return append(b, '\\', 't')
	case '\r':
		return append(b, '\\', 'r')
	}
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// Quote is [AppendString] to nothing.
func Quote(s string) json.RawMessage { return AppendString(nil, s) }

// QuoteString is Quote as a string: one allocation where nothing needs an escape.
func QuoteString(s string) string {
	if isPlain(s) {
		return `"` + s + `"`
	}
	return string(AppendString(make([]byte, 0, len(s)+len(s)/8+8), s))
}

// Compact removes the white space outside of strings. src must be valid JSON.
func Compact(src []byte) []byte {
	out := make([]byte, 0, len(src))
	start := 0
	for i := 0; i < len(src); {
		switch {
		case src[i] == '"':
			i = behindString(src, i)
		case isSpace(src[i]):
			out = append(out, src[start:i]...)
			i++
			start = i
		default:
			i++
		}
	}
	return append(out, src[start:]...)
}

// behindString is the place behind the valid string that begins at i.
func behindString(src []byte, i int) int {
	for i++; ; {
		if i = plain(src, i); i >= len(src) || src[i] == '"' {
			return min(i+1, len(src))
		}
		i += 2 // a backslash and what it escapes
	}
}
