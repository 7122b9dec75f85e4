package setup

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"

	"helve/internal/json"
)

// A jsonFile is a file of JSON, comments and trailing commas allowed, with an object of servers by name.
type jsonFile struct {
	key   string // of the object
	entry entry
}

func jsonForm(key string, e entry) form { return jsonFile{key, e} }

// bom is what some editors of Windows put before a text.
var bom = []byte("\xef\xbb\xbf")

// set changes only what belongs to the line where helve is there already: an environment that somebody added stays.
func (f jsonFile) set(text []byte, l Line) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	there, err := f.held(body)
	if err != nil {
		return nil, err
	}
	members := f.entry(l)
	if there == nil {
		whole := json.Node{Kind: json.KindObject}
		for _, m := range members {
			whole.Set(m.name, nodeOf(m.value))
		}
		body, err = patched(body, whole, f.key, Name)
		return withMark(body, marked), err
	}
	for _, m := range members {
		value := nodeOf(m.value)
		if old := there.Get(m.name); old != nil && same(old, &value) {
			continue // however it is written
		}
		if body, err = patched(body, value, f.key, Name, m.name); err != nil {
			return nil, err
		}
	}
	return withMark(body, marked), nil
}

// looseJSON is a text of JSON, which may have comments. One that is none is an error: nothing is written into it.
func looseJSON(body []byte) (root json.Node, err error) {
	plain, err := json.Plain(body)
	if err != nil {
		return root, fmt.Errorf("%w: %w", err, errByHand)
	}
	r := json.Reader{Loose: true}
	if root, err = r.Read(plain); err != nil {
		return root, fmt.Errorf("%w: %w", err, errByHand)
	}
	return root, nil
}

// held is helve's own object in a text; nil: it has none.
func (f jsonFile) held(body []byte) (*json.Node, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	at, err := looseJSON(body)
	if err != nil {
		return nil, err
	}
	what := "its value"
	for _, key := range []string{f.key, Name} {
		if at.Kind != json.KindObject {
			return nil, fmt.Errorf("%s is no object: %w", what, errByHand)
		}
		next := at.Get(key)
		if next == nil {
			return nil, nil
		}
		if slices.ContainsFunc(at.Kids, func(n json.Node) bool { return n.Name == key && n.At != next.At }) {
			return nil, fmt.Errorf("%s stands there twice: %w", key, errByHand)
		}
		at, what = *next, key
	}
	if at.Kind != json.KindObject {
		return nil, fmt.Errorf("%s is no object: %w", what, errByHand)
	}
	return &at, nil
}

func (f jsonFile) unset(text []byte) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	p, err := json.NewPatch(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	return withMark(p.Unset([]string{f.key, Name}), marked), nil
}

func (f jsonFile) snippet(l Line) string {
	text, err := f.set(nil, l)
	if err != nil {
		panic(fmt.Sprintf("setup: %v", err)) // an empty file can be changed
	}
	return string(text)
}

func (f jsonFile) words(text []byte) []string {
	there, err := f.held(bytes.TrimPrefix(text, bom))
	if err != nil || there == nil {
		return nil // what cannot be read is not replaced
	}
	var server map[string]any
	if stdjson.Unmarshal(there.AppendCompact(nil), &server) != nil {
		return nil
	}
	return wordsOf(server)
}

// patched is a text with a value at some keys.
func patched(text []byte, v json.Node, keys ...string) ([]byte, error) {
	p, err := json.NewPatch(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	out, err := p.Set(keys, v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	return out, nil
}

func withMark(text []byte, marked bool) []byte {
	if marked {
		return slices.Concat(bom, text)
	}
	return text
}

// nodeOf is a value as JSON.
func nodeOf(v any) json.Node {
	var out bytes.Buffer
	enc := stdjson.NewEncoder(&out)
	enc.SetEscapeHTML(false) // people read it
	err := enc.Encode(v)
	b := bytes.TrimSpace(out.Bytes())
	if err == nil {
		var r json.Reader
		var n json.Node
		if n, err = r.Read(b); err == nil {
			return n
		}
	}
	panic(errors.Join(errors.New("setup: what was made here cannot be read"), err))
}

// same tells whether two values mean the same, however they are written.
func same(a, b *json.Node) bool {
	return bytes.Equal(a.AppendCanonical(nil, nil), b.AppendCanonical(nil, nil))
}
