package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlForm is a file of TOML with a table of servers by name.
type tomlForm struct{ key string }

// A statement is a part of a text that sets a value or begins a table.
type statement struct {
	keys       []string // from the root
	start, end int      // bytes, of whole lines
	value      int      // where its value begins; -1: it begins a table
	valueEnd   int
}

// set changes only what belongs to the line where helve is there already.
func (f tomlForm) set(text []byte, l Line) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	newline := newlineOf(text)
	missing := plain(l)
	header := -1
	for _, s := range slices.Backward(all) { // from the end, so that the places before stay right
		switch {
		case s.value < 0 && slices.Equal(s.keys, []string{f.key, Name}):
			header = s.end
		case s.value >= 0 && f.holds(s.keys):
			return nil, fmt.Errorf("%s is written as one value: %w", strings.Join(s.keys, "."), errByHand)
		case s.value >= 0:
			at := slices.IndexFunc(missing, func(m member) bool {
				return slices.Equal(s.keys, []string{f.key, Name, m.name})
			})
			if at < 0 {
				continue
			}
			text = slices.Concat(text[:s.value], []byte(tomlText(missing[at])), text[s.valueEnd:])
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
	if err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &root); err != nil {
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
		if len(s.keys) < len(whole) || !slices.Equal(s.keys[:len(whole)], whole) {
			continue
		}
		text = slices.Delete(slices.Clone(text), s.start, s.end)
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
	if toml.Unmarshal(bytes.TrimPrefix(text, bom), &root) != nil {
		return nil // what cannot be read is not replaced
	}
	servers, _ := root[f.key].(map[string]any)
	server, _ := servers[Name].(map[string]any)
	return wordsOf(server)
}

// statements are those of a text, in their order. A text that is no TOML is an error: nothing is
// written into it.
func statements(text []byte) ([]statement, error) {
	body, marked := bytes.CutPrefix(text, bom)
	skipped := 0
	if marked {
		skipped = len(bom)
	}
	var any map[string]any
	if err := toml.Unmarshal(body, &any); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errByHand)
	}
	var p unstable.Parser
	p.Reset(body)
	var out []statement
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		first, last := -1, 0
		for it := e.Key(); it.Next(); {
			n := it.Node()
			keys = append(keys, string(n.Data))
			if first < 0 {
				first = int(n.Raw.Offset)
			}
			last = int(n.Raw.Offset + n.Raw.Length)
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keys
			out = append(out, statement{
				keys:  keys,
				start: lineStart(body, first),
				end:   lineEnd(body, last),
				value: -1,
			})
		case unstable.KeyValue:
			end := int(e.Raw.Offset + e.Raw.Length)
			value := last + bytes.IndexByte(body[last:], '=') + 1
			for value < end && (body[value] == ' ' || body[value] == '\t') {
				value++
			}
			out = append(out, statement{
				keys:     slices.Concat(table, keys),
				start:    lineStart(body, first),
				end:      lineEnd(body, end),
				value:    value,
				valueEnd: end,
			})
		}
	}
	for i := range out {
		out[i].start += skipped
		out[i].end += skipped
		out[i].valueEnd += skipped
		if out[i].value >= 0 {
			out[i].value += skipped
		}
	}
	return out, p.Error()
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd is behind the end of the line, comments included.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// newlineOf is how a text ends its lines: as its first one does.
func newlineOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
