package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// maxMember bounds how far ahead the name of a member is looked for, in tokens.
const maxMember = 256

// declared reads a method, constructor, field or property, whose type or name stands at the cursor. from is where the
// text of it begins.
func (r *javaReader) declared(from pos) {
	name, behind := r.memberName()
	at := r.token(behind)
	switch {
	case name == noPos:
		r.at = behind
	case at.Is('(') && int(behind) < len(r.view):
		r.method(name, behind, from)
	case at.Is('{') && name == r.at && int(behind) < len(r.view): // the short constructor of a record
		d := r.define(Constructor, name, from)
		r.at = behind
		r.within(d, r.body)
		r.finish(d)
	default:
		r.fields(name, behind, from)
	}
}

// memberName finds the name of the member whose type begins at the cursor, and what stands behind it. Without a name:
// noPos, and where to go on.
func (r *javaReader) memberName() (name, behind pos) {
	look := r.cursor
	for last := r.at + maxMember; look.more() && look.at < last; {
		t := look.tok()
		switch {
		case t.Word == lex.Operator:
			return operatorName(&look)
		case t.Word == lex.This && look.peekIs(1, '['): // an indexer
			return look.at, look.at + 1
		case t.Kind == lex.Name:
			look.next()
		case t.Kind != lex.Punct || t.Closes():
			return noPos, look.at + 1
		case t.Is('<'):
			end := r.angleEndAt(look.at)
			if end == look.at {
				return noPos, look.at + 1
			}
			look.at = end
		case t.Is('['):
			look.skipBrackets()
		case t.Is('('):
			if name := r.calledName(&look); name != noPos {
				return name, look.at
			}
			look.skipBrackets() // a tuple
		case endsMemberName(t):
			return r.nameBefore(&look)
		default:
			look.next()
		}
	}
	return noPos, r.at + 1
}

// operatorName finds the sign behind operator.
func operatorName(look *cursor) (name, behind pos) {
	for look.next(); look.more() && !look.is('('); look.next() {
	}
	return look.at - 1, look.at
}

// endsMemberName reports whether the name of a member stands before t.
func endsMemberName(t *lex.Token) bool {
	switch t.Char {
	case '=', ';', ',', '{', lex.OpFat:
		return true
	}
	return false
}

// calledName is the place of the name before the bracket at look, or before the type parameters there; noPos: there is
// none, so that the bracket holds a tuple.
func (r *javaReader) calledName(look *cursor) pos {
	before := look.peek(-1)
	switch {
	case look.at == r.at:
		return noPos
	case before.Kind == lex.Name && before.Word != lex.Throw:
		return look.at - 1
	case before.Is('>'):
		return r.beforeAngle(look.at - 1)
	}
	return noPos
}

// beforeAngle is the place of the name before the type parameters that end at p.
func (r *javaReader) beforeAngle(p pos) pos {
	depth := 0
	for ; p > r.at; p-- {
		if t := r.token(p); t.Is('>') {
			depth++
		} else if t.Is('<') {
			if depth--; depth == 0 {
				return p - 1
			}
		}
	}
	return noPos
}

// nameBefore finds the name before look, with the brackets of an array behind it.
func (r *javaReader) nameBefore(look *cursor) (name, behind pos) {
	p := look.at - 1
	for p > r.at && r.token(p).Is(']') && pos(r.token(p).Aux) < p {
		p = pos(r.token(p).Aux) - 1
	}
	if p >= r.at && r.token(p).Name() {
		return p, look.at
	}
	if look.is('{') {
		look.skipBrackets()
		return noPos, look.at
	}
	return noPos, look.at + 1
}

// method reads a method or constructor. Its type begins at the cursor; name and params are where these stand.
func (r *javaReader) method(name, params, from pos) {
	kind := Method
	if r.at == name && r.class >= 0 {
		kind = Constructor
	}
	symbol := r.symAt(name)
	if symbol == 0 { // an operator
		symbol = r.names.Intern(r.textAt(name))
	}
	d := r.defineAs(kind, symbol, name, from)
	if r.inNameless() {
		r.standsIn(d, r.nameless.bases)
	}
	begin := r.beginScope()
	r.within(d, func() { r.methodRest(d, name, params) })
	r.endScope(begin)
	r.finish(d)
	r.skip(';')
}

// methodRest reads the method d from its type on.
func (r *javaReader) methodRest(d int32, name, params pos) {
	start := r.at
	if r.token(name + 1).Is('<') {
		r.at = name + 1
		r.typeParams()
		r.at = start
	}
	if start != name {
		r.def(d).Type = r.typeUntil(name)
	}
	r.promise(name)
	r.at = params
	r.params()
	r.throws()
	r.signature(d)
	switch {
	case r.is('{'):
		r.body()
	case r.is(lex.OpFat):
		r.next()
		r.exprsUntil(r.find(';', r.at, pos(len(r.view))))
		r.skip(';')
	}
}

// typeUntil reads the type at the cursor, which ends before end.
func (r *javaReader) typeUntil(end pos) Sym {
	m, at := r.top(), r.at
	outer := r.until(end)
	r.typ()
	r.widen(outer)
	r.at = max(at, r.at)
	return r.pop(m)
}

// throws reads what stands between parameters and body.
func (r *javaReader) throws() {
	for r.more() && !r.is('{') && !r.is(';') && !r.is('}') && !r.is(lex.OpFat) {
		switch {
		case r.is('('):
			r.inBrackets()
		case r.word() == lex.Throws || r.isConstraint():
			r.next()
			r.mentions()
		default:
			r.next()
		}
	}
}

// params binds the parameters in the brackets at the cursor.
func (r *javaReader) params() {
	outer := r.open()
	for r.more() {
		r.param()
		r.next() // the comma
	}
	r.shut(outer)
}

// param reads one parameter up to its comma.
func (r *javaReader) param() {
	r.modifiers()
	r.skipWord(lex.This) // of an extension method of C#
	var t Sym
	if inferred := r.soft("var") && r.peekName(1); inferred {
		r.next()
	} else {
		m := r.top()
		r.typ()
		t = r.pop(m)
	}
	r.dimensions()
	if r.name() {
		r.bind(r.sym(), t)
		r.next()
	}
	r.exprsUntil(r.commaOrEnd())
}

// dimensions passes [], ..., ? and annotations between a type and a name.
func (r *javaReader) dimensions() {
	for {
		switch {
		case r.is('@'):
			r.next()
			r.annotation()
		case r.is('['):
			r.skipBrackets()
		case r.is(lex.OpDots) || r.is('?') || r.is('*') || r.is('&'):
			r.next()
		default:
			return
		}
	}
}

// fields reads fields or a property. The type begins at the cursor, the first name stands at name.
func (r *javaReader) fields(name, behind, from pos) {
	t := r.typeUntil(max(name, r.at+1))
	for {
		d := r.define(Field, name, from)
		r.def(d).Type = t
		r.unhide(r.symAt(name))
		r.at = behind
		r.within(d, r.fieldValue)
		r.finish(d)
		if !r.is(',') || !r.peekName(1) {
			break
		}
		name = r.at + 1
		from, behind = name, name+1
	}
	r.skip(';')
}

// unhide has a name mean the field of the class around, and not a type parameter of this class: in an expression it is
// the value, as in class A<T> { static final Key T = …; }.
func (r *javaReader) unhide(name Sym) {
	if r.class >= 0 && r.cur == r.class && r.isLocal(name) {
		r.rebind(name, name)
	}
}

// fieldValue reads the value of a field or the accessors of a property, and the value behind these.
func (r *javaReader) fieldValue() {
	begin := r.beginScope()
	if r.is('[') && r.peekWord(-1) == lex.This { // an indexer
		r.params()
	}
	for r.is('[') {
		r.skipBrackets()
	}
	switch {
	case r.is('{') && r.sharp:
		r.accessors()
	case r.is('{'):
		r.body()
	}
	if r.is(lex.OpFat) || r.is('=') {
		r.next()
		r.exprsUntil(r.valueEnd())
	}
	r.endScope(begin)
}

// valueEnd is the place of what ends the value at the cursor: a semicolon, or a comma with another variable behind it.
func (r *javaReader) valueEnd() pos { return r.endBefore(false) }

// endBefore is the place of the next semicolon, of the next comma or, unless any is meant, of one with another variable
// behind it, or of the limit; what stands in brackets and type arguments does not count.
func (r *javaReader) endBefore(anyComma bool) pos {
	look := r.cursor
	for look.more() && !look.is(';') {
		if look.is(',') && (anyComma || anotherVariable(&look)) {
			break
		}
		if look.is('<') {
			look.at = max(r.angleEndAt(look.at), look.at+1)
			continue
		}
		look.skipOne()
	}
	return min(look.at, pos(len(r.view)))
}

// anotherVariable reports whether a comma stands at c, and behind it another variable of the same declaration.
func anotherVariable(c *cursor) bool {
	if !c.is(',') || !c.peekName(1) {
		return false
	}
	t := c.peek(2)
	return t.Is('=') || t.Is(',') || t.Is(';') || t.Is('[')
}
