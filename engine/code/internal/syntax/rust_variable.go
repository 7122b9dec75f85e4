package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// constant reads const A: T = x and static mut A: T = x.
func (r *rustReader) constant() {
	from, kind := r.start(), Constant
	if r.soft("static") {
		kind = Variable
	}
	r.next()
	for r.word() == lex.Mut || r.word() == lex.Ref {
		r.next()
	}
	if r.tok().Kind != lex.Name || r.soft("_") {
		return
	}
	d := r.define(kind, r.at, from)
	r.owned(d)
	r.next()
	m := r.top()
	r.within(d, func() {
		if r.skip(':') {
			r.typ()
		}
		r.def(d).Type = r.pop(m)
		if r.skip('=') {
			r.exprsUntil(r.find(';', r.at, pos(len(r.view))))
		}
	})
	r.finish(d)
	r.next()
}

// let reads let mut a: T = x, let (a, b) = x and let Some(a) = x.
func (r *rustReader) let() {
	let := r.at
	r.next()
	for r.word() == lex.Mut || r.word() == lex.Ref || r.is('&') {
		r.next()
	}
	name, pattern := noPos, noPos
	switch {
	case r.is('(') || r.is('['):
		pattern = r.at
		r.skipBrackets()
	case r.name():
		name, pattern = r.binder()
	default:
		r.at = let + 1
		return
	}
	m := r.top()
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	if r.skip('=') {
		if v := r.assigned(); t == 0 {
			t = v
		}
	}
	if pattern != noPos {
		behind := r.at
		r.at = pattern
		r.pattern()
		r.at = behind
	}
	r.bindVariable(name, t)
}

// binder passes what let binds at the cursor: the name at name, or those in the brackets at pattern.
func (r *rustReader) binder() (name, pattern pos) {
	name = r.at
	r.next()
	for r.is(lex.OpScope) && r.more() {
		r.advance(2)
	}
	if !r.is('(') && !r.is('{') {
		return name, noPos
	}
	pattern = r.at
	outer, m := r.until(pattern), r.top()
	r.at = name
	r.typeName()
	r.drop(m)
	r.widen(outer)
	r.at = pattern
	r.skipBrackets()
	return noPos, pattern
}
