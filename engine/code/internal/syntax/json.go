package syntax

import (
	"bytes"
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

var jsonDialect = sync.OnceValue(newJSONDialect)

func newJSONDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(nil), "\"", "")
	d.Special = func(_ *lex.Lexer, i int) int { return i }
	return d
}

// readJSON takes the keys of JSON as an outline.
func (r *reader) readJSON() {
	r.lex(jsonDialect())
	r.jsonValues(0)
}

// jsonValues reads the keys up to the limit, which stand in so many others. Lists count as one.
func (r *reader) jsonValues(level int) {
	if level >= maxKeyDepth || !r.enter() {
		return
	}
	for r.more() && len(r.rows.Defs) < maxSections {
		switch {
		case r.tok().Kind == lex.String && r.peekIs(1, ':'):
			r.jsonKey(level)
		case r.is('{'):
			r.inJSON(level)
		case r.is('['):
			r.inJSON(level + 1)
		default:
			r.next()
		}
	}
	r.leave()
}

// inJSON reads the keys in the brackets at the cursor.
func (r *reader) inJSON(level int) {
	outer := r.open()
	r.jsonValues(level)
	r.shut(outer)
}

// jsonKey reads a key and its value.
func (r *reader) jsonKey(level int) {
	d := r.defineAs(Key, r.quoted(), r.at, r.at)
	r.advance(2)
	switch {
	case r.is('{') || r.is('['):
		r.within(d, func() { r.inJSON(level + 1) })
	case r.more():
		r.next()
	}
	r.finish(d)
}

// yamlReader takes the keys of YAML as an outline by their indentation.
type yamlReader struct {
	outline
	block int // the indentation of the key whose value is the text of several lines that the line stands in, or noBlock
}

const noBlock = -1

func (r *reader) readYAML() {
	y := &yamlReader{outline: outline{reader: r}, block: noBlock}
	y.lines(y.line)
}

func (r *yamlReader) line(l textLine) {
	text := bytes.TrimLeft(l.text, " ")
	indent := len(l.text) - len(text)
	if len(text) == 0 || text[0] == '#' || r.inBlock(indent) {
		return
	}
	r.block = noBlock
	for bytes.HasPrefix(text, []byte("- ")) {
		text, indent = text[2:], indent+2
	}
	key, rest, ok := yamlKey(text)
	if !ok || indent > 2*maxKeyDepth {
		return
	}
	r.section(Key, key, indent+1, l, l)
	if beginsBlock(bytes.TrimSpace(rest)) {
		r.block = indent
	}
}

// inBlock reports whether a line of this indentation belongs to the text of several lines around it.
func (r *yamlReader) inBlock(indent int) bool { return r.block != noBlock && indent > r.block }

// beginsBlock reports whether the value behind a key is a text of several lines, which follow.
func beginsBlock(value []byte) bool { return len(value) > 0 && (value[0] == '|' || value[0] == '>') }

// yamlKey cuts a line into a key and what stands behind its colon.
func yamlKey(text []byte) (key, rest []byte, ok bool) {
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') {
		if k := bytes.IndexByte(text[1:], text[0]); k > 0 && k+2 < len(text) && text[k+2] == ':' {
			return text[1 : k+1], text[k+3:], true
		}
		return nil, nil, false
	}
	for k, c := range text {
		switch c {
		case ':':
			if k+1 == len(text) || text[k+1] == ' ' {
				return text[:k], text[k+1:], k > 0
			}
		case '{', '[', '"', '#':
			return nil, nil, false
		}
	}
	return nil, nil, false
}
