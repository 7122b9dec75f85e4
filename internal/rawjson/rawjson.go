// Package rawjson looks into JSON without decoding it: what is passed on stays as it came, byte for byte.
//
// Every function checks the JSON that it looks at, once: values that it hands out are valid, so that they can be spliced into
// other JSON as they are.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep values may nest; the scanner recurses once per level.
const MaxDepth = 512

// Errors of malformed input.
var (
	ErrSyntax = errors.New("not valid JSON")
	ErrTwice  = errors.New("a key stands twice in one object")
)

// A Member is one member of an object.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object splits an object into its members, in their order. A key that stands twice is an error: readers would disagree on which
// counts.
func Object(b []byte) ([]Member, error) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, ErrSyntax
	}
	out := make([]Member, 0, 6)
	var keys seen
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return out, end(b, i+1)
	}
	for {
		k := i
		if i = text(b, i); i < 0 {
			return nil, ErrSyntax
		}
		key, ok := String(b[k:i])
		if i = space(b, i); !ok || i >= len(b) || b[i] != ':' {
			return nil, ErrSyntax
		}
		if keys.twice(out, key) {
			return nil, ErrTwice
		}
		v := space(b, i+1)
		if i = value(b, v, 0); i < 0 {
			return nil, ErrSyntax
		}
		out = append(out, Member{key, b[v:i:i]})
		var more bool
		if i, more = next(b, i, '}'); i < 0 {
			return nil, ErrSyntax
		}
		if !more {
			return out, end(b, i)
		}
	}
}

// few is up to how many keys comparing is quicker than hashing.
const few = 32

// seen remembers the keys of a large object.
type seen map[string]bool

func (s *seen) twice(out []Member, key string) bool {
	if len(out) < few {
		for _, m := range out {
			if m.Key == key {
				return true
			}
		}
		return false
	}
	if *s == nil {
		*s = seen{}
		for _, m := range out {
			(*s)[m.Key] = true
		}
	}
	if (*s)[key] {
		return true
	}
	(*s)[key] = true
	return false
}

// Array splits an array into its elements.
func Array(b []byte) ([]json.RawMessage, error) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return nil, ErrSyntax
	}
	var out []json.RawMessage
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return out, end(b, i+1)
	}
	for {
		v := i
		if i = value(b, v, 0); i < 0 {
			return nil, ErrSyntax
		}
		out = append(out, b[v:i:i])
		var more bool
		if i, more = next(b, i, ']'); i < 0 {
			return nil, ErrSyntax
		}
		if !more {
			return out, end(b, i)
		}
	}
}

// Valid tells whether b is one JSON value.
func Valid(b []byte) bool {
	i := value(b, space(b, 0), 0)
	return i >= 0 && end(b, i) == nil
}

// Get is the value of a member, nil if there is none or b is no object.
func Get(b []byte, key string) json.RawMessage {
	members, err := Object(b)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// String decodes a JSON string. Broken UTF-8 is repaired.
func String(b []byte) (string, bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return "", false
	}
	in := b[1 : len(b)-1]
	if !utf8.Valid(in) {
		var s string
		err := json.Unmarshal(b, &s)
		return s, err == nil
	}
	first := bytes.IndexByte(in, '\\')
	if first < 0 {
		return string(in), bytes.IndexByte(in, '"') < 0
	}
	return unescape(b, in, first)
}

// unescape decodes the short escapes; the numeric ones, which come in pairs, are left to encoding/json.
func unescape(whole, in []byte, at int) (string, bool) {
	var out strings.Builder
	out.Grow(len(in))
	for {
		out.Write(in[:at])
		if in = in[at:]; len(in) < 2 {
			return out.String(), len(in) == 0
		}
		i := strings.IndexByte(`"\/bfnrt`, in[1])
		if i < 0 {
			var s string
			err := json.Unmarshal(whole, &s)
			return s, err == nil
		}
		out.WriteByte("\"\\/\b\f\n\r\t"[i])
		in = in[2:]
		if at = bytes.IndexByte(in, '\\'); at < 0 {
			at = len(in)
		}
	}
}

// Quote encodes a string, with no more escapes than JSON demands.
func Quote(s string) json.RawMessage { return AppendString(nil, s) }

// QuoteString is Quote as a string: one allocation where nothing needs an escape.
func QuoteString(s string) string {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return string(AppendString(make([]byte, 0, len(s)+len(s)/8+8), s))
		}
	}
	return `"` + s + `"`
}

// AppendString appends s as a JSON string. Broken UTF-8 becomes the replacement character.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0 // of what is copied as it is
	for i := 0; i < len(s); {
		c := s[i]
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		} else if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = utf8.AppendRune(b, utf8.RuneError)
		}
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// Join writes members as an object.
func Join(members []Member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, m.Key), ':'), m.Value...)
	}
	return append(b, '}')
}

// Set replaces a member of an object, or adds it; nil removes it. b that is no object stands for an empty one.
func Set(b []byte, key string, v json.RawMessage) json.RawMessage {
	members, _ := Object(b)
	out := make([]Member, 0, len(members)+1)
	for _, m := range members {
		if m.Key != key {
			out = append(out, m)
		} else if v != nil {
			out, v = append(out, Member{key, v}), nil
		}
	}
	if v != nil {
		out = append(out, Member{key, v})
	}
	return Join(out)
}
