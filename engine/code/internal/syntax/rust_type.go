package syntax

import (
	"helve/engine/code/internal/syntax/internal/lex"
)

// typeDefinition reads struct, enum, trait and union.
func (r *rustReader) typeDefinition(kind Kind) {
	from := r.start()
	r.next()
	if !r.name() {
		return
	}
	r.typeNamed(kind, from, func(d int32) { r.typeRest(d, kind) })
}

// typeRest reads what follows the name and the type parameters of a type.
func (r *rustReader) typeRest(d int32, kind Kind) {
	if r.is('(') {
		r.tupleFields()
	}
	r.heritage()
	r.signature(d)
	switch {
	case !r.is('{'):
		r.skip(';')
	case kind == Interface:
		r.body()
	case kind == Enum:
		r.variants()
	default:
		r.fields()
	}
}

// tupleFields refers to the types in struct X(pub A, B).
func (r *rustReader) tupleFields() {
	outer := r.open()
	for r.more() {
		at, m := r.at, r.top()
		if r.is('#') {
			r.attribute()
			r.past(at)
			continue
		}
		r.visibility()
		r.typ()
		r.drop(m)
		r.past(at)
	}
	r.shut(outer)
}

// visibility passes pub and pub(crate).
func (r *rustReader) visibility() {
	if r.skipWord(lex.Pub) && r.is('(') {
		r.skipBrackets()
	}
}

// fields defines the fields of a struct or union.
func (r *rustReader) fields() {
	outer := r.open()
	for r.more() {
		at := r.at
		switch {
		case r.is('#'):
			r.attribute()
		case r.tok().Kind == lex.Name && r.peekIs(1, ':'):
			r.field()
		}
		r.past(at)
	}
	r.shut(outer)
}

// field reads a: T.
func (r *rustReader) field() {
	d, m := r.define(Field, r.at, r.at), r.top()
	r.advance(2)
	r.typ()
	r.def(d).Type = r.pop(m)
	r.finish(d)
	r.skipTo(',')
}

// variants defines the variants of an enum.
func (r *rustReader) variants() {
	outer := r.open()
	for r.more() {
		at := r.at
		switch {
		case r.is('#'):
			r.attribute()
		case r.name():
			r.variant()
		}
		r.past(at)
	}
	r.shut(outer)
}

// variant reads A, A(T), A { b: T } and A = 1.
func (r *rustReader) variant() {
	d := r.define(Member, r.at, r.at)
	r.next()
	r.within(d, func() {
		switch {
		case r.is('('):
			r.tupleFields()
		case r.is('{'):
			r.fields()
		}
	})
	r.skipTo(',')
	r.finish(d)
}

// impl reads impl<T> Trait for Type where … {…} and impl<T> Type {…}. Both add to Type; the trait is a base of
// it.
func (r *rustReader) impl() {
	at := r.at
	begin := r.beginScope()
	r.next()
	r.typeParams()
	open := r.bodyAhead()
	if open == noPos {
		r.endScope(begin)
		r.at = at + 1
		return
	}
	trait := r.at
	outer := r.until(open)
	target := r.implFor(open)
	r.at = target
	r.skip('!')
	path, name := r.typePath()
	r.within(r.typeHere(name), func() {
		r.constraints()
		if target > trait {
			r.until(target - 1)
			r.at = trait
			r.trait()
		}
	})
	r.widen(outer)
	r.at = open
	r.members(path, name)
	r.endScope(begin)
}

// implFor is the place of the type in the impl whose body stands at open: behind for, or at the cursor.
func (r *rustReader) implFor(open pos) pos {
	target := r.at
	for p := r.at; p < open; p++ {
		if r.token(p).Word == lex.For && !r.token(p+1).Is('<') {
			target = p + 1
		}
	}
	return target
}

// trait refers to the trait that an impl implements. What is implemented with ! is not.
func (r *rustReader) trait() {
	if r.is('!') {
		return
	}
	for r.more() && !r.name() {
		r.next()
	}
	if r.more() {
		r.base()
	}
}

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
