package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// classDefinition reads
//
//	class A<T> extends B implements C {…}
//
// from is where the text of it begins. A class without a name is called as what it is assigned to; in other
// expressions it is read for what it refers to.
func (r *ecmaReader) classDefinition(from pos) {
	d, assigned := noDef, r.peekIs(-1, '=') || r.peekIs(-1, ':')
	before := r.at - 2
	r.next()
	switch {
	case r.name() && !r.soft("implements"):
		if assigned {
			r.classAssigned(before, r.sym())
		}
		d = r.define(Class, r.at, from)
		if r.cur >= 0 {
			r.bind(r.sym(), r.sym())
		}
		r.next()
	case assigned && r.token(before).Kind == lex.Name:
		d = r.define(Class, before, from)
		r.def(d).Owner = r.assignedTo(before)
	}
	class, this, was, begin := r.class, r.this, r.cur, r.beginScope()
	if d >= 0 {
		r.cur = d
	}
	if r.is('<') {
		r.typeParams()
	}
	head := r.at
	r.heritage()
	if d >= 0 {
		r.signature(d)
		r.class, r.this = d, r.classPath(d)
	} else {
		r.class, r.this = noDef, ""
	}
	if r.is('{') {
		bases := Sym(0)
		if d < 0 && r.cur >= 0 {
			bases = r.basesBetween(head, r.at)
		}
		r.withoutName(bases, func() { r.members(r.classMember) })
	}
	r.class, r.this, r.cur = class, this, was
	r.endScope(begin)
	if d >= 0 {
		r.finish(d)
	}
}

// assignedTo is the X of an X.name at the top of a file, whose name stands at p; 0: there is none, or it is exports.
func (r *ecmaReader) assignedTo(p pos) Sym {
	if r.cur >= 0 || p < 2 || !r.token(p-1).Is('.') || r.token(p-2).Kind != lex.Name || r.token(p-2).Word != lex.NoWord {
		return 0
	}
	if string(r.textAt(p-2)) == "exports" || string(r.textAt(p)) == "exports" {
		return 0
	}
	return r.symAt(p - 2)
}

// classAssigned reads the X.name of X.name = class Y: a field of X whose members are those of Y.
func (r *ecmaReader) classAssigned(name pos, class Sym) {
	owner := r.assignedTo(name)
	if owner == 0 {
		return
	}
	d := r.define(Field, name, name-2)
	r.def(d).Owner, r.def(d).Type = owner, class
	r.within(d, func() { r.referTo(owner, 0, Mention, name-2) })
	r.finish(d)
}

// classNamed reads the Y behind X.Name = Y, with the cursor at it: of a class that X is to have, too.
func (r *ecmaReader) classNamed(name pos) {
	behind := r.peek(1)
	if !r.name() || !behind.Is(';') && !behind.First || !isCapital(r.text()[0]) || !isCapital(r.textAt(name)[0]) {
		return
	}
	class := r.sym()
	if r.cur < 0 && r.symAt(name) != class && r.token(name-1).Is('.') && string(r.textAt(name-2)) == "exports" {
		d := r.define(Field, name, name-2) // exports.X = Y: what the file has as X is Y
		r.def(d).Owner, r.def(d).Type = r.symAt(name-2), class
		return
	}
	r.classAssigned(name, class)
}

// members reads the brackets at the cursor, one member after the other.
func (r *ecmaReader) members(member func()) {
	outer := r.open()
	if r.enter() {
		for r.more() {
			at := r.at
			member()
			r.past(at)
		}
		r.leave()
	} else {
		r.flat()
	}
	r.shut(outer)
}

// heritage reads extends and implements up to the body.
func (r *ecmaReader) heritage() {
	for r.more() && !r.is('{') {
		switch {
		case r.name() && !r.soft("implements"):
			r.baseType()
		case r.is('(') && r.peekWord(-1) == lex.Extends:
			outer := r.open()
			r.heritage()
			r.shut(outer)
		case r.is('(') || r.is('['):
			r.inBrackets()
		default:
			r.next()
		}
	}
}

// baseType reads a base or, when it is called, a function that makes one.
func (r *ecmaReader) baseType() {
	m := r.top()
	if r.peekIs(1, '.') && !r.isLocal(r.sym()) {
		r.referName(r.sym(), Mention)
	}
	r.qualifier()
	use := Inherit
	if r.peekIs(1, '(') {
		use = Call
	}
	r.referMember(m, use)
	r.drop(m)
	r.next()
	r.typeArguments()
}

// classMember reads one member of a class, with its modifiers:
//
//	@decorator private static async *name<T>(a: A): R {…}    readonly name?: T = x    [key]() {…}    static {…}
func (r *ecmaReader) classMember() {
	from := r.at
	for r.is('@') {
		r.decorator()
	}
	for r.tok().Kind == lex.Name && isModified(r.peek(1)) {
		static := r.soft("static")
		r.next()
		if static && r.is('{') {
			r.body()
			return
		}
	}
	r.skip('*')
	name := r.at
	switch t := r.tok(); {
	case t.Kind == lex.Name:
		r.next()
	case t.Kind == lex.String || t.Kind == lex.Number:
		r.next()
		name = -1
	case t.Is('['):
		r.inBrackets()
		name = -1
	default:
		r.next()
		return
	}
	if !r.skip('?') {
		r.skip('!')
	}
	if r.is('(') || r.is('<') {
		r.method(name, from)
		return
	}
	r.classField(name, from)
}

// isModified reports whether t makes the word before it a modifier and not a name.
func isModified(t *lex.Token) bool {
	if t.First {
		return false
	}
	return t.Kind == lex.Name || t.Kind == lex.String || t.Is('[') || t.Is('*') || t.Is('{')
}

// method reads the parameters and body of the method whose name stands at name; -1: its name is computed.
func (r *ecmaReader) method(name, from pos) {
	if name < 0 {
		r.function(noDef)
		return
	}
	kind := Method
	if string(r.textAt(name)) == "constructor" {
		kind = Constructor
	}
	d := r.define(kind, name, from)
	if r.inNameless() && kind == Method {
		r.standsIn(d, r.nameless.bases)
	}
	r.doc = r.docOf(from)
	r.within(d, func() { r.function(d) })
	r.finish(d)
}

// classField reads the type and value of the field whose name stands at name; -1: its name is computed.
func (r *ecmaReader) classField(name, from pos) {
	m := r.top()
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	if t == 0 {
		t = r.documentedType(r.docOf(from), "", "type")
	}
	assigned := r.skip('=')
	if assigned && name >= 0 && r.isFunction() {
		r.namedFunction(Method, name, from)
		return
	}
	d := noDef
	if name >= 0 && r.class >= 0 {
		d = r.field(name, from, t)
	}
	if assigned {
		was := r.cur
		if d >= 0 {
			r.cur = d
		}
		r.expressionOf(t)
		r.cur = was
		r.typeField(d, r.pop(m))
	}
	if d >= 0 {
		r.finish(d)
	}
}

// typeField gives the field d a type, if it has none.
func (r *ecmaReader) typeField(d int32, t Sym) {
	if d >= 0 && r.def(d).Type == 0 {
		r.def(d).Type = t
	}
}

// field defines a field of the class around, once.
func (r *ecmaReader) field(name, from pos, t Sym) int32 {
	key := memberOf(r.class, r.symAt(name))
	if d, ok := r.fields[key]; ok {
		return d
	}
	was := r.cur
	r.cur = r.class
	d := r.define(Field, name, from)
	r.cur = was
	r.def(d).Type = t
	r.fields[key] = d
	return d
}

// fieldAssigned reads this.name = value, which defines a field of the class around.
func (r *ecmaReader) fieldAssigned() {
	if r.class < 0 || !r.peekIs(1, '.') || !r.peekName(2) || !r.peekIs(3, '=') {
		return
	}
	at, m := r.at, r.top()
	documented := r.documentedType(r.docOf(at), "", "type")
	if _, defined := r.fields[memberOf(r.class, r.symAt(at+2))]; defined {
		r.pushThis("")
		r.referTo(r.symAt(at+2), r.pop(m), Mention, at+2)
	}
	r.advance(4)
	r.expression()
	t := r.pop(m)
	if documented != 0 {
		t = documented
	}
	r.typeField(r.field(at+2, at, t), t)
}

// moduleExported notes what module.exports = Name at the cursor makes the whole of the module.
func (r *ecmaReader) moduleExported() {
	if !r.soft("module") || !r.peekSoft(2, "exports") || !r.peekIs(3, '=') {
		return
	}
	from := r.at
	r.advance(4)
	whole := r.isFunction() && !(r.word() == lex.Func && r.peekName(1))
	r.at = from
	if whole { // a function without a name: it is called module.exports
		r.rows.Package = r.peekSym(2)
		return
	}
	name := 4
	if w := r.peek(4).Word; w == lex.Class || w == lex.Func {
		name = 5
	} else if behind := r.peek(5); behind.Kind != lex.EOF && !behind.First && !behind.Is(';') {
		return
	}
	if r.peekName(name) {
		r.rows.Package = r.peekSym(name)
	}
}

// memberAssigned reads X.prototype.f = function…, exports.f = … and X.f = function… at the top of a file.
func (r *ecmaReader) memberAssigned() {
	r.moduleExported()
	from, owner := r.at, r.sym()
	exported := r.soft("exports")
	for r.peekIs(1, '.') && r.peek(2).Kind == lex.Name {
		if !r.soft("prototype") {
			owner, exported = r.sym(), r.soft("exports")
		}
		r.advance(2)
	}
	name := r.at
	r.next()
	if !r.skip('=') || !r.isFunction() {
		r.classNamed(name)
		r.at = from
		return
	}
	if exported {
		r.namedFunction(Function, name, from)
		return
	}
	d := int32(len(r.rows.Defs))
	r.namedFunction(Method, name, from)
	r.def(d).Owner = owner
	r.within(d, func() { r.referTo(r.symAt(from), 0, Mention, from) })
}
