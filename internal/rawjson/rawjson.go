// Package rawjson looks into JSON without decoding it: what is passed on stays as it came, byte for byte.
//
// Every function checks the JSON that it looks at, once: values that it hands out are valid, so that they can be spliced into
// other JSON as they are.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
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
		key, ok := name(b[k:i])
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

// name decodes a key. Those that every message has cost no memory.
func name(b []byte) (string, bool) {
	switch string(b) {
	case `"jsonrpc"`:
		return "jsonrpc", true
	case `"id"`:
		return "id", true
	case `"method"`:
		return "method", true
	case `"params"`:
		return "params", true
	case `"result"`:
		return "result", true
	case `"name"`:
		return "name", true
	case `"arguments"`:
		return "arguments", true
	case `"_meta"`:
		return "_meta", true
	case `"progressToken"`:
		return "progressToken", true
	case `"content"`:
		return "content", true
	case `"type"`:
		return "type", true
	case `"text"`:
		return "text", true
	}
	return String(b)
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

// Pick is Object for who wants a few members only: out[i] is the value of keys[i], nil where it is missing. Only these keys must not
// stand twice. It takes no memory.
func Pick(b []byte, keys []string, out []json.RawMessage) error {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return ErrSyntax
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return end(b, i+1)
	}
	for more := true; more; {
		k := i
		if i = text(b, i); i < 0 {
			return ErrSyntax
		}
		key := b[k:i]
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return ErrSyntax
		}
		v := space(b, i+1)
		if i = value(b, v, 0); i < 0 {
			return ErrSyntax
		}
		if n := index(keys, key); n >= 0 {
			if out[n] != nil {
				return ErrTwice
			}
			out[n] = b[v:i:i]
		}
		if i, more = next(b, i, '}'); i < 0 {
			return ErrSyntax
		}
	}
	return end(b, i)
}

// index is the place of a quoted key among keys, -1 if it is none of them.
func index(keys []string, quoted []byte) int {
	if bytes.IndexByte(quoted, '\\') >= 0 { // another spelling of a key is the same key
		s, ok := String(quoted)
		if !ok {
			return -1
		}
		return slices.Index(keys, s)
	}
	for i, k := range keys {
		if string(quoted[1:len(quoted)-1]) == k {
			return i
		}
	}
	return -1
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
	if !utf8.ValidString(s) {
		s = strings.Map(func(r rune) rune { return r }, s) // one for each broken byte
	}
	b = append(b, '"')
	for done := 0; ; {
		i := plain(s, done)
		b = append(b, s[done:i]...)
		if i == len(s) {
			return append(b, '"')
		}
		b = appendEscape(b, s[i])
		done = i + 1
	}
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
