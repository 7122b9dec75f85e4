package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// Conditions, the labels of a switch, and the patterns in both:
//
//	if (o instanceof A a) { a.f(); }    case B(var x, C c) when c.g() -> x.h();    while (o is not D d) …
//
// What a pattern binds is visible behind the brackets that it stands in, so it is bound in the block around these. That
// is more than the languages do; it ends with the block, and the next pattern of the same name hides it.

// maxLabel bounds how far ahead the end of a label is looked for, in tokens.
const maxLabel = 256

// condition reads the brackets at the cursor, without a scope of their own.
func (r *javaReader) condition() {
	if !r.enter() {
		r.skipBrackets()
		return
	}
	outer := r.open()
	r.conditions()
	r.shut(outer)
	r.leave()
}

// conditions reads expressions up to the limit. What their patterns bind stays bound.
func (r *javaReader) conditions() {
	for m := r.top(); r.more(); r.drop(m) {
		at := r.at
		if r.definition(); r.at > at {
			continue
		}
		if r.is('(') && r.findPattern() {
			r.condition()
		} else {
			r.step()
		}
		r.past(at)
	}
}

// findPattern reports whether something in the brackets at the cursor is asked for its type.
func (r *javaReader) findPattern() bool {
	for p, end := r.at, r.closing(); p < end; p++ {
		if r.token(p).Word == lex.Is {
			return true
		}
	}
	return false
}

// pattern reads what stands behind instanceof, is and case: a type, and behind it a name for the value or, in brackets,
// names for its components.
func (r *javaReader) pattern() {
	r.localModifiers()
	n := r.typeLength()
	name := r.at + pos(n)
	switch {
	case n == 0:
	case r.peekIs(n, '('):
		r.typeUntil(name)
		r.at = name
		r.params()
	case r.peekName(n) && !r.isGuard(n):
		var t Sym
		if n > 1 || !r.soft("var") {
			t = r.typeUntil(name)
		}
		r.at = name
		r.bind(r.sym(), t)
		r.next()
	}
}

// isGuard reports whether a word that goes on with a pattern stands n tokens further on.
func (r *javaReader) isGuard(n int) bool {
	return r.peekSoft(n, "when") || r.sharp && (r.peekSoft(n, "and") || r.peekSoft(n, "or"))
}

// label reads what stands behind case: "A, B ->" with its arrow, or "A:" up to its colon, behind which a statement
// begins.
func (r *javaReader) label() {
	end := r.labelEnd()
	if end == r.at {
		return
	}
	outer := r.until(end)
	r.pattern()
	r.skipSoft("when")
	r.conditions()
	r.widen(outer)
	r.at = end
	r.skip(lex.OpArrow)
}

// labelEnd is the place of the arrow or colon behind the label at the cursor, or the cursor's own where there is none.
func (r *javaReader) labelEnd() pos {
	look := r.cursor
	for last := r.at + maxLabel; look.more() && look.at < last; look.skipOne() {
		switch t := look.tok(); {
		case t.Is(':') || t.Is(lex.OpArrow):
			return look.at
		case t.Is(';') || t.Closes() || t.Word == lex.Case:
			return r.at
		}
	}
	return r.at
}
