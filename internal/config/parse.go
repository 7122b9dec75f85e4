package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

var errBOM = errors.New("starts with a byte order mark: save it as plain UTF-8")

// parse reads a file's text, TOML if its name says so, else JSON with comments. The root is an object. Errors carry file and line.
func parse(text []byte, at Place) (*node, error) {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return nil, fmt.Errorf("%s: %w", at.File, errBOM)
	case !utf8.Valid(text):
		return nil, fmt.Errorf("%s: is not valid UTF-8", at.File)
	}
	if err := nested(text); err != nil {
		return nil, fmt.Errorf("%s: %w", at.File, err)
	}
	if strings.HasSuffix(at.File, ".toml") {
		return parseTOML(text, at)
	}
	return parseJSON(text, at)
}

func parseJSON(text []byte, at Place) (*node, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return &node{at: at}, nil
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", at.File, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	b := jsonBuilder{at, newLines(text)}
	n, err := b.node(&v)
	if err == nil && n.kind != object {
		err = fmt.Errorf("%s: want an object, got %s", n.at, n.what())
	}
	return n, err
}

type jsonBuilder struct {
	at    Place
	lines lines
}

func (b jsonBuilder) place(v *hujson.Value) Place {
	at := b.at
	if b.lines != nil || at.File != "" {
		at.Line = b.lines.at(v.StartOffset)
	}
	return at
}

func (b jsonBuilder) node(v *hujson.Value) (*node, error) {
	n := &node{at: b.place(v)}
	switch t := v.Value.(type) {
	case *hujson.Object:
		return n, b.members(n, t)
	case *hujson.Array:
		n.kind = array
		for i := range t.Elements {
			it, err := b.node(&t.Elements[i])
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, it)
		}
	case hujson.Literal:
		n.kind, n.text = scalar, string(t)
	}
	return n, nil
}

// members refuses a key that stands twice: readers disagree which one counts.
func (b jsonBuilder) members(n *node, o *hujson.Object) error {
	seen := make(map[string]int, len(o.Members))
	for i := range o.Members {
		m := &o.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		at := b.place(&m.Name)
		if first, twice := seen[name]; twice {
			if at.Line == 0 { // a flag or a value: there are no lines
				return fmt.Errorf("%s: the key %q stands twice", at, shorten(name))
			}
			return fmt.Errorf("%s: the key %q stands twice, first in line %d", at, shorten(name), first)
		}
		seen[name] = at.Line
		v, err := b.node(&m.Value)
		if err != nil {
			return err
		}
		v.at = at
		n.fields = append(n.fields, field{name, v})
	}
	return nil
}

func parseTOML(text []byte, at Place) (*node, error) {
	var whole map[string]any
	if err := toml.Unmarshal(text, &whole); err != nil { // says what the walk below would not notice: keys that clash
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, _ := bad.Position()
			at.Line = row
			return nil, fmt.Errorf("%s: %s", at, strings.TrimPrefix(bad.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", at.File, err)
	}
	b := tomlBuilder{at: at, lines: newLines(text)}
	b.p.Reset(text)
	root := &node{at: at}
	table := root
	for b.p.NextExpression() {
		e := b.p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = b.descend(root, keysOf(e), b.keyPlace(e))
		case unstable.ArrayTable:
			table = b.element(root, keysOf(e), b.keyPlace(e))
		case unstable.KeyValue:
			b.keyValue(table, e)
		}
	}
	return root, b.p.Error()
}

type tomlBuilder struct {
	at    Place
	lines lines
	p     unstable.Parser
}

func (b *tomlBuilder) place(offset uint32) Place {
	at := b.at
	at.Line = b.lines.at(int(offset))
	return at
}

// keyPlace is where the first key of an expression stands.
func (b *tomlBuilder) keyPlace(e *unstable.Node) Place {
	it := e.Key()
	it.Next()
	return b.place(it.Node().Raw.Offset)
}

func keysOf(e *unstable.Node) []string {
	var keys []string
	for it := e.Key(); it.Next(); {
		keys = append(keys, string(it.Node().Data))
	}
	return keys
}

// descend finds or makes the table at keys. An array of tables stands for its last one.
func (b *tomlBuilder) descend(n *node, keys []string, at Place) *node {
	for _, k := range keys {
		next := n.get(k)
		if next == nil {
			next = &node{at: at}
			n.set(k, next)
		}
		if next.kind == array && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		n = next
	}
	return n
}

// element adds a table to the array of tables at keys.
func (b *tomlBuilder) element(root *node, keys []string, at Place) *node {
	parent := b.descend(root, keys[:len(keys)-1], at)
	last := keys[len(keys)-1]
	list := parent.get(last)
	if list == nil {
		list = &node{kind: array, at: at}
		parent.set(last, list)
	}
	el := &node{at: at}
	list.items = append(list.items, el)
	return el
}

func (b *tomlBuilder) keyValue(table *node, e *unstable.Node) {
	keys, at := keysOf(e), b.keyPlace(e)
	parent := b.descend(table, keys[:len(keys)-1], at)
	parent.set(keys[len(keys)-1], b.value(e.Value(), at))
}

func (b *tomlBuilder) value(v *unstable.Node, at Place) *node {
	n := &node{at: at}
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			b.keyValue(n, it.Node())
		}
		return n
	case unstable.Array:
		n.kind = array
		for it := v.Children(); it.Next(); {
			el := it.Node()
			here := at
			if el.Raw.Length > 0 {
				here = b.place(el.Raw.Offset)
			}
			n.items = append(n.items, b.value(el, here))
		}
		return n
	}
	n.kind, n.text = scalar, literal(v)
	return n
}

// literal is a TOML scalar as JSON. What JSON does not know, dates among them, becomes a string.
func literal(v *unstable.Node) string {
	s := string(v.Data)
	if v.Kind == unstable.Bool || v.Kind == unstable.Integer || v.Kind == unstable.Float {
		if plain := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", ""); json.Valid([]byte(plain)) {
			return plain
		}
	}
	return quote(s)
}
