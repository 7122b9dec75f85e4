// Package toml finds where in a text of TOML its values stand, for those who change one and keep what people wrote
// around it. What the values mean is read elsewhere.
package toml

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A Statement is a part of a text that sets a value or begins a table. Offsets are bytes.
type Statement struct {
	Keys       []string // from the root
	Start, End int      // of its whole lines, comments behind it and the line end included
	Value      int      // where its value begins; -1: it begins a table
	ValueEnd   int      // 0 beside a Value of -1
	Table      int      // the index of the statement that begins its table, its own if it begins one; -1 at the root
}

// mark is what some editors of Windows put before a text.
var mark = []byte("\xef\xbb\xbf")

// Statements are those of a text, in their order. A byte order mark before it is passed over. The error is the
// parser's; it does not find everything that is wrong: keys that stand twice, for one.
func Statements(text []byte) ([]Statement, error) {
	body := bytes.TrimPrefix(text, mark)
	r := reader{text: text, skipped: len(text) - len(body), table: -1}
	var p unstable.Parser
	p.Reset(body)
	for p.NextExpression() {
		r.read(p.Expression())
	}
	return r.out, p.Error()
}

// A reader collects statements.
type reader struct {
	text    []byte
	skipped int // bytes before what the parser sees
	out     []Statement
	prefix  []string // the keys of the table that is open
	table   int
}

func (r *reader) read(e *unstable.Node) {
	keys, first, last := r.keys(e)
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		r.prefix, r.table = keys, len(r.out)
		r.out = append(r.out, Statement{
			Keys:  keys,
			Start: r.lineStart(first),
			End:   r.lineEnd(last),
			Value: -1,
			Table: r.table,
		})
	case unstable.KeyValue:
		end := int(e.Raw.Offset+e.Raw.Length) + r.skipped
		r.out = append(r.out, Statement{
			Keys:     slices.Concat(r.prefix, keys),
			Start:    r.lineStart(first),
			End:      r.lineEnd(end - 1),
			Value:    r.value(last),
			ValueEnd: end,
			Table:    r.table,
		})
	}
}

// keys are those of an expression, and where the first begins and the last ends.
func (r *reader) keys(e *unstable.Node) (keys []string, first, last int) {
	first = -1
	for it := e.Key(); it.Next(); {
		n := it.Node()
		keys = append(keys, string(n.Data))
		start := int(n.Raw.Offset) + r.skipped
		if first < 0 {
			first = start
		}
		last = start + int(n.Raw.Length)
	}
	return keys, first, last
}

// value is behind the equals sign that follows the last key.
func (r *reader) value(at int) int {
	at += bytes.IndexByte(r.text[at:], '=') + 1
	for at < len(r.text) && (r.text[at] == ' ' || r.text[at] == '\t') {
		at++
	}
	return at
}

// lineStart is where the line begins that an offset is in, behind a mark.
func (r *reader) lineStart(at int) int {
	return max(bytes.LastIndexByte(r.text[:at], '\n')+1, r.skipped)
}

// lineEnd is behind the line that an offset is in.
func (r *reader) lineEnd(at int) int {
	if i := bytes.IndexByte(r.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(r.text)
}
