package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// field adds the property whose name, with a $, stands at p, to a class.
func (r *phpReader) field(p pos, t Sym, class int32) { r.fieldFrom(p, p, t, class) }

// fieldFrom is field for a property that begins at from.
func (r *phpReader) fieldFrom(p, from pos, t Sym, class int32) {
	name := r.names.Intern(r.textAt(p)[1:])
	r.within(class, func() {
		d := r.defineAs(Field, name, p, from)
		r.def(d).Type = t
	})
}

// documented is the type that the comment before the token at p gives to what is called name; 0: none.
func (r *phpReader) documented(p pos, name string, tags ...string) Sym {
	doc := r.docBefore(p)
	if doc == nil {
		return 0
	}
	return r.docType(doc.tag(name, tags...), phpDocTypes(), r.this)
}

// property reads "private ?T $x = v, $y;". Behind modifiers that belong to a method or a constant it stops.
func (r *phpReader) property() {
	from := r.at
	for r.word() == lex.Decl || r.soft("static") {
		r.next()
	}
	switch r.word() {
	case lex.Func, lex.Const, lex.Class, lex.Interface:
		return
	}
	m := r.top()
	r.typ()
	t := r.pop(m)
	if t == 0 {
		t = r.documented(from, "", "var")
	}
	for r.variable() {
		r.fieldFrom(r.at, from, t, r.class)
		r.next()
		if r.skip('=') {
			r.exprsUntil(r.valueEnd())
		}
		if !r.skip(',') {
			return
		}
	}
}

// valueEnd is the place of the comma or semicolon behind a value, or the limit.
func (r *phpReader) valueEnd() pos {
	look := r.cursor
	for look.more() && !look.is(';') && !look.is(',') {
		if look.is('{') { // of what follows, where the semicolon is missing
			look.next()
			continue
		}
		look.skipOne()
	}
	return look.at
}

// constants reads "const A = v, B = w".
func (r *phpReader) constants() {
	from := r.at
	for r.next(); r.more() && !r.is(';'); r.next() {
		if r.tok().Kind != lex.Name || !r.peekIs(1, '=') {
			continue
		}
		d := r.define(Constant, r.at, from)
		r.advance(2)
		r.within(d, func() { r.exprsUntil(r.valueEnd()) })
		r.finish(d)
		if !r.is(',') {
			return
		}
	}
	r.at = from + 1
}

var phpKinds = map[lex.Word]Kind{lex.Class: Class, lex.Interface: Interface, lex.Enum: Enum}

// typeAt reads a class, with a name or without, an interface, a trait or an enumeration.
func (r *phpReader) typeAt() {
	from, kind := r.at, phpKinds[r.word()]
	for from > 0 && r.token(from-1).Word == lex.Decl {
		from--
	}
	r.next()
	if !r.name() {
		r.withoutNameHere()
		return
	}
	d := r.define(kind, r.at, from)
	r.next()
	was, class, this := r.cur, r.class, r.this
	r.cur, r.class, r.this = d, d, r.classPath(d)
	r.heritage()
	r.signature(d)
	r.members()
	r.cur, r.class, r.this = was, class, this
	r.finish(d)
}

// withoutNameHere reads the rest of a class without a name, whose $this is not that around it.
func (r *phpReader) withoutNameHere() {
	from, begin, class, this := r.at, r.beginScope(), r.class, r.this
	r.heritage()
	r.class, r.this = noDef, ""
	r.bind(r.names.InternString("$this"), 0)
	r.withoutName(r.basesBetween(from, r.at), r.members)
	r.class, r.this = class, this
	r.endScope(begin)
}

// heritage refers to the types before the body of a class, and reads the arguments of one without a name.
func (r *phpReader) heritage() {
	for r.more() && !r.is('{') && !r.is(';') {
		switch {
		case r.is('('):
			r.inBrackets()
		case r.name():
			r.heir()
		default:
			r.next()
		}
	}
}

// heir refers to the base type at the cursor, and passes it.
func (r *phpReader) heir() {
	m := r.top()
	if r.inNamespace() {
		r.namespace()
	}
	r.referMember(m, Inherit)
	r.drop(m)
	r.next()
}

// members reads the body of a class.
func (r *phpReader) members() {
	if !r.is('{') {
		return
	}
	outer := r.open()
	r.statements()
	r.shut(outer)
}

// catch reads the brackets behind catch, and binds the exception.
func (r *phpReader) catch() {
	outer, m := r.open(), r.top()
	r.typ()
	t := r.pop(m)
	if r.variable() {
		r.bind(r.sym(), t)
	}
	r.shut(outer)
}
