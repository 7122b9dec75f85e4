package syntax

import "helve/engine/code/internal/syntax/internal/lex"

var javaKinds = map[lex.Word]Kind{lex.Class: Class, lex.Interface: Interface, lex.Enum: Enum, lex.Struct: Struct}

// typeAt reads the type whose keyword stands at the cursor. from is where the text of it begins.
func (r *javaReader) typeAt(from pos) {
	kind := javaKinds[r.word()]
	r.next()
	if r.tok().Kind == lex.Name {
		r.typeNamed(kind, from)
	}
}

// beginsSoftType reports whether record or delegate stands at the cursor, which are names in other places.
func (r *javaReader) beginsSoftType() bool {
	return r.peek(1).Kind == lex.Name && (r.soft("record") || r.soft("delegate"))
}

// softType reads a record or a delegate.
func (r *javaReader) softType(from pos) {
	if r.soft("delegate") {
		r.delegate(from)
		return
	}
	kind, name := Class, 1
	switch r.peekWord(1) {
	case lex.Struct:
		kind, name = Struct, 2
	case lex.Class:
		name = 2
	}
	if t := r.peek(name + 1); !t.Is('(') && !t.Is('<') && !t.Is('{') && !t.Is(':') && !t.Is(';') {
		r.advance(name - 1)
		r.declared(from)
		return
	}
	r.advance(name)
	r.typeNamed(kind, from)
}

// typeNamed reads a type from its name on:
//
//	A<T extends B>(C c) extends D implements E {…}
func (r *javaReader) typeNamed(kind Kind, from pos) {
	d := r.define(kind, r.at, from)
	was, class, this, begin := r.cur, r.class, r.this, r.beginScope()
	r.cur, r.class, r.this = d, d, r.classPath(d)
	r.next()
	if r.is('<') {
		r.typeParams()
	}
	if r.is('(') {
		r.components()
	}
	r.heritage()
	r.signature(d)
	if r.is('{') {
		outer := r.open()
		if kind == Enum {
			r.constants()
		}
		r.members()
		r.shut(outer)
	}
	r.cur, r.class, r.this = was, class, this
	r.endScope(begin)
	r.finish(d)
}

// typeParams binds the type parameters at the cursor to their bounds, up to the end of the scope.
func (r *javaReader) typeParams() {
	end := r.angleEnd()
	if end == r.at {
		r.next()
		return
	}
	r.next()
	outer := r.until(end - 1)
	for r.more() {
		r.typeParam()
		r.at = r.commaOrEnd()
		r.next()
	}
	r.widen(outer)
	r.at = end
}

// typeParam binds "T", "@A T extends B & C" or, in C#, "out T". The bounds may speak of it themselves.
func (r *javaReader) typeParam() {
	r.modifiers()
	r.skipWord(lex.In)
	if !r.name() {
		return
	}
	name := r.sym()
	r.bind(name, 0)
	r.next()
	if !r.skipWord(lex.Extends) {
		return
	}
	m := r.top()
	r.typ()
	if bound := r.pop(m); r.names.Text(bound) != "Object" { // of which nothing is known
		r.rebind(name, bound)
	}
	for r.skip('&') {
		r.typ()
		r.drop(m)
	}
}

// components defines the components of a record as fields.
func (r *javaReader) components() {
	outer := r.open()
	for r.more() {
		m := r.top()
		r.modifiers()
		r.typ()
		t := r.pop(m)
		r.dimensions()
		if r.name() {
			d := r.define(Field, r.at, r.at)
			r.def(d).Type = t
			r.next()
			r.exprsUntil(r.commaOrEnd()) // its default in C#
		}
		r.at = r.commaOrEnd()
		r.next()
	}
	r.shut(outer)
}

// commaOrEnd is the place of the next comma outside brackets, or the limit.
func (r *javaReader) commaOrEnd() pos { return r.find(',', r.at, pos(len(r.view))) }

// typ reads a type, which may have annotations, be a list, or in C# a tuple.
func (r *javaReader) typ() {
	for r.is('@') && r.peek(1).Kind == lex.Name {
		r.next()
		r.annotation()
	}
	m := r.top()
	if r.is('(') && r.sharp {
		r.tuple()
		return
	}
	r.typeName()
	if r.is('[') {
		r.listOf(m)
	}
}

// mentions reads "throws A, b.B", "permits A, B" and "where T : A, B", none of which names a base.
func (r *javaReader) mentions() {
	m := r.top()
	for r.more() && !r.is('{') && !r.is(';') && !r.is('}') && !r.is(lex.OpFat) {
		if r.name() && !r.isConstraint() {
			r.typeName()
			r.drop(m)
			continue
		}
		r.next()
	}
}

// isConstraint reports whether a word stands at the cursor that constrains a type parameter and is no type.
func (r *javaReader) isConstraint() bool {
	return r.sharp && (r.soft("where") || r.soft("notnull") || r.soft("unmanaged"))
}

// heritage reads what stands between the name of a type and its body.
func (r *javaReader) heritage() {
	for r.more() && !r.is('{') && !r.is(';') && !r.is('}') {
		switch {
		case r.soft("where") || r.soft("permits"):
			r.next()
			r.mentions()
			return
		case r.name():
			r.base()
		case r.is('('):
			r.inBrackets()
		default:
			r.next()
		}
	}
}

// constants defines the constants at the start of an enumeration, up to the semicolon behind them.
func (r *javaReader) constants() {
	for r.more() && !r.is(';') {
		r.modifiers()
		if !r.name() {
			break
		}
		d := r.define(Member, r.at, r.at)
		r.next()
		if r.is('(') {
			r.inBrackets()
		}
		if r.skip('=') {
			r.exprsUntil(r.commaOrEnd())
		}
		if r.is('{') {
			base := r.def(r.class).Name
			r.within(d, func() { r.withoutName(base, r.classBodyHere) })
		}
		r.finish(d)
		r.skip(',')
	}
	r.next()
}

// classBodyHere reads the members in the brackets at the cursor.
func (r *javaReader) classBodyHere() {
	outer := r.open()
	r.members()
	r.shut(outer)
}

// classBody reads the body of a class of Java without a name. In C# an initialiser stands there, which is read as any
// block.
func (r *javaReader) classBody(base Sym) {
	if r.sharp {
		return
	}
	class, this := r.class, r.this
	r.class, r.this = noDef, ""
	r.withoutName(base, r.classBodyHere)
	r.class, r.this = class, this
}
