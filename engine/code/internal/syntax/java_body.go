package syntax

import (
	"helve/engine/code/internal/syntax/internal/lex"
)

// definition reads what is more than an expression in a body: local types, lambdas, casts, and statements with a scope
// of their own.
func (r *javaReader) definition() {
	t := r.tok()
	switch {
	case t.Kind == lex.Name:
		r.wordInBody(t.Word)
	case t.Is('@') && r.peek(1).Kind == lex.Name:
		r.next()
		r.annotation()
	case t.Is('('):
		at := r.at
		if r.closure(); r.at == at {
			r.cast()
		}
	case t.Kind == lex.String:
		r.closure()
	}
}

// wordInBody is definition for a name or keyword at the cursor.
func (r *javaReader) wordInBody(w lex.Word) {
	switch w {
	case lex.NoWord:
		if r.atRecord() {
			r.softType(r.at)
			return
		}
		r.closure()
	case lex.Is:
		r.next()
		r.skipSoft("not")
		r.pattern()
	case lex.If, lex.While:
		if r.peekIs(1, '(') {
			r.next()
			r.condition()
		}
	case lex.Case:
		r.next()
		r.label()
	case lex.Default:
		if r.peekIs(1, lex.OpArrow) {
			r.advance(2)
		}
	case lex.Class, lex.Interface, lex.Enum, lex.Struct:
		if r.peekName(1) && !r.peekIs(-1, '.') {
			r.typeAt(r.at)
		}
	case lex.Catch:
		if r.peekIs(1, '(') {
			r.next()
			r.catch()
		}
	case lex.Try:
		if r.peekIs(1, '(') {
			r.next()
			r.forHeader()
		}
	case lex.Using:
		r.next()
		if r.is('(') {
			r.forHeader()
		} else {
			r.declaration()
		}
	}
}

// atRecord reports a record of Java in a body: "record Name(" or "record Name<".
func (r *javaReader) atRecord() bool {
	return !r.sharp && r.soft("record") && r.peekName(1) && (r.peekIs(2, '(') || r.peekIs(2, '<'))
}

// closure reads "(a, b) -> body" and "a -> body", with => in C#. Of a string of C# it notes what its holes mention.
func (r *javaReader) closure() {
	switch t := r.tok(); {
	case t.Is('('):
		end := r.closing()
		if isLambdaArrow(r.peek(int(end + 1 - r.at))) {
			r.next()
			r.lambda(end, end+1)
		}
	case t.Name() && isLambdaArrow(r.peek(1)):
		r.lambda(r.at+1, r.at+1)
	case t.Kind == lex.String && r.sharp:
		r.holes(r.at, r.this)
	}
}

func isLambdaArrow(t *lex.Token) bool { return t.Is(lex.OpArrow) || t.Is(lex.OpFat) }

// lambda reads the parameters between the cursor and end, with or without types, and the body behind the arrow.
func (r *javaReader) lambda(end, arrow pos) {
	begin, outer := r.beginScope(), r.until(end)
	for r.more() {
		if r.name() && (r.peekIs(1, ',') || r.at+1 == end) {
			r.bind(r.sym(), 0)
			r.next()
		} else {
			r.param()
		}
		r.next() // the comma
	}
	r.widen(outer)
	r.at = arrow + 1
	if r.is('{') {
		r.body()
	} else {
		r.exprsUntil(r.lambdaEnd())
	}
	r.endScope(begin)
}

// lambdaEnd is the place of the comma or semicolon behind the expression at the cursor, or the limit.
func (r *javaReader) lambdaEnd() pos {
	return r.endBefore(true)
}

// cast reads (T) x.
func (r *javaReader) cast() {
	end := r.closing()
	after := r.peek(int(end + 1 - r.at))
	if !r.peekName(1) || after.Kind != lex.Name || after.Word == lex.Is || after.Word == lex.As {
		return
	}
	at, m := r.at, r.top()
	outer := r.open()
	r.typeName()
	r.dimensions()
	whole := !r.more()
	r.shut(outer)
	r.drop(m)
	if !whole {
		r.at = at
		return
	}
	r.value()
	r.drop(m)
}

// catch binds the exception in the brackets at the cursor for the block behind them.
func (r *javaReader) catch() {
	begin, m := r.beginScope(), r.top()
	outer := r.open()
	r.modifiers()
	r.typeName()
	t := r.pop(m)
	for r.skip('|') {
		r.typeName()
		r.drop(m)
		t = 0
	}
	if r.name() {
		r.bind(r.sym(), t)
	}
	r.shut(outer)
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}

// declaration binds "T x = y, z", "var x = y" and, in a for, "T x : xs".
func (r *javaReader) declaration() {
	from := r.at
	r.localModifiers()
	n := r.typeLength()
	if n == 0 || !r.peekName(n) {
		r.at = from
		return
	}
	if params := r.localParams(n); params != noPos {
		r.localFunction(r.at+pos(n), params, from)
		return
	}
	if !isBehindVariable(r.peek(n + 1)) {
		r.at = from
		return
	}
	t, name := Sym(0), r.at+pos(n)
	inferred := n == 1 && r.soft("var")
	if !inferred {
		t = r.typeUntil(name)
	}
	r.at = name
	for {
		r.variable(t, inferred)
		if !anotherVariable(&r.cursor) {
			return
		}
		r.next()
	}
}

// localModifiers passes what may stand before the type of a local variable.
func (r *javaReader) localModifiers() {
	for r.more() {
		switch {
		case r.word() == lex.Decl:
			r.next()
		case r.is('@') && r.peekName(1):
			r.next()
			r.annotation()
		default:
			return
		}
	}
}

// typeLength is how many tokens the type at the cursor has; 0: there is none.
func (r *javaReader) typeLength() int {
	if t := r.tok(); t.Kind != lex.Name || t.Word != lex.NoWord && t.Word != lex.Prim {
		return 0
	}
	n := 1
	for r.peekIs(n, '.') && r.peekName(n+1) {
		n += 2
	}
	if r.peekIs(n, '<') {
		at := r.at + pos(n)
		end := r.angleEndAt(at)
		if end == at {
			return 0
		}
		n = int(end - r.at)
	}
	for {
		switch {
		case r.peekIs(n, '[') && (r.peekIs(n+1, ']') || r.peekIs(n+1, ',')): // int[], int[,]
			n = int(r.behind(r.at+pos(n), pos(len(r.view))) - r.at)
		case r.peekIs(n, '?') && (r.peekName(n+1) || r.peekIs(n+1, '[')):
			n++
		default:
			return n
		}
	}
}

// isBehindVariable reports whether t may follow the name of a variable that is declared.
func isBehindVariable(t *lex.Token) bool {
	switch t.Kind {
	case lex.EOF:
		return true
	case lex.Punct:
		switch t.Char {
		case '=', ';', ':', ',', '[':
			return true
		}
	}
	return t.Word == lex.In
}

// variable binds the variable at the cursor. t is the type before it, unless that is inferred from the value.
func (r *javaReader) variable(t Sym, inferred bool) {
	name, m := r.sym(), r.top()
	r.next()
	for r.is('[') {
		r.skipBrackets()
	}
	switch {
	case r.skip('='):
		if v := r.assigned(); t == 0 {
			t = v
		}
	case r.skip(':') || r.skipWord(lex.In):
		r.value()
		r.element(m)
		if v := r.pop(m); inferred {
			t = v
		}
	}
	r.bind(name, t)
}

// Conditions, the labels of a switch, and the patterns in both:
//
//	if (o instanceof A a) { a.f(); }    case B(var x, C c) when c.g() -> x.h();    while (o is not D d) …
//
// What a pattern binds is visible behind the brackets that it stands in, so it is bound in the block around these. That
// is more than the languages do; it ends with the block, and the next pattern of the same name hides it.

// maxLabel bounds how far ahead the end of a label is looked for, in tokens.
const maxLabel = 256

// condition reads the brackets at the cursor, without a scope of their own.
func (r *javaReader) condition() {
	if !r.enter() {
		r.skipBrackets()
		return
	}
	outer := r.open()
	r.conditions()
	r.shut(outer)
	r.leave()
}

// conditions reads expressions up to the limit. What their patterns bind stays bound.
func (r *javaReader) conditions() {
	for m := r.top(); r.more(); r.drop(m) {
		at := r.at
		if r.definition(); r.at > at {
			continue
		}
		if r.is('(') && r.findPattern() {
			r.condition()
		} else {
			r.step()
		}
		r.past(at)
	}
}

// findPattern reports whether something in the brackets at the cursor is asked for its type.
func (r *javaReader) findPattern() bool {
	for p, end := r.at, r.closing(); p < end; p++ {
		if r.token(p).Word == lex.Is {
			return true
		}
	}
	return false
}

// pattern reads what stands behind instanceof, is and case: a type, and behind it a name for the value or, in brackets,
// names for its components.
func (r *javaReader) pattern() {
	r.localModifiers()
	n := r.typeLength()
	name := r.at + pos(n)
	switch {
	case n == 0:
	case r.peekIs(n, '('):
		r.typeUntil(name)
		r.at = name
		r.params()
	case r.peekName(n) && !r.isGuard(n):
		var t Sym
		if n > 1 || !r.soft("var") {
			t = r.typeUntil(name)
		}
		r.at = name
		r.bind(r.sym(), t)
		r.next()
	}
}

// isGuard reports whether a word that goes on with a pattern stands n tokens further on.
func (r *javaReader) isGuard(n int) bool {
	return r.peekSoft(n, "when") || r.sharp && (r.peekSoft(n, "and") || r.peekSoft(n, "or"))
}

// label reads what stands behind case: "A, B ->" with its arrow, or "A:" up to its colon, behind which a statement
// begins.
func (r *javaReader) label() {
	end := r.labelEnd()
	if end == r.at {
		return
	}
	outer := r.until(end)
	r.pattern()
	r.skipSoft("when")
	r.conditions()
	r.widen(outer)
	r.at = end
	r.skip(lex.OpArrow)
}

// labelEnd is the place of the arrow or colon behind the label at the cursor, or the cursor's own where there is none.
func (r *javaReader) labelEnd() pos {
	look := r.cursor
	for last := r.at + maxLabel; look.more() && look.at < last; look.skipOne() {
		switch t := look.tok(); {
		case t.Is(':') || t.Is(lex.OpArrow):
			return look.at
		case t.Is(';') || t.Closes() || t.Word == lex.Case:
			return r.at
		}
	}
	return r.at
}
