package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"helve/internal/json"
)

// A span is a part of a TOML text that sets something.
type span struct {
	start, end int      // of the expression
	value      int      // where its value starts; -1 for a table's header
	keys       []string // from the root
	table      int      // index of the table's header among the spans; -1 at the root
}

// spans are the expressions of a text, in their order.
func spans(text []byte) ([]span, error) {
	var p unstable.Parser
	p.Reset(text)
	var out []span
	var prefix []string
	table := -1
	for p.NextExpression() {
		e := p.Expression()
		keys := keysOf(e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			it := e.Key()
			it.Next()
			at := int(it.Node().Raw.Offset)
			prefix, table = keys, len(out)
			out = append(out, span{
				start: bytes.LastIndexByte(text[:at], '\n') + 1,
				end:   lineEnd(text, at),
				value: -1,
				keys:  keys,
				table: table,
			})
		case unstable.KeyValue:
			out = append(out, span{
				start: int(e.Raw.Offset),
				end:   int(e.Raw.Offset + e.Raw.Length),
				value: valueStart(text, e),
				keys:  slices.Concat(prefix, keys),
				table: table,
			})
		}
	}
	return out, p.Error()
}

// valueStart is behind the equals sign that follows the last key.
func valueStart(text []byte, e *unstable.Node) int {
	at := 0
	for it := e.Key(); it.Next(); {
		at = int(it.Node().Raw.Offset + it.Node().Raw.Length)
	}
	at += bytes.IndexByte(text[at:], '=') + 1
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// lineEnd is behind the line that an offset is in.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// above tells of a key that holds another.
func (s span) above(keys []string) bool {
	return len(s.keys) < len(keys) && slices.Equal(s.keys, keys[:len(s.keys)])
}

// setTOML replaces a value where it stands, or adds a line where it belongs.
func setTOML(text []byte, keys []string, v *json.Node) ([]byte, error) {
	all, err := spans(text)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.value < 0 {
			continue
		}
		if slices.Equal(s.keys, keys) {
			return splice(text, s.value, s.end, inlineTOML(v)), nil
		}
		if s.above(keys) { // an inline table holds it
			return setInline(text, s, keys[len(s.keys):], v)
		}
	}
	if len(keys) == 1 {
		if text, err = unsetTOML(text, keys); err != nil { // it may be there as a table
			return nil, err
		}
		return addAtRoot(text, keyTOML(keys[0])+" = "+inlineTOML(v)+"\n")
	}
	return addToTable(text, all, keys, v)
}

// setInline writes an inline table anew. It stands in one line, so that no comment is inside it.
func setInline(text []byte, s span, keys []string, v *json.Node) ([]byte, error) {
	held, err := inline(text, s)
	if err != nil {
		return nil, err
	}
	if held.Kind != json.KindObject {
		return nil, fmt.Errorf("config: %s is not a table", strings.Join(s.keys, "."))
	}
	held.Set(keys[0], json.Within(keys[1:], *v))
	return splice(text, s.value, s.end, inlineTOML(&held)), nil
}

// inline is the value of an expression.
func inline(text []byte, s span) (json.Node, error) {
	root, err := new(places).parseTOML([]byte("x = "+string(text[s.value:s.end])), Place{})
	if err != nil {
		return root, err
	}
	return *root.Get("x"), nil
}

// addAtRoot puts a line before the first table, where the root's keys end.
func addAtRoot(text []byte, line string) ([]byte, error) {
	all, err := spans(text)
	if err != nil {
		return nil, err
	}
	at := 0
	for _, s := range all {
		if s.value < 0 {
			break
		}
		at = lineEnd(text, s.end-1)
	}
	// A text without keys may be all comments, which stay at the top.
	if len(all) == 0 {
		at = len(text)
	}
	if at > 0 && text[at-1] != '\n' {
		line = "\n" + line
	}
	return splice(text, at, at, line), nil
}

// addToTable puts a line at the end of the table, which it makes if need be.
func addToTable(text []byte, all []span, keys []string, v *json.Node) ([]byte, error) {
	line := keyTOML(keys[1]) + " = " + inlineTOML(v) + "\n"
	at := -1
	for _, s := range all {
		if s.table >= 0 && slices.Equal(all[s.table].keys, keys[:1]) {
			at = lineEnd(text, s.end-1)
		}
	}
	if at < 0 {
		// A table that is written with dots at the root must not be opened a second time.
		for _, s := range all {
			dotted := s.value >= 0 && s.table < 0 && len(s.keys) > 1
			if dotted && s.keys[0] == keys[0] {
				return addAtRoot(text, keyTOML(keys[0])+"."+line)
			}
		}
		at = len(text)
		line = "[" + keyTOML(keys[0]) + "]\n" + line
		if at > 0 {
			line = "\n" + line
		}
	}
	if at > 0 && text[at-1] != '\n' {
		line = "\n" + line
	}
	return splice(text, at, at, line), nil
}

// unsetTOML removes the lines that set a key, its tables with all that they hold.
func unsetTOML(text []byte, keys []string) ([]byte, error) {
	all, err := spans(text)
	if err != nil {
		return nil, err
	}
	// From the end: what was cut out moves nothing that is still to be cut.
	for _, s := range slices.Backward(all) {
		below := len(s.keys) >= len(keys) && slices.Equal(s.keys[:len(keys)], keys)
		switch {
		case below:
			start := bytes.LastIndexByte(text[:s.start], '\n') + 1
			text = splice(text, start, lineEnd(text, s.end-1), "")
		case s.value >= 0 && s.above(keys):
			if text, err = unsetInline(text, s, keys[len(s.keys):]); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

// unsetInline leaves a value that is no table as it is: it does not hold the key.
func unsetInline(text []byte, s span, keys []string) ([]byte, error) {
	held, err := inline(text, s)
	if err != nil {
		return nil, err
	}
	if held.Kind != json.KindObject || len(keys) != 1 {
		return text, nil
	}
	held.Remove(keys[0])
	return splice(text, s.value, s.end, inlineTOML(&held)), nil
}

func splice(text []byte, start, end int, with string) []byte {
	return slices.Concat(text[:start], []byte(with), text[end:])
}

// inlineTOML writes a value in one line. Strings are those of JSON, which TOML reads the same but
// for \/ and surrogates, which we never write.
func inlineTOML(n *json.Node) string {
	if n.Kind != json.KindArray && n.Kind != json.KindObject {
		return n.String()
	}
	var parts []string
	for i := range n.Kids {
		part := inlineTOML(&n.Kids[i])
		if n.Kind == json.KindObject {
			part = keyTOML(n.Kids[i].Name) + " = " + part
		}
		parts = append(parts, part)
	}
	all := strings.Join(parts, ", ")
	switch {
	case n.Kind == json.KindArray:
		return "[" + all + "]"
	case all == "":
		return "{}"
	}
	return "{ " + all + " }"
}

const bareKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// keyTOML is a key as TOML takes it: bare where it can be, for people write it so.
func keyTOML(k string) string {
	if k != "" && strings.Trim(k, bareKey) == "" {
		return k
	}
	return json.QuoteString(k)
}
