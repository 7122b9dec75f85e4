package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// typ reads the type at the cursor and pushes what members it has: those of its first alternative that is known.
//
//	A | B    A & B    A extends B ? C : D    x is A
func (r *ecmaReader) typ() {
	m := r.top()
	if !r.enter() {
		r.pushUnknown()
		r.skipAll()
		return
	}
	defer r.leave()
	if !r.skip('|') {
		r.skip('&')
	}
	r.typePart()
	for r.more() {
		t := r.tok()
		switch {
		case t.Is('|') || t.Is('&') || !t.First && (t.Word == lex.Extends || r.soft("is")):
			r.next()
			r.alternative(m)
		case t.Is('?') && !t.First:
			r.next()
			next := r.top()
			r.typ()
			if r.skip(':') {
				r.typ()
			}
			r.drop(next)
			return
		default:
			return
		}
	}
}

// alternative reads another part of the type from m on. It counts when nothing was known before.
func (r *ecmaReader) alternative(m mark) {
	if !r.known(m) {
		r.drop(m)
		r.typePart()
		return
	}
	next := r.top()
	r.typePart()
	r.drop(next)
}

var ecmaPrimitives = sync.OnceValue(func() map[string]bool {
	return nameSet("any unknown number string boolean never object symbol bigint")
})

// typePart reads one alternative of a type, with the [] behind it.
func (r *ecmaReader) typePart() {
	for r.isTypeModifier() {
		r.next()
	}
	m, t := r.top(), r.tok()
	switch {
	case t.Kind == lex.Name && ecmaPrimitives()[string(r.text())]:
		r.pushUnknown()
		r.next()
	case t.Kind == lex.Name:
		r.typeName()
	case t.Is('(') || t.Is('<'):
		r.functionType()
		return
	case t.Is('{') || t.Is('['):
		outer := r.open()
		r.typeRefs()
		r.shut(outer)
		r.pushUnknown()
	case t.Kind == lex.String || t.Kind == lex.Number:
		r.pushUnknown()
		r.next()
	default:
		r.pushUnknown()
		return
	}
	for r.is('[') && !r.tok().First {
		if r.peekIs(1, ']') {
			r.listOf(m)
		} else {
			r.forget(m) // T[K], the type of a member
		}
		r.skipBrackets()
	}
}

// isTypeModifier reports whether a word stands at the cursor that goes before a type, with one behind it.
func (r *ecmaReader) isTypeModifier() bool {
	next := r.peek(1)
	if r.tok().Kind != lex.Name || next.Kind != lex.Name && !next.Is('(') {
		return false
	}
	if w := r.word(); w == lex.New || w == lex.Del {
		return true
	}
	switch string(r.text()) {
	case "readonly", "keyof", "unique", "infer", "asserts", "abstract":
		return true
	}
	return false
}

// functionType reads (a: A) => R, or a type in brackets.
func (r *ecmaReader) functionType() {
	m, begin := r.top(), r.beginScope()
	defer r.endScope(begin)
	if r.is('<') {
		r.typeParams()
	}
	look := r.cursor
	look.skipBrackets()
	outer := r.open()
	if !look.is(lex.OpFat) {
		r.typ()
		r.shut(outer)
		if r.is('[') && r.peekIs(1, ']') {
			r.skipBrackets()
		}
		return
	}
	r.typeRefs()
	r.shut(outer)
	r.drop(m)
	r.next()
	r.typ()
	r.functionOf(m)
}

// typeRefs refers to the types up to the limit: to all names but those of members and parameters.
func (r *ecmaReader) typeRefs() {
	for ; r.more(); r.next() {
		if !r.name() || r.peekIs(-1, '.') || r.namesMember() {
			continue
		}
		if name := r.sym(); !r.isLocal(name) {
			r.referName(name, Mention)
		}
	}
}

// namesMember reports whether the name at the cursor is that of a member or parameter: a: T, a?: T and a(…).
func (r *ecmaReader) namesMember() bool {
	return r.peekIs(1, ':') || r.peekIs(1, '(') || r.peekIs(1, '?') && r.peekIs(2, ':')
}

// interfaceDefinition reads interface A<T> extends B {…}.
func (r *ecmaReader) interfaceDefinition() {
	from := r.at
	r.next()
	d := r.define(Interface, r.at, from)
	r.next()
	begin := r.beginScope()
	r.within(d, func() {
		if r.is('<') {
			r.typeParams()
		}
		r.heritage()
		r.signature(d)
		if r.is('{') {
			r.members(r.signatureMember)
		}
	})
	r.endScope(begin)
	r.finish(d)
}

// alias reads type A<T> = …. The members of a type that is written out are defined, as those of an interface.
func (r *ecmaReader) alias() {
	from, begin, m := r.at, r.beginScope(), r.top()
	r.next()
	d := r.define(Alias, r.at, from)
	r.next()
	r.within(d, func() {
		if r.is('<') {
			r.typeParams()
		}
		if !r.skip('=') {
			return
		}
		at := r.at
		if r.is('{') {
			r.members(r.signatureMember)
			r.at = at
		}
		r.typ()
	})
	r.def(d).Type = r.pop(m)
	r.endScope(begin)
	r.finish(d)
}

// signatureMember reads one line of an interface:
//
//	readonly name?: T    name<U>(a: A): R    (a: A): R    new (a: A): R    [key: string]: T
func (r *ecmaReader) signatureMember() {
	for r.tok().Kind == lex.Name && r.peek(1).Kind == lex.Name && !r.peek(1).First {
		r.next() // readonly, get, set
	}
	if r.word() == lex.New && (r.peekIs(1, '(') || r.peekIs(1, '<')) {
		r.next()
	}
	name, t := r.at, r.tok()
	switch {
	case t.Is('['):
		r.inBrackets()
		r.skip('?')
		fallthrough
	case t.Is('<') || t.Is('('):
		begin, m := r.beginScope(), r.top()
		r.callSignature()
		r.drop(m)
		r.endScope(begin)
		return
	case t.Kind != lex.Name:
		r.skipOne()
		return
	}
	r.next()
	r.skip('?')
	kind := Field
	if r.is('(') || r.is('<') {
		kind = Method
	} else if !r.is(':') {
		return
	}
	begin, m := r.beginScope(), r.top()
	d := r.define(kind, name, name)
	r.within(d, r.callSignature)
	r.def(d).Type = r.pop(m)
	r.endScope(begin)
	r.finish(d)
}

// callSignature reads <T>(x: T): U, or the rest of it, and pushes U.
func (r *ecmaReader) callSignature() {
	if r.is('<') {
		r.typeParams()
	}
	if r.is('(') {
		r.paramList(nil)
	}
	if r.skip(':') {
		r.typ()
	}
}

// enum reads enum A {B, C = x}, from the keyword on; from is where the text of it begins.
func (r *ecmaReader) enum(from pos) {
	r.next()
	if !r.name() || !r.peekIs(1, '{') {
		return
	}
	d := r.define(Enum, r.at, from)
	r.next()
	r.signature(d)
	outer := r.open()
	r.within(d, func() {
		for ; r.more(); r.skipOne() {
			if r.tok().Kind == lex.Name && (r.peekIs(-1, '{') || r.peekIs(-1, ',')) {
				r.define(Member, r.at, r.at)
			}
		}
	})
	r.shut(outer)
	r.finish(d)
}

// namespace reads namespace A.B {…} and module "m" {…}.
func (r *ecmaReader) namespace() {
	from := r.at
	r.next()
	for r.peekIs(1, '.') {
		r.advance(2)
	}
	at := r.at
	name := r.quoted()
	if name == 0 {
		name = r.sym()
	}
	r.next()
	if !r.is('{') {
		r.at = from + 2
		return
	}
	d := r.defineAs(Module, name, at, from)
	r.signature(d)
	r.within(d, r.body)
	r.finish(d)
}
