package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"helve/internal/json"
)

// parseTOML reads a text into the tree that the same keys in JSON would be.
func (p *places) parseTOML(text []byte, at Place) (json.Node, error) {
	// It says what the walk below would not notice: keys that clash.
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		bad, ok := errors.AsType[*toml.DecodeError](err)
		if !ok {
			return json.Node{}, fmt.Errorf("%s: %w", at.File, err)
		}
		at.Line, _ = bad.Position()
		return json.Node{}, fmt.Errorf("%s: %s", at, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	b := tomlBuilder{source: source{places: p, at: at, lines: json.LinesOf(text)}}
	b.p.Reset(text)
	root := json.Node{Kind: json.KindObject, At: p.mark(at)}
	table := &root // that of the last header
	for b.p.NextExpression() {
		e := b.p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = b.descend(&root, keysOf(e), b.keyPlace(e))
		case unstable.ArrayTable:
			table = b.element(&root, keysOf(e), b.keyPlace(e))
		case unstable.KeyValue:
			b.keyValue(table, e)
		}
	}
	return root, b.p.Error()
}

// A tomlBuilder makes nodes of expressions. A pointer to a node is good until its parent gets
// another member.
type tomlBuilder struct {
	source
	p unstable.Parser
}

// keyPlace marks where the first key of an expression stands.
func (b *tomlBuilder) keyPlace(e *unstable.Node) int32 {
	it := e.Key()
	it.Next()
	return b.mark(b.place(int(it.Node().Raw.Offset)))
}

// keysOf are the parts of a dotted key.
func keysOf(e *unstable.Node) []string {
	var keys []string
	for it := e.Key(); it.Next(); {
		keys = append(keys, string(it.Node().Data))
	}
	return keys
}

// descend finds or makes the table at keys. An array of tables stands for its last one.
func (b *tomlBuilder) descend(n *json.Node, keys []string, at int32) *json.Node {
	for _, key := range keys {
		next := n.Get(key)
		if next == nil {
			n.Set(key, json.Node{Kind: json.KindObject, At: at})
			next = n.Get(key)
		}
		if next.Kind == json.KindArray && len(next.Kids) > 0 {
			next = &next.Kids[len(next.Kids)-1]
		}
		n = next
	}
	return n
}

// element adds a table to the array of tables at keys.
func (b *tomlBuilder) element(root *json.Node, keys []string, at int32) *json.Node {
	last := len(keys) - 1
	parent := b.descend(root, keys[:last], at)
	tables := parent.Get(keys[last])
	if tables == nil {
		parent.Set(keys[last], json.Node{Kind: json.KindArray, At: at})
		tables = parent.Get(keys[last])
	}
	tables.Kids = append(tables.Kids, json.Node{Kind: json.KindObject, At: at})
	return &tables.Kids[len(tables.Kids)-1]
}

// keyValue sets one key. The tables of a dotted one are made on the way.
func (b *tomlBuilder) keyValue(table *json.Node, e *unstable.Node) {
	keys, at := keysOf(e), b.keyPlace(e)
	last := len(keys) - 1
	parent := b.descend(table, keys[:last], at)
	parent.Set(keys[last], b.value(e.Value(), at))
}

// value is what stands behind the equals sign. Items of a list have places of their own: a rule in
// it is told of by its line.
func (b *tomlBuilder) value(v *unstable.Node, at int32) json.Node {
	switch v.Kind {
	case unstable.InlineTable:
		n := json.Node{Kind: json.KindObject, At: at}
		for it := v.Children(); it.Next(); {
			b.keyValue(&n, it.Node())
		}
		return n
	case unstable.Array:
		n := json.Node{Kind: json.KindArray, At: at}
		for it := v.Children(); it.Next(); {
			el, here := it.Node(), at
			if el.Raw.Length > 0 {
				here = b.mark(b.place(int(el.Raw.Offset)))
			}
			n.Kids = append(n.Kids, b.value(el, here))
		}
		return n
	}
	return scalar(v, at)
}

// scalar is a TOML scalar as a node. What JSON does not know, dates among them, becomes a string.
func scalar(v *unstable.Node, at int32) json.Node {
	s := string(v.Data)
	n := json.Node{Kind: json.KindString, Text: s, At: at}
	switch v.Kind {
	case unstable.Bool:
		n.Kind = json.Kind(s[0])
	case unstable.Integer, unstable.Float:
		// TOML allows a plus and underscores in numbers; hexadecimal ones are left as they are.
		plain := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", "")
		if json.Valid([]byte(plain)) {
			n.Kind, n.Text = json.KindNumber, plain
		}
	}
	return n
}
