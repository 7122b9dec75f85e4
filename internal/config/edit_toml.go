package config

import (
	"fmt"
	"slices"
	"strings"

	"helve/internal/json"
	"helve/internal/toml"
)

// above tells that a statement sets a key which holds another.
func above(s toml.Statement, keys []string) bool {
	return s.Value >= 0 && len(s.Keys) < len(keys) && slices.Equal(s.Keys, keys[:len(s.Keys)])
}

// setTOML replaces a value where it stands, or adds a line where it belongs.
func setTOML(text []byte, keys []string, v *json.Node) ([]byte, error) {
	all, err := toml.Statements(text)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Value < 0 {
			continue
		}
		if slices.Equal(s.Keys, keys) {
			return splice(text, s.Value, s.ValueEnd, inlineTOML(v)), nil
		}
		if above(s, keys) { // an inline table holds it
			return setInline(text, s, keys[len(s.Keys):], v)
		}
	}
	if len(keys) == 1 {
		if text, err = unsetTOML(text, keys); err != nil { // it may be there as a table
			return nil, err
		}
		return addAtRoot(text, keyTOML(keys[0])+" = "+inlineTOML(v))
	}
	return addToTable(text, all, keys, v)
}

// setInline writes an inline table anew. It stands in one line, so that no comment is inside it.
func setInline(text []byte, s toml.Statement, keys []string, v *json.Node) ([]byte, error) {
	held, err := inline(text, s)
	if err != nil {
		return nil, err
	}
	if held.Kind != json.KindObject {
		return nil, fmt.Errorf("config: %s is not a table", strings.Join(s.Keys, "."))
	}
	held.Set(keys[0], json.Within(keys[1:], *v))
	return splice(text, s.Value, s.ValueEnd, inlineTOML(&held)), nil
}

// inline is the value of an expression.
func inline(text []byte, s toml.Statement) (json.Node, error) {
	root, err := new(places).parseTOML([]byte("x = "+string(text[s.Value:s.ValueEnd])), Place{})
	if err != nil {
		return root, err
	}
	return *root.Get("x"), nil
}

// addAtRoot puts a line before the first table, where the root's keys end.
func addAtRoot(text []byte, line string) ([]byte, error) {
	all, err := toml.Statements(text)
	if err != nil {
		return nil, err
	}
	at := 0
	for _, s := range all {
		if s.Value < 0 {
			break
		}
		at = s.End
	}
	// A text without keys may be all comments, which stay at the top.
	if len(all) == 0 {
		at = len(text)
	}
	return insertLines(text, at, line), nil
}

// insertLines puts lines at a place, which becomes the beginning of a line if it is none. They end as the text's do.
func insertLines(text []byte, at int, lines ...string) []byte {
	newline := json.Newline(text)
	with := strings.Join(lines, newline) + newline
	if at > 0 && text[at-1] != '\n' {
		with = newline + with
	}
	return splice(text, at, at, with)
}

// addToTable puts a line at the end of the table, which it makes if need be.
func addToTable(text []byte, all []toml.Statement, keys []string, v *json.Node) ([]byte, error) {
	line := keyTOML(keys[1]) + " = " + inlineTOML(v)
	at := -1
	for _, s := range all {
		if s.Table >= 0 && slices.Equal(all[s.Table].Keys, keys[:1]) {
			at = s.End
		}
	}
	if at < 0 {
		// A table that is written with dots at the root must not be opened a second time.
		for _, s := range all {
			dotted := s.Value >= 0 && s.Table < 0 && len(s.Keys) > 1
			if dotted && s.Keys[0] == keys[0] {
				return addAtRoot(text, keyTOML(keys[0])+"."+line)
			}
		}
		lines := []string{"[" + keyTOML(keys[0]) + "]", line}
		if len(text) > 0 {
			lines = slices.Insert(lines, 0, "")
		}
		return insertLines(text, len(text), lines...), nil
	}
	return insertLines(text, at, line), nil
}

// unsetTOML removes the lines that set a key, its tables with all that they hold.
func unsetTOML(text []byte, keys []string) ([]byte, error) {
	all, err := toml.Statements(text)
	if err != nil {
		return nil, err
	}
	// From the end: what was cut out moves nothing that is still to be cut.
	for _, s := range slices.Backward(all) {
		below := len(s.Keys) >= len(keys) && slices.Equal(s.Keys[:len(keys)], keys)
		switch {
		case below:
			text = splice(text, s.Start, s.End, "")
		case above(s, keys):
			if text, err = unsetInline(text, s, keys[len(s.Keys):]); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

// unsetInline leaves a value that is no table as it is: it does not hold the key.
func unsetInline(text []byte, s toml.Statement, keys []string) ([]byte, error) {
	held, err := inline(text, s)
	if err != nil {
		return nil, err
	}
	if held.Kind != json.KindObject || len(keys) != 1 {
		return text, nil
	}
	held.Remove(keys[0])
	return splice(text, s.Value, s.ValueEnd, inlineTOML(&held)), nil
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
