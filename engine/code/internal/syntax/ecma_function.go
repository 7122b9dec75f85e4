package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// isFunction reports whether a function, not a call of one, stands at the cursor.
func (r *ecmaReader) isFunction() bool {
	if !r.soft("async") || r.peek(1).First {
		return r.word() == lex.Func || r.isArrow()
	}
	from := r.at
	r.next()
	is := r.word() == lex.Func || r.isArrow()
	r.at = from
	return is
}

// isArrow reports whether an arrow function stands at the cursor: x => …, (…) => … or (…): T => ….
func (r *ecmaReader) isArrow() bool {
	if r.name() {
		return r.peekIs(1, lex.OpFat)
	}
	look := r.cursor
	if r.is('<') && r.angles {
		look.at = r.angleEnd()
	}
	if !look.is('(') {
		return false
	}
	conditional := look.peekIs(-1, '?')
	look.skipBrackets()
	if look.is(lex.OpFat) {
		return true
	}
	return look.is(':') && !conditional && r.arrowBehind(look)
}

// maxResult bounds how far ahead the => behind a result's type is looked for, in steps.
const maxResult = 64

// arrowBehind reports whether => follows the type at look.
func (r *ecmaReader) arrowBehind(look cursor) bool {
	for n := 0; look.more() && n < maxResult; n++ {
		t := look.tok()
		switch {
		case t.Is(lex.OpFat):
			return true
		case t.Closes() || t.Is(';') || t.Is('=') || t.Is('?') || t.Is(','):
			return false
		case t.Is('<'):
			look.at = max(r.angleEndAt(look.at), look.at+1)
		default:
			look.skipOne()
		}
	}
	return false
}

// functionDefinition reads the function keyword at the cursor; from is where the text of it begins. In an expression
// its name is seen by itself only.
func (r *ecmaReader) functionDefinition(from pos) {
	before := r.peek(-1)
	r.next()
	if r.is('*') {
		r.next()
	}
	name := r.at
	if !r.name() || before.Is('=') || before.Is('(') || before.Is(',') || before.Is(':') {
		r.function(noDef)
		return
	}
	r.namedFunction(Function, name, from)
}

// namedFunction defines the function at the cursor under the name at name.
func (r *ecmaReader) namedFunction(kind Kind, name, from pos) {
	d := r.define(kind, name, from)
	if r.cur >= 0 && kind == Function {
		r.bind(r.symAt(name), r.symAt(name))
	}
	r.doc = r.docOf(from)
	r.within(d, func() { r.function(d) })
	r.finish(d)
}

// function reads
//
//	async function* x<T>(a: A): R {…}    (a: A): R => value    x => {…}
//
// from any place before its parameters on. d is its definition, or noDef. It pushes nothing.
func (r *ecmaReader) function(d int32) {
	begin, m, doc := r.beginScope(), r.top(), r.doc
	defer r.endFunction(begin, r.result)
	r.doc, r.result = nil, 0 // those of others inside are theirs
	was, around := r.callback, r.callbacks
	r.callback, r.callbacks = r.callbackAt(r.at), ""
	for r.soft("async") && !r.peekIs(1, lex.OpFat) || r.word() == lex.Func || r.is('*') {
		r.next()
	}
	if r.name() && !r.peekIs(1, lex.OpFat) {
		r.next()
	}
	if r.is('<') {
		r.typeParams()
	}
	if r.name() {
		t := r.parameterType(doc, r.at)
		if t == 0 {
			t = r.contextual()
		}
		r.bind(r.sym(), t)
		r.next()
	} else if r.is('(') {
		r.paramList(doc)
	}
	defer r.typeCallbacks(d, r.callbacks)
	r.callback, r.callbacks = was, around
	if r.skip(':') {
		r.typ()
		r.result = r.pop(m)
	} else if doc != nil && d >= 0 {
		r.result = r.documentedType(doc, "", "returns", "return")
	}
	if d >= 0 && r.result != 0 {
		r.def(d).Type = r.result
	}
	if d >= 0 {
		r.signature(d)
	}
	if r.skip(lex.OpFat) && !r.is('{') {
		r.expression()
		r.typeField(d, r.pop(m))
		return
	}
	if r.is('{') {
		r.body()
	}
	r.drop(m)
}

// typeParams binds the type parameters at the cursor to their bounds: <const T extends A, in out U = B>. A bound may
// speak of those behind it.
func (r *ecmaReader) typeParams() {
	from, end := r.at, r.typeParamsEnd()
	if end == from {
		r.next()
		return
	}
	outer := r.until(end - 1)
	for r.nextTypeParam() {
		r.bind(r.sym(), 0)
	}
	r.at = from
	for r.nextTypeParam() {
		name := r.sym()
		r.next()
		if r.skipWord(lex.Extends) {
			m := r.top()
			r.typ()
			r.rebind(name, r.pop(m))
		}
		if r.skip('=') {
			m := r.top()
			r.typ()
			r.drop(m)
		}
	}
	r.widen(outer)
	r.at = end
}

// maxTypeParams bounds how far ahead the end of type parameters is looked for, in tokens: some hold whole programs.
const maxTypeParams = 512

// typeParamsEnd is the place behind the type parameters <…> at the cursor, or the cursor's own when they are not
// closed. Unlike the < of an expression, theirs compares nothing.
func (r *ecmaReader) typeParamsEnd() pos {
	limit := min(pos(len(r.view)), r.at+maxTypeParams)
	depth := 0
	for p := r.at; p < limit; p = r.behind(p, limit) {
		switch t := &r.view[p]; {
		case t.Is('<'):
			depth++
		case t.Is('>'):
			if depth--; depth == 0 {
				return p + 1
			}
		case t.Closes() || t.Is(';'):
			return r.at
		}
	}
	return r.at
}

// nextTypeParam goes on to the name of the next type parameter, behind < or a comma, and reports whether there is one.
func (r *ecmaReader) nextTypeParam() bool {
	if !r.skip('<') {
		for r.more() && !r.is(',') {
			r.skipPart()
		}
		r.next()
	}
	for (r.word() == lex.Const || r.word() == lex.In || r.soft("out")) && r.peek(1).Kind == lex.Name {
		r.next()
	}
	return r.more()
}

// skipPart passes one token, or brackets of any kind with all that they hold.
func (r *ecmaReader) skipPart() {
	if !r.skipAngles() {
		r.skipOne()
	}
}

// paramList binds the parameters in the brackets at the cursor. Those of a constructor that have a modifier are
// fields. doc is the comment before the function.
func (r *ecmaReader) paramList(doc docComment) {
	outer := r.open()
	for n := 0; r.more(); n++ {
		r.parameter(doc, n)
		r.skipTo(',')
		r.next()
	}
	r.shut(outer)
}

// parameter reads parameter number n:
//
//	@decorator private readonly a?: A = x    ...rest: T[]    {a, b: c}: P
func (r *ecmaReader) parameter(doc docComment, n int) {
	for r.is('@') {
		r.decorator()
	}
	field := false
	for r.name() && (r.peekName(1) || r.peekIs(1, '{')) {
		field = true
		r.next()
	}
	r.skip(lex.OpDots)
	name, pattern := r.at, r.cursor
	isPattern := r.is('{') || r.is('[')
	r.skipOne()
	r.skip('?')
	m := r.top()
	if r.skip(':') {
		from := r.at
		r.typ()
		r.noteCallback(n, from)
	}
	t := r.pop(m)
	if context := r.contextual(); t == 0 {
		t = context
	}
	if t == 0 && doc != nil {
		t = r.parameterType(doc, name)
	}
	if r.skip('=') {
		r.expression()
		if value := r.pop(m); t == 0 {
			t = value
		}
	}
	switch {
	case isPattern:
		r.bindPattern(pattern, t)
	case r.token(name).Kind == lex.Name:
		r.bind(r.symAt(name), t)
		if field && r.class >= 0 {
			r.field(name, name, t)
		}
	}
}

// decorator reads @name and @name(…).
func (r *ecmaReader) decorator() {
	m := r.top()
	r.next()
	r.value()
	r.drop(m)
}
