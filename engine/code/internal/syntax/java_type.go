package syntax

var javaKinds = map[word]Kind{wClass: Class, wInterface: Interface, wEnum: Enum, wStruct: Struct}

// typeAt reads the type whose keyword stands at the cursor. from is where the text of it begins.
func (r *javaReader) typeAt(from pos) {
	kind := javaKinds[r.word()]
	r.next()
	if r.tok().kind == tName {
		r.typeNamed(kind, from)
	}
}

// beginsSoftType reports whether record or delegate stands at the cursor, which are names in other places.
func (r *javaReader) beginsSoftType() bool {
	return r.peek(1).kind == tName && (r.soft("record") || r.soft("delegate"))
}

// softType reads a record or a delegate.
func (r *javaReader) softType(from pos) {
	if r.soft("delegate") {
		r.delegate(from)
		return
	}
	kind, name := Class, 1
	switch r.peekWord(1) {
	case wStruct:
		kind, name = Struct, 2
	case wClass:
		name = 2
	}
	if t := r.peek(name + 1); !t.is('(') && !t.is('<') && !t.is('{') && !t.is(':') && !t.is(';') {
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
	outer := r.until(end)
	for at := r.at; r.at < end-1; r.next() {
		if !r.name() || r.at != at+1 && !r.peekIs(-1, ',') {
			continue
		}
		bound, m, name := Sym(0), r.top(), r.at
		if r.peekWord(1) == wExtends {
			r.advance(2)
			r.typeName()
			bound = r.pop(m)
			r.at = name
		}
		r.bind(r.sym(), bound)
	}
	r.widen(outer)
	r.at = end
}

// components defines the components of a record as fields.
func (r *javaReader) components() {
	outer := r.open()
	for r.more() {
		m := r.top()
		r.modifiers()
		r.typeName()
		t := r.pop(m)
		r.dimensions()
		if r.name() {
			d := r.define(Field, r.at, r.at)
			r.def(d).Type = t
		}
		r.at = r.commaOrEnd()
		r.next()
	}
	r.shut(outer)
}

// commaOrEnd is the place of the next comma, or the limit.
func (r *javaReader) commaOrEnd() pos {
	p := r.at
	for int(p) < len(r.view) && !r.view[p].is(',') {
		p++
	}
	return p
}

// heritage reads what stands between the name of a type and its body.
func (r *javaReader) heritage() {
	for r.more() && !r.is('{') && !r.is(';') && !r.is('}') {
		switch {
		case r.soft("where") || r.soft("permits"): // neither names a base
			for r.more() && !r.is('{') && !r.is(';') {
				r.next()
			}
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
		if r.is('=') {
			r.at = r.commaOrEnd()
		}
		if r.is('{') {
			r.within(d, r.classBodyHere)
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
func (r *javaReader) classBody() {
	if r.sharp {
		return
	}
	class := r.class
	r.class = noDef
	r.classBodyHere()
	r.class = class
}
