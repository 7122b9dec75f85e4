package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// pos is the place of a token in its file: how many stand before it.
type pos int

// noPos is no place.
const noPos pos = -1

// cursor is where a reader stands in a file, and how far it sees: never behind the bracket that it is in. A reader
// looks ahead by counting tokens (peek) or, where it cannot know how many, with a copy of its cursor:
//
//	look := r.cursor
//	look.skipBrackets()
//	if look.is(OpFat) { … } // (…) => is a function
type cursor struct {
	src  []byte
	view []lex.Token // the tokens up to the limit; its capacity holds those behind
	at   pos         // of the token that the cursor stands before
	stop *lex.Token  // what it sees behind the limit: the end of the file
}

// limit is how far a cursor sees: the first token that it does not.
type limit int

// newCursor stands before the first of toks, which end with a EOF.
func newCursor(src []byte, toks []lex.Token) cursor {
	last := len(toks) - 1
	return cursor{src: src, view: toks[:last], stop: &toks[last]}
}

// more reports whether the cursor stands before a token that it sees.
func (c *cursor) more() bool { return int(c.at) < len(c.view) }

// tok is the token at the cursor.
func (c *cursor) tok() *lex.Token {
	if uint(c.at) < uint(len(c.view)) {
		return &c.view[c.at]
	}
	return c.stop
}

// peek is the token n further on, or back. Before the first token there is the end, as behind the last one.
func (c *cursor) peek(n int) *lex.Token {
	if i := int(c.at) + n; uint(i) < uint(len(c.view)) {
		return &c.view[i]
	}
	return c.stop
}

// is reports whether the operator or bracket ch stands at the cursor.
func (c *cursor) is(ch byte) bool { return c.tok().Is(ch) }

// peekIs reports whether ch stands n tokens further on.
func (c *cursor) peekIs(n int, ch byte) bool { return c.peek(n).Is(ch) }

// word is the keyword at the cursor; a name has none.
func (c *cursor) word() lex.Word { return c.tok().Word }

// peekWord is the keyword n tokens further on.
func (c *cursor) peekWord(n int) lex.Word { return c.peek(n).Word }

// name reports whether a name, and no keyword, stands at the cursor.
func (c *cursor) name() bool { return c.tok().Name() }

// peekName reports whether a name stands n tokens further on.
func (c *cursor) peekName(n int) bool { return c.peek(n).Name() }

// soft reports whether the name text stands at the cursor: a word that is a keyword in some places only.
func (c *cursor) soft(text string) bool { return c.peekSoft(0, text) }

// peekSoft reports whether the name text stands n tokens further on.
func (c *cursor) peekSoft(n int, text string) bool {
	t := c.peek(n)
	return t.Kind == lex.Name && string(c.src[t.Start:t.End]) == text
}

// text is what the file has at the cursor.
func (c *cursor) text() []byte { return c.peekText(0) }

// peekText is the text of the token n further on.
func (c *cursor) peekText(n int) []byte {
	t := c.peek(n)
	return c.src[t.Start:t.End]
}

// next passes one token.
func (c *cursor) next() { c.at++ }

// advance passes n tokens.
func (c *cursor) advance(n int) { c.at += pos(n) }

// skip passes ch, if it stands at the cursor, and reports whether it did.
func (c *cursor) skip(ch byte) bool {
	if !c.is(ch) {
		return false
	}
	c.at++
	return true
}

// skipWord passes the keyword w, if it stands at the cursor, and reports whether it did.
func (c *cursor) skipWord(w lex.Word) bool {
	if c.word() != w {
		return false
	}
	c.at++
	return true
}

// skipSoft passes the name text, if it stands at the cursor, and reports whether it did.
func (c *cursor) skipSoft(text string) bool {
	if !c.soft(text) {
		return false
	}
	c.at++
	return true
}

// past makes sure that the cursor has left at. Each loop over tokens that do not have to make sense ends with it:
// whatever the step of the loop thought of the text, it goes on.
func (c *cursor) past(at pos) {
	if c.at <= at {
		c.at = at + 1
	}
}

// closing is the place of the bracket that closes the one at the cursor, or the limit. It is always past the cursor.
func (c *cursor) closing() pos {
	end := min(pos(c.tok().Aux), pos(len(c.view)))
	return max(end, c.at+1)
}

// skipBrackets passes the bracket at the cursor with all that it holds.
func (c *cursor) skipBrackets() {
	c.at = min(c.closing()+1, pos(len(c.view)))
}

// skipOne passes one token, or a bracket with all that it holds.
func (c *cursor) skipOne() {
	if c.tok().Opens() {
		c.skipBrackets()
		return
	}
	c.at++
}

// find is the place of the next ch outside brackets between from and to, or to. It is for what is looked for all the
// time, where a copy of the cursor costs too much.
func (c *cursor) find(ch byte, from, to pos) pos {
	for p := from; p < to; p = c.behind(p, to) {
		if c.view[p].Is(ch) {
			return p
		}
	}
	return to
}

// findWord is find for a keyword.
func (c *cursor) findWord(w lex.Word, from, to pos) pos {
	for p := from; p < to; p = c.behind(p, to) {
		if c.view[p].Word == w {
			return p
		}
	}
	return to
}

// behind is the place behind the token at p, or behind the bracket that it opens, at most to.
func (c *cursor) behind(p, to pos) pos {
	if t := &c.view[p]; t.Opens() {
		p = max(p, pos(t.Aux))
	}
	return min(p+1, to)
}

// skipAll passes all that the cursor sees.
func (c *cursor) skipAll() { c.at = pos(len(c.view)) }

// skipTo passes what stands before the next ch outside brackets, or before the limit.
func (c *cursor) skipTo(ch byte) {
	for c.more() && !c.is(ch) {
		c.skipOne()
	}
}

// open moves into the bracket at the cursor, whose end becomes the limit. What it answers is for shut:
//
//	outer := r.open()
//	for r.more() { … }
//	r.shut(outer)
func (c *cursor) open() (outer limit) {
	end := c.closing()
	c.at++
	return c.until(end)
}

// shut moves behind the bracket that open moved into.
func (c *cursor) shut(outer limit) {
	c.at = min(pos(len(c.view))+1, pos(outer))
	c.widen(outer)
}

// between is a cursor that sees what stands from one place up to another.
func (c *cursor) between(from, to pos) cursor {
	look := *c
	look.at = from
	look.until(to)
	return look
}

// until makes end the limit and answers the one before, for widen.
func (c *cursor) until(end pos) (outer limit) {
	outer = limit(len(c.view))
	c.view = c.view[:min(max(end, 0), pos(outer))]
	return outer
}

// widen sets the limit back to what it was.
func (c *cursor) widen(outer limit) { c.view = c.view[:outer] }
