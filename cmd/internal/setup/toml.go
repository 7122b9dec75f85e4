package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	gotoml "github.com/pelletier/go-toml/v2"

	"helve/internal/json"
	"helve/internal/toml"
)

// A tomlForm is a file of TOML with a table of servers by name.
type tomlForm struct{ key string }

// set changes only what belongs to the line where helve is there already.
func (f tomlForm) set(text []byte, l Line) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	newline := json.Newline(text)
	missing := plain(l)
	header := -1
	for _, s := range slices.Backward(all) { // from the end, so that the places before stay right
		switch {
		case s.Value < 0 && slices.Equal(s.Keys, []string{f.key, Name}):
			header = s.End
		case s.Value >= 0 && f.holds(s.Keys):
			return nil, fmt.Errorf("%s is written as one value: %w", strings.Join(s.Keys, "."), errByHand)
		case s.Value >= 0:
			at := slices.IndexFunc(missing, func(m member) bool {
				return slices.Equal(s.Keys, []string{f.key, Name, m.name})
			})
			if at < 0 {
				continue
			}
			text = slices.Concat(text[:s.Value], []byte(tomlText(missing[at])), text[s.ValueEnd:])
			missing = slices.Delete(missing, at, at+1)
		}
	}
	var lines string
	for _, m := range missing {
		lines += m.name + " = " + tomlText(m) + newline
	}
	switch {
	case lines == "":
	case header >= 0:
		text = insert(text, header, newline, lines)
	default:
		lines = "[" + f.key + "." + Name + "]" + newline + lines
		if len(bytes.TrimSpace(text)) > 0 {
			lines = newline + lines
		}
		text = insert(text, len(text), newline, lines)
	}
	return text, f.check(text)
}

// check tells whether the client will find helve: what was written with dots, or as a list of
// tables, takes no table of its own.
func (f tomlForm) check(text []byte) error {
	var root map[string]any
	if err := gotoml.Unmarshal(bytes.TrimPrefix(text, bom), &root); err != nil {
		return fmt.Errorf("%w: %w", err, errByHand)
	}
	if servers, ok := root[f.key].(map[string]any); !ok || servers[Name] == nil {
		return fmt.Errorf("%s is no table: %w", f.key, errByHand)
	}
	return nil
}

// tomlText is the value of a member as TOML.
func tomlText(m member) string { return text(m.value) }

// insert puts lines at a place, which becomes the beginning of a line if it is none.
func insert(text []byte, at int, newline, lines string) []byte {
	if at > 0 && text[at-1] != '\n' {
		lines = newline + lines
	}
	return slices.Concat(text[:at], []byte(lines), text[at:])
}

// holds tells whether keys name helve itself, or what helve stands in: such a value is an inline table.
func (f tomlForm) holds(keys []string) bool {
	whole := []string{f.key, Name}
	return len(keys) <= len(whole) && slices.Equal(keys, whole[:len(keys)])
}

func (f tomlForm) unset(text []byte) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	whole := []string{f.key, Name}
	for _, s := range slices.Backward(all) {
		if len(s.Keys) < len(whole) || !slices.Equal(s.Keys[:len(whole)], whole) {
			continue
		}
		text = slices.Delete(slices.Clone(text), s.Start, s.End)
	}
	return text, nil
}

func (f tomlForm) snippet(l Line) string {
	text, err := f.set(nil, l)
	if err != nil {
		panic(fmt.Sprintf("setup: %v", err)) // an empty file can be changed
	}
	return string(text)
}

func (f tomlForm) words(text []byte) []string {
	var root map[string]any
	if gotoml.Unmarshal(bytes.TrimPrefix(text, bom), &root) != nil {
		return nil // what cannot be read is not replaced
	}
	servers, _ := root[f.key].(map[string]any)
	server, _ := servers[Name].(map[string]any)
	return wordsOf(server)
}

// statements are those of a text. One that is no TOML is an error: nothing is written into it.
func statements(text []byte) ([]toml.Statement, error) {
	var all map[string]any
	if err := gotoml.Unmarshal(bytes.TrimPrefix(text, bom), &all); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	return toml.Statements(text)
}
