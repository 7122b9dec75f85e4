package syntax

import "helve/engine/code/internal/syntax/internal/lex"

func (r *reader) readJava() { r.readClasses(javaDialect(), false) }

// readClasses reads a file of Java or C#.
func (r *reader) readClasses(d *lex.Dialect, sharp bool) {
	r.lex(d)
	j := &javaReader{curly: curly{reader: r, angles: true}, sharp: sharp, class: noDef}
	j.language = j
	j.members()
}

// members reads what stands in a file, a namespace or a type, up to the limit.
func (r *javaReader) members() {
	if !r.enter() {
		r.flat()
		return
	}
	for r.more() {
		at := r.at
		r.oneMember()
		r.past(at)
	}
	r.leave()
}

// oneMember reads an import, a type, a member of a type or an initialiser, with the modifiers before it. The type
// parameters among these hold up to its end.
func (r *javaReader) oneMember() {
	begin := r.beginScope()
	from := r.at
	r.modifiers()
	r.afterModifiers(from)
	r.endScope(begin)
}

// afterModifiers reads what the modifiers from the token from on belong to.
func (r *javaReader) afterModifiers(from pos) {
	switch r.word() {
	case lex.Package:
		r.next()
		r.rows.Package = r.dotted()
	case lex.Import:
		r.next()
		r.importName()
	case lex.Using:
		r.next()
		r.usingName()
	case lex.Module:
		r.namespace()
	case lex.Class, lex.Interface, lex.Enum, lex.Struct:
		r.typeAt(from)
	default:
		switch {
		case r.is('{'): // an initialiser
			r.body()
		case r.beginsSoftType():
			r.softType(from)
		default:
			r.declared(from)
		}
	}
}

// modifiers passes annotations, attributes, words such as public, and the type parameters before a method of Java.
func (r *javaReader) modifiers() {
	for r.more() {
		switch {
		case r.is('@'):
			r.next()
			if r.tok().Kind == lex.Name && r.word() != lex.Interface {
				r.annotation()
			}
		case r.is('[') && r.sharp:
			r.inBrackets()
		case r.is('<') && !r.sharp:
			r.typeParams()
		case r.soft("non") && r.peekIs(1, '-'): // non-sealed
			r.advance(2)
		case r.isModifier():
			r.next()
		default:
			return
		}
	}
}

// isModifier reports whether a word that says more of the declaration behind it stands at the cursor.
func (r *javaReader) isModifier() bool {
	switch r.word() {
	case lex.Decl, lex.Default:
		return true
	case lex.New:
		return r.sharp
	case lex.NoWord:
		return r.peek(1).Kind == lex.Name && (r.soft("sealed") || r.soft("required") || r.soft("file") || r.soft("global"))
	}
	return false
}

// annotation reads the name behind @, and what stands in brackets behind it. Type parameters behind it are a method's.
func (r *javaReader) annotation() {
	r.qualified(Mention)
	if r.is('(') {
		r.inBrackets()
	}
}

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
