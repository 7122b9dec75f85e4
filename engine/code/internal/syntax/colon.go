package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// colon is what the readers of Rust, Kotlin and Swift share: languages with curly brackets that write a type
// behind its name.
type colon struct {
	curly
	class int32         // the type whose body is read, or noDef
	owner Sym           // the type that an impl or extension adds to, or 0
	types map[Sym]int32 // the types of this file, for what adds to them
}

// newColon stands before the first token. lines: statements end with their line.
func newColon(r *reader, lines bool) colon {
	return colon{
		curly: curly{reader: r, angles: true, lines: lines},
		class: noDef,
		types: map[Sym]int32{},
	}
}

// inClass reports whether the cursor is in the body of a type, and in nothing that stands there.
func (r *colon) inClass() bool { return r.class != noDef && r.cur == r.class }

// inExtension is inClass for what adds to a type: an impl, an extension.
func (r *colon) inExtension() bool { return r.owner != 0 && r.cur == noDef }

// owned says whose member d is, where the type around does not say it.
func (r *colon) owned(d int32) {
	if r.inExtension() {
		r.def(d).Owner = r.owner
	}
}

// start is where the definition whose keyword stands at the cursor begins: with the modifiers before it on its
// line.
func (r *colon) start() pos {
	p := r.at
	for p > 0 && !r.token(p).First && isColonModifier(r.token(p-1)) {
		p--
	}
	return p
}

func isColonModifier(t *lex.Token) bool {
	if t.Kind != lex.Name {
		return false
	}
	switch t.Word {
	case lex.Pub, lex.Decl, lex.Const, lex.NoWord:
		return true
	}
	return false
}

// isModifier reports whether the name at the cursor is one of words, which are modifiers where a definition
// follows and names everywhere else.
func (r *colon) isModifier(words map[string]bool) bool {
	next := r.peek(1)
	if next.Kind != lex.Name || next.First || !words[string(r.text())] {
		return false
	}
	switch next.Word {
	case lex.Func, lex.Class, lex.Struct, lex.Enum, lex.Interface, lex.Object, lex.Type, lex.Var,
		lex.Init, lex.Case, lex.Extension, lex.Decl:
		return true
	}
	return words[string(r.peekText(1))]
}

// annotation passes @name and @name(…).
func (r *colon) annotation() {
	if r.peek(1).Kind != lex.Name {
		return
	}
	m := r.top()
	r.next()
	r.typeName()
	r.drop(m)
	if r.is('(') && !r.tok().First {
		r.inBrackets()
	}
}

// typeParams binds the type parameters at the cursor to the first of their bounds, and passes them: <'a, A, B: C
// + D, const N: usize>.
func (r *colon) typeParams() {
	if !r.is('<') {
		return
	}
	end := r.angleEnd()
	if end == r.at {
		return
	}
	outer := r.until(end - 1)
	for r.next(); r.more(); r.next() {
		r.skipWord(lex.Const)
		name := noPos
		if r.name() {
			name = r.at
			r.next()
		}
		m := r.top()
		if r.skip(':') {
			r.bound()
		}
		if t := r.pop(m); name != noPos {
			r.bind(r.symAt(name), t)
		}
		r.toComma()
	}
	r.widen(outer)
	r.at = end
}

// bound reads A + B and pushes the first of them that has members: 'a and ?Sized have none.
func (r *colon) bound() {
	for r.is('\'') || r.is('?') {
		r.skip('?')
		r.next()
		if !r.skip('+') {
			r.pushUnknown()
			return
		}
	}
	r.typ()
}

// toComma passes what stands before the next comma outside of all brackets, angle brackets too.
func (r *colon) toComma() {
	for r.more() && !r.is(',') {
		if !r.skipAngles() {
			r.skipOne()
		}
	}
}

// callable is what is known of a function before its parameters are read.
type callable struct {
	from, name pos
	symbol     Sym // its name, which is more than the token at name for an operator
	receiver   Sym // the type that it is added to by its name alone, or 0: Kotlin's fun A.f()
	generics   pos // of type parameters before the name, or noPos
}

// function reads the function behind whose name the cursor stands.
func (r *colon) function(f callable) {
	kind := Function
	nameless := r.inNameless()
	if r.inClass() || r.inExtension() || f.receiver != 0 || nameless {
		kind = Method
	}
	d := r.defineAs(kind, f.symbol, f.name, f.from)
	r.owned(d)
	if nameless {
		r.standsIn(d, r.nameless.bases)
	}
	this := r.this
	if f.receiver != 0 {
		r.def(d).Owner = f.receiver
		r.this = r.names.Text(f.receiver)
	}
	if kind == Function && r.cur >= 0 && r.def(r.cur).Kind.Callable() {
		r.bind(f.symbol, f.symbol)
	}
	begin := r.beginScope()
	r.within(d, func() {
		if f.generics != noPos {
			behind := r.at
			r.at = f.generics
			r.typeParams()
			r.at = behind
		}
		r.functionRest(d)
	})
	r.this = this
	r.endScope(begin)
	r.finish(d)
}

// functionRest reads type parameters, parameters, result and body.
func (r *colon) functionRest(d int32) {
	r.typeParams()
	if r.is('(') {
		r.params()
	}
	r.skipEffects()
	m := r.top()
	if r.is(lex.OpArrow) || r.is(':') {
		r.next()
		r.typ()
	}
	r.def(d).Type = r.pop(m)
	r.constraints()
	r.signature(d)
	class, owner := r.class, r.owner
	r.class, r.owner = noDef, 0
	switch {
	case r.is('{'):
		r.body()
	case r.is('='): // Kotlin's fun f() = x
		r.next()
		r.value()
		if t := r.pop(m); r.def(d).Type == 0 {
			r.def(d).Type = t
		}
	case r.is(';'):
		r.next()
	}
	r.class, r.owner = class, owner
}

// skipEffects passes Swift's async and throws.
func (r *colon) skipEffects() {
	for r.word() == lex.Throws || r.soft("async") {
		r.next()
	}
}

// constraints reads where T: U, V: W. Where statements end with their line, they end with theirs, unless a comma
// stands before its end.
func (r *colon) constraints() {
	if r.word() != lex.Where && !r.soft("where") {
		return
	}
	for r.next(); r.more() && !r.is('{') && !r.is(';'); r.next() {
		if r.lines && r.tok().First && !r.peekIs(-1, ',') && r.peekWord(-1) != lex.Where {
			return
		}
		if r.name() && (r.peekIs(-1, ':') || r.peekIs(-1, '+')) && !r.isLocal(r.sym()) {
			r.referName(r.sym(), Mention)
		}
	}
}

// params binds the parameters in the brackets at the cursor.
func (r *colon) params() {
	outer := r.open()
	r.paramList()
	r.shut(outer)
}

func (r *colon) paramList() {
	for r.more() {
		r.param()
	}
}

// param reads a parameter and its comma: a: T, label a: T, &mut self, val a: T = x. One with val or var is a
// field of the class.
func (r *colon) param() {
	name := r.paramName()
	field := name != noPos && r.token(name-1).Word == lex.Var && r.inClass()
	m := r.top()
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	if name != noPos {
		r.bind(r.symAt(name), t)
	}
	if field {
		d := r.define(Field, name, name)
		r.def(d).Type = t
	}
	if r.skip('=') {
		r.value()
		r.drop(m)
	}
	r.skipTo(',')
	r.next()
}

// paramName passes what stands before the type of a parameter and answers the place of its name; noPos: it has
// none, or it is a pattern, whose names are bound.
func (r *colon) paramName() pos {
	name := noPos
	for r.more() && !r.is(':') && !r.is(',') && !r.is('=') {
		at := r.at
		switch t := r.tok(); {
		case t.Is('@'):
			r.annotation()
		case t.Is('#') && r.peekIs(1, '['):
			r.next()
			r.skipBrackets()
		case t.Opens():
			name = noPos
			r.pattern()
		case t.Name():
			name = r.at
		}
		r.past(at)
	}
	return name
}

// pattern binds the names in the brackets at the cursor, and passes them.
func (r *colon) pattern() {
	outer := r.open()
	for ; r.more(); r.next() {
		if r.bindsName() {
			r.bind(r.sym(), 0)
		}
	}
	r.shut(outer)
}

// bindsName tells a name that a pattern binds from that of a type, of a variant and of a field.
func (r *colon) bindsName() bool {
	if !r.name() || r.peekIs(-1, lex.OpScope) {
		return false
	}
	t := r.peek(1)
	return !t.Is('(') && !t.Is('{') && !t.Is(lex.OpScope) && !t.Is(':')
}
