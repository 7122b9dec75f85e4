package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// guessDialect is for languages without a reader: words that begin functions and types in some of them.
var guessDialect = sync.OnceValue(newGuessDialect)

func newGuessDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func:  "function func fun fn def sub proc procedure defun method",
		lex.Class: "class struct interface trait enum object module protocol type record message service contract entity",
	}), "\"", "")
	d.Special = func(_ *lex.Lexer, i int) int { return i }
	return d
}

// readUnknown guesses: a word such as function or class, then a name. References are names before brackets.
func (r *reader) readUnknown() {
	r.lex(guessDialect())
	r.rows.Generic = true
	for ; r.more(); r.next() {
		if !r.name() {
			continue
		}
		before, nl := r.peekWord(-1), r.tok().First
		switch {
		case before == lex.Func && !nl:
			r.guess(Function)
		case before == lex.Class && !nl:
			r.guess(Class)
		case r.peekIs(1, '('):
			r.referName(r.sym(), Call)
		}
	}
}

// maxGuess bounds how far behind a name its block is looked for, in tokens.
const maxGuess = 64

// guess defines the name at the cursor, up to the end of the block that follows on its line or the next. The cursor
// stays, as what stands in the block is read like all the rest.
func (r *reader) guess(kind Kind) {
	name := r.at
	d := r.define(kind, name, name-1)
	if block := r.guessedBlock(); block != noPos {
		r.at = block
		r.signature(d)
		r.skipBrackets()
	} else {
		r.at = name + 1
	}
	r.finish(d)
	r.at = name
}

// guessedBlock is where the block of the definition begins whose name stands at the cursor, or noPos.
func (r *reader) guessedBlock() pos {
	look := r.cursor
	for look.next(); look.more() && look.at < r.at+maxGuess; {
		switch {
		case look.is('(') || look.is('['):
			look.skipBrackets()
		case look.is('{'):
			return look.at
		case look.tok().First:
			return noPos
		default:
			look.next()
		}
	}
	return noPos
}
