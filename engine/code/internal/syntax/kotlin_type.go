package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// typeDefinition reads class and interface.
func (r *kotlinReader) typeDefinition(kind Kind) {
	from := r.start()
	if kind == Class && r.peekSoft(-1, "enum") {
		kind = Enum
	}
	r.next()
	if r.name() {
		r.typeNamed(kind, from, func(d int32) { r.typeRest(d, kind) })
	}
}

// typeRest reads the primary constructor, the bases and the body of a type.
func (r *kotlinReader) typeRest(d int32, kind Kind) {
	r.constructorWord()
	if r.is('(') {
		r.params()
	}
	r.heritage()
	r.signature(d)
	if !r.is('{') {
		r.skip(';')
		return
	}
	outer := r.open()
	if kind == Enum {
		r.entries()
	}
	r.statements()
	r.shut(outer)
}

// constructorWord passes @Inject internal constructor before the parameters of a class, which may stand on lines of
// their own. Without that word, annotations and modifiers belong to what comes next.
func (r *kotlinReader) constructorWord() {
	look := r.cursor
	for look.is('@') || look.word() == lex.Decl {
		if !look.skip('@') {
			look.next()
			continue
		}
		look.next()
		for look.is('.') {
			look.advance(2)
		}
		if look.is('(') && !look.tok().First {
			look.skipBrackets()
		}
	}
	if !look.soft("constructor") {
		return
	}
	for r.at < look.at {
		at := r.at
		if r.is('@') {
			r.annotation()
		}
		r.past(at)
	}
	r.next()
}

// object reads object Name, whose members a companion shares with the class around, and object: Base {…}, a
// value.
func (r *kotlinReader) object() {
	from, companion := r.start(), r.peekSoft(-1, "companion")
	r.next()
	switch {
	case r.name():
		r.typeNamed(Class, from, func(d int32) { r.typeRest(d, Class) })
	case companion:
		r.heritage()
		if r.is('{') {
			r.body()
		}
	default:
		from := r.at
		r.heritage()
		if r.is('{') {
			r.withoutName(r.basesBetween(from, r.at), func() { r.nested("") })
		}
	}
}

// nested reads the body at the cursor, of what is no type that has a name. this is what that word means in it.
func (r *kotlinReader) nested(this string) {
	class, owner, outer := r.class, r.owner, r.this
	r.class, r.owner, r.this = noDef, 0, this
	r.body()
	r.class, r.owner, r.this = class, owner, outer
}

// entries defines the entries of an enum: A, B(1), C { fun f() {} }. The cursor then stands before its members.
func (r *kotlinReader) entries() {
	for r.more() && !r.is(';') {
		if at := r.at; r.is('@') {
			r.annotation()
			r.past(at)
			continue
		}
		if !r.name() {
			return
		}
		d := r.define(Member, r.at, r.at)
		r.next()
		if r.is('(') {
			r.inBrackets()
		}
		if r.is('{') {
			enum := r.def(r.cur).Name
			r.within(d, func() { r.withoutName(enum, func() { r.nested(r.this) }) })
		}
		r.finish(d)
		if !r.skip(',') {
			return
		}
	}
}

// constructor reads constructor(a: A) : this(a) {…}.
func (r *kotlinReader) constructor() {
	d := r.define(Constructor, r.at, r.at)
	r.next()
	begin, m := r.beginScope(), r.top()
	r.within(d, func() {
		r.params()
		if r.skip(':') {
			r.value()
			r.drop(m)
		}
		if r.is('{') {
			r.body()
		}
	})
	r.endScope(begin)
	r.finish(d)
}

// property reads val a: T = x, val (a, b) = x, val A.b: T get() = x, and such variables.
func (r *kotlinReader) property() {
	from := r.start()
	r.next()
	switch {
	case r.is('('):
		pattern := r.at
		r.skipBrackets()
		r.variable(from, noPos, pattern, r.noMore)
	case r.tok().Kind == lex.Name:
		for r.peekIs(1, '.') && r.peek(2).Kind == lex.Name { // of an extension
			r.advance(2)
		}
		r.next()
		r.variable(from, r.at-1, noPos, r.noMore)
	}
}

func (r *colon) noMore(int32) {}

// loopInBrackets reads for (x in xs) {…}.
func (r *kotlinReader) loopInBrackets() {
	begin := r.beginScope()
	r.next()
	outer := r.open()
	r.loopHead()
	r.shut(outer)
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}
