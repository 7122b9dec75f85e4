package syntax

import "sync"

import "helve/engine/code/internal/syntax/internal/lex"

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
