package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// definition reads directives, local types, labels and what only C++ has, inside a body.
func (r *cReader) definition() {
	t := r.tok()
	switch {
	case t.Kind == lex.Directive:
		r.directive()
		r.next()
	case isShape(t.Word):
		r.localShape()
	case t.Word == lex.Using:
		r.skipDeclaration()
	case t.Word == lex.Skip:
		r.castOperator()
	case t.Is('['):
		r.closure()
	case t.Name() && r.isLabel(t):
		r.advance(2)
	}
}

// isLabel reports whether the name t, at the cursor, is a label and not the middle of "a ? b : c".
func (r *cReader) isLabel(t *lex.Token) bool {
	return r.peekIs(1, ':') && !r.peekIs(-1, '?') && (t.First || r.peekIs(-1, ';'))
}

// localShape reads a type with a body inside a function.
func (r *cReader) localShape() {
	members := r.shapeBody()
	if members == noPos {
		return
	}
	class := r.class
	r.class = noDef
	f := nothingFound
	f.shape, f.members = r.at, members
	r.shaped(f)
	r.class = class
}

// maxShape bounds how far ahead the body of a local type is looked for, in tokens.
const maxShape = 32

// shapeBody is the place of the curly bracket of the type at the cursor, or noPos.
func (r *cReader) shapeBody() pos {
	look := r.cursor
	for look.next(); look.more() && look.at < r.at+maxShape; look.next() {
		t := look.tok()
		if t.Is('{') {
			return look.at
		}
		heritage := t.Is(':') || t.Is(lex.OpScope) || t.Is(',') || t.Is('<') || t.Is('>')
		if t.Kind == lex.Punct && (!heritage || t.Is(',') && !r.plus) {
			break
		}
	}
	return noPos
}

// castOperator reads the type in static_cast<T>(x).
func (r *cReader) castOperator() {
	at := r.at
	r.next()
	if r.is('<') {
		if end := r.angleEnd(); end > r.at {
			r.angleTypes(end)
			return
		}
	}
	r.at = at + 1
}

// closure reads a lambda of C++: [captures](parameters) -> T {…}.
func (r *cReader) closure() {
	if !r.plus || !r.is('[') {
		return
	}
	before := r.peek(-1)
	if before.Name() || before.Is(')') || before.Is(']') { // an index
		return
	}
	look := r.cursor
	look.skipBrackets()
	if !look.is('(') && !look.is('{') {
		return
	}
	r.at = look.at
	begin := r.beginScope()
	if r.is('(') {
		r.bindParams()
	}
	for r.more() && !r.is('{') && !r.is(';') && !r.is(')') {
		r.next()
	}
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}

// declaration binds what a statement of these forms declares:
//
//	T x = y, *z;    struct T x[3];    auto &x = y    for (auto x : xs)
func (r *cReader) declaration() {
	from, shape := r.at, false
	for r.word() == lex.Decl || r.word() == lex.Typename {
		r.next()
	}
	if isShape(r.word()) {
		r.next()
		shape = true
	}
	inferred := r.at > from && !shape && string(r.peekText(-1)) == "auto"
	for inferred && (r.is('*') || r.is('&') || r.is(lex.OpLogic)) {
		r.next()
	}
	t, typ := r.tok(), r.at
	name := noPos
	switch {
	case t.Kind != lex.Name || t.Word != lex.NoWord && t.Word != lex.Prim && typ == from:
	case inferred && t.Word == lex.NoWord:
		name = typ
	default:
		name = r.declared()
	}
	if name == noPos {
		r.at = from
		return
	}
	r.at = typ
	m := r.top()
	r.specifiers(name)
	declared := r.pop(m)
	r.at = name
	r.declaredNames(declared)
}

// declared is the place of the name that is declared behind the type at the cursor, or noPos: what looked like a type
// is none.
func (r *cReader) declared() pos {
	if !r.skipType() {
		return noPos
	}
	for r.is('*') || r.is('&') || r.is(lex.OpLogic) && r.plus || r.word() == lex.Decl {
		r.next()
	}
	for r.name() && r.peekName(1) && r.macroWord() {
		r.next()
	}
	if !r.name() || !r.endsName() {
		return noPos
	}
	return r.at
}

// skipType passes a type's name with its arguments, and reports whether it may be one.
func (r *cReader) skipType() bool {
	if r.word() == lex.Prim {
		for r.word() == lex.Prim || r.word() == lex.Decl {
			r.next()
		}
		return true
	}
	r.next()
	for r.plus {
		switch {
		case r.is(lex.OpScope) && r.peekName(1):
			r.advance(2)
		case r.is('<'):
			if !r.skipAngles() {
				return false
			}
		default:
			return true
		}
	}
	return true
}

// endsName reports whether what stands behind the name at the cursor may follow the name of a variable.
func (r *cReader) endsName() bool {
	after := r.peek(1)
	switch after.Kind {
	case lex.EOF:
		return true
	case lex.Name:
		return r.macroLike(r.at + 1)
	case lex.Punct:
		switch after.Char {
		case '=', ';', ',', '[', ':':
			return true
		case '(', '{':
			return r.plus
		}
	}
	return false
}

// declaredNames binds the name at the cursor and those behind it to the type t or, when that is 0, to those of their
// values.
func (r *cReader) declaredNames(t Sym) {
	for {
		name := r.sym()
		r.next()
		for r.is('[') {
			r.inBrackets()
		}
		typ := r.variableValue()
		if t != 0 {
			typ = t
		}
		r.bind(name, typ)
		if !r.nextName() {
			return
		}
	}
}

// variableValue reads = value, : range, (arguments) or {elements} and answers the type that they give a variable.
func (r *cReader) variableValue() Sym {
	switch {
	case r.skip('='):
		return r.assigned()
	case r.skip(':'):
		m := r.top()
		r.value()
		r.element(m)
		return r.pop(m)
	case r.is('(') || r.is('{'):
		r.inBrackets()
	}
	return 0
}

// nextName goes on to the second name of a declaration, behind a comma, and reports whether there is one.
func (r *cReader) nextName() bool {
	if !r.is(',') {
		return false
	}
	at := r.at
	for r.next(); r.is('*'); r.next() {
	}
	after := r.peek(1)
	if r.name() && (after.Is('=') || after.Is(',') || after.Is(';') || after.Is('[')) {
		return true
	}
	r.at = at
	return false
}
