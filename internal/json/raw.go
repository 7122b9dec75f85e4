package json

import (
	"encoding/json"
	"errors"
)

// maxRaw is how deep raw values may nest: arguments of MaxDepth inside the params of a message.
const maxRaw = MaxDepth + 2

// Errors of malformed input.
var (
	ErrSyntax = errors.New("not valid JSON")
	ErrTwice  = errors.New("a key stands twice in one object")
)

// A Member is one member of an object.
type Member struct {
	Key   string
	Value json.RawMessage // valid JSON, without white space around it
}

// Object splits an object into its members, in their order. A key that stands twice is [ErrTwice]:
// readers would disagree on which counts. Values alias b.
func Object(b []byte) ([]Member, error) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, ErrSyntax
	}
	out := make([]Member, 0, 6)
	var many keySet
	i, again := enter(b, i, '}')
	for again {
		key, escaped, value, behind := readMember(b, i)
		if behind < 0 {
			return nil, ErrSyntax
		}
		text := keyText(key, escaped)
		if many.twice(out, text) {
			return nil, ErrTwice
		}
		out = append(out, Member{text, value})
		i, again = more(b, behind, '}')
	}
	if err := end(b, i); err != nil {
		return nil, err
	}
	return out, nil
}

// fewKeys is up to how many keys comparing is quicker than hashing.
const fewKeys = 32

// A keySet holds the keys of an object with more than fewKeys members, nil before.
type keySet map[string]bool

// twice tells whether a key is among those of the members so far, and remembers it.
func (s *keySet) twice(members []Member, key string) bool {
	if len(members) < fewKeys {
		for i := range members {
			if members[i].Key == key {
				return true
			}
		}
		return false
	}
	if *s == nil {
		*s = keySet{}
		for _, m := range members {
			(*s)[m.Key] = true
		}
	}
	if (*s)[key] {
		return true
	}
	(*s)[key] = true
	return false
}

// readMember reads the member that begins at i. behind is -1 where there is none.
func readMember(b []byte, i int) (key []byte, escaped bool, value json.RawMessage, behind int) {
	if i >= len(b) || b[i] != '"' {
		return nil, false, nil, -1
	}
	quote, escaped := closingQuote(b, i+1, true)
	if quote < 0 {
		return nil, false, nil, -1
	}
	key = b[i+1 : quote]
	colon := space(b, quote+1)
	if colon >= len(b) || b[colon] != ':' {
		return nil, false, nil, -1
	}
	start := space(b, colon+1)
	if behind = skip(b, start, maxRaw); behind < 0 {
		return nil, false, nil, -1
	}
	return key, escaped, b[start:behind:behind], behind
}

// keyText decodes a key. Those that every message has cost no memory.
func keyText(raw []byte, escaped bool) string {
	switch string(raw) {
	case "jsonrpc":
		return "jsonrpc"
	case "id":
		return "id"
	case "method":
		return "method"
	case "params":
		return "params"
	case "result":
		return "result"
	case "name":
		return "name"
	case "arguments":
		return "arguments"
	case "_meta":
		return "_meta"
	case "progressToken":
		return "progressToken"
	case "content":
		return "content"
	case "type":
		return "type"
	case "text":
		return "text"
	}
	return decoded(raw, escaped)
}

// Pick is [Object] for who wants a few members only: out[i] becomes the value of keys[i] and stays
// as it is where there is none. Only these keys must not stand twice. It takes no memory.
func Pick(b []byte, keys []string, out []json.RawMessage) error {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return ErrSyntax
	}
	i, again := enter(b, i, '}')
	for again {
		key, escaped, value, behind := readMember(b, i)
		if behind < 0 {
			return ErrSyntax
		}
		if k := index(keys, key, escaped); k >= 0 {
			if out[k] != nil {
				return ErrTwice
			}
			out[k] = value
		}
		i, again = more(b, behind, '}')
	}
	return end(b, i)
}

// index is the place of a key among keys, -1 if it is none of them. Another spelling of a key is
// the same key.
func index(keys []string, raw []byte, escaped bool) int {
	if escaped {
		raw = []byte(unescape(raw))
	}
	for i, k := range keys {
		if string(raw) == k {
			return i
		}
	}
	return -1
}

// Array splits an array into its elements. They alias b.
func Array(b []byte) ([]json.RawMessage, error) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return nil, ErrSyntax
	}
	var out []json.RawMessage
	i, again := enter(b, i, ']')
	for again {
		behind := skip(b, i, maxRaw)
		if behind < 0 {
			return nil, ErrSyntax
		}
		out = append(out, b[i:behind:behind])
		i, again = more(b, behind, ']')
	}
	return out, end(b, i)
}

// Valid tells whether b is one JSON value.
func Valid(b []byte) bool { return end(b, skip(b, space(b, 0), maxRaw)) == nil }

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

// Join writes members as an object. Their values must be valid JSON.
func Join(members []Member) json.RawMessage {
	size := len("{}")
	for _, m := range members {
		size += len(m.Key) + len(`"":,`) + len(m.Value)
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, m.Key)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// Set replaces a member of an object, or adds it; nil removes it. b that is no object stands for an
// empty one.
func Set(b []byte, key string, v json.RawMessage) json.RawMessage {
	members, _ := Object(b)
	out := make([]Member, 0, len(members)+1)
	for _, m := range members {
		switch {
		case m.Key != key:
			out = append(out, m)
		case v != nil:
			out = append(out, Member{key, v})
			v = nil
		}
	}
	if v != nil {
		out = append(out, Member{key, v})
	}
	return Join(out)
}
