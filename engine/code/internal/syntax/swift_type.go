package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// typeDefinition reads class, struct, enum, protocol and actor. class func and class var are no types.
func (r *swiftReader) typeDefinition(kind Kind) {
	from := r.start()
	r.next()
	if r.name() {
		r.typeNamed(kind, from, r.typeRest)
	}
}

// typeRest reads the bases and the body of a type.
func (r *swiftReader) typeRest(d int32) {
	r.heritage()
	r.signature(d)
	if r.is('{') {
		r.body()
	}
}

// extension reads extension Type: P where … {…}, which adds to Type; P is a base of it.
func (r *swiftReader) extension() {
	r.next()
	open := r.bodyAhead()
	if open == noPos {
		return
	}
	outer := r.until(open)
	path, name := r.typePath()
	r.within(r.typeHere(name), r.heritage)
	r.widen(outer)
	r.at = open
	r.members(path, name)
}

// cases defines the cases of an enum: case a, b(T), c = 1.
func (r *swiftReader) cases() {
	r.next()
	for r.tok().Kind == lex.Name {
		r.define(Member, r.at, r.at)
		r.next()
		if r.is('(') {
			m := r.top()
			r.tuple()
			r.drop(m)
		}
		if r.is('=') {
			r.advance(2)
		}
		if !r.skip(',') {
			return
		}
	}
}

// property reads let a: T = x, var a: T {…}, let (a, b) = x, and such variables.
func (r *swiftReader) property() {
	from := r.start()
	r.next()
	switch {
	case r.is('('):
		pattern := r.at
		r.skipBrackets()
		r.variable(from, noPos, pattern, r.accessors)
	case r.tok().Kind == lex.Name:
		r.next()
		r.variable(from, r.at-1, noPos, r.accessors)
	}
}

// accessors reads the body of a computed property, or what watches one.
func (r *swiftReader) accessors(int32) {
	if r.is('{') {
		r.body()
	}
}
