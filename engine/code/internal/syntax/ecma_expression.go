package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// expression reads a whole expression and pushes the type of its first operand, where operators do not change it.
func (r *ecmaReader) expression() {
	if !r.enter() {
		r.pushUnknown()
		r.flat()
		return
	}
	defer r.leave()
	m := r.top()
	r.operand()
	for r.more() {
		t := r.tok()
		switch {
		case t.Kind == lex.String && t.Char == '`': // the text behind a hole of a template
			r.next()
		case t.Word == lex.NoWord && !t.First && (r.soft("as") || r.soft("satisfies")):
			r.cast(m)
		case t.Is('?'):
			r.next()
			r.ternary(m)
		case t.Word == lex.In || t.Kind == lex.Punct && isECMABinary(t.Char):
			r.next()
			r.otherOperand(m, t)
		default:
			return
		}
	}
}

// cast reads "as T", which gives the expression from m on another type, and "as const" and "satisfies T", which do not.
func (r *ecmaReader) cast(m mark) {
	keeps := r.soft("satisfies") || r.peekWord(1) == lex.Const
	r.next()
	next := r.top()
	r.typ()
	if keeps {
		r.drop(next)
		return
	}
	typ := r.pop(next)
	r.drop(m)
	r.pushType(typ)
}

// otherOperand reads what stands behind the operator t. Only of "a || b" and the like the type is that of a.
func (r *ecmaReader) otherOperand(m mark, t *lex.Token) {
	next := r.top()
	r.operand()
	r.drop(next)
	if !t.Is(lex.OpLogic) {
		r.forget(m)
	}
}

// ternary reads "a : b" behind "c ?" and keeps the type of a.
func (r *ecmaReader) ternary(m mark) {
	r.drop(m)
	r.expression()
	if r.skip(':') {
		next := r.top()
		r.expression()
		r.drop(next)
	}
}

func isECMABinary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', lex.OpCompare, lex.OpLogic, lex.OpAssign, '=':
		return true
	}
	return false
}

// operand reads one operand of an expression.
func (r *ecmaReader) operand() {
	for r.prefix() {
		r.next()
	}
	m, t := r.top(), r.tok()
	switch {
	case !r.more() || t.Closes() || t.Is(',') || t.Is(';') || t.Is(':'):
		r.pushUnknown()
	case r.isFunction():
		r.function(noDef)
		r.pushString("{}")
	case t.Word == lex.Class:
		r.classDefinition(r.at)
		r.forget(m)
	case t.Is('<') && r.angles: // <T>x
		r.at = max(r.angleEnd(), r.at+1)
		r.value()
	case t.Kind == lex.Name && !beginsECMAValue(t.Word):
		r.pushUnknown()
		if t.Word == lex.Return || t.Word == lex.Throw {
			r.next()
		}
	default:
		r.value()
	}
}

// closure reads a function or class at the cursor, as behind return. Of require("m") and import("m") it only notes
// the module.
func (r *ecmaReader) closure() {
	switch {
	case r.isFunction():
		r.function(noDef)
	case r.word() == lex.Class && (r.peekName(1) || r.peekIs(1, '{') || r.peekWord(1) == lex.Extends):
		r.classDefinition(r.at)
	default:
		r.bringsModule()
	}
}

// bringsModule notes the module of require("m") and import("m") at the cursor, wherever these stand: they bring a
// file that no statement names. What module.exports = require("m") brings, the file passes on.
//
// It is asked for at each value, which it leaves to be read.
func (r *ecmaReader) bringsModule() {
	if !r.soft("require") && r.word() != lex.Import || !r.peekIs(1, '(') || !r.peekIs(3, ')') {
		return
	}
	module := r.quotedOf(r.peek(2))
	if module == 0 {
		return
	}
	row := ImportRow{Module: module}
	if r.at >= 2 && r.peekIs(-1, '=') && r.peekSoft(-2, "exports") && !r.peekIs(4, '.') {
		row.Name = r.star()
	}
	r.imported(r.at, row)
}

// prefix reports whether a sign or a word such as await stands before an operand.
func (r *ecmaReader) prefix() bool {
	t := r.tok()
	if t.Kind == lex.Punct {
		return t.Char == '!' || t.Char == '-' || t.Char == '+' || t.Char == '~' || t.Char == lex.OpDots
	}
	return t.Word == lex.Await || t.Word == lex.Del
}

// beginsECMAValue reports whether a value can begin with this word.
func beginsECMAValue(w lex.Word) bool {
	switch w {
	case lex.NoWord, lex.This, lex.Super, lex.New, lex.Value, lex.Import:
		return true
	}
	return false
}

// expressionOf reads the value of what is declared to have the type t; 0: nobody says.
func (r *ecmaReader) expressionOf(t Sym) {
	around := r.typed
	r.typed = typedValue{r.at, t}
	r.expression()
	r.typed = around
}

// endFunction ends the scope of a function. result is that of the function around it.
func (r *ecmaReader) endFunction(begin scope, result Sym) {
	r.endScope(begin)
	r.result = result
}

// objectMethod reads the method of an object whose name stands at name. Where the object is declared to be a T, it
// stands in for T's.
func (r *ecmaReader) objectMethod(name pos) {
	t, d := r.objectType(), int32(len(r.rows.Defs))
	r.namedFunction(Method, name, name)
	if r.cur >= 0 {
		r.standsIn(d, t)
	}
}

// objectType is the declared type of the object {…} around the cursor: of a variable or field, or of what the
// function around returns. 0: nothing says one.
func (r *ecmaReader) objectType() Sym {
	end := r.token(pos(len(r.view)))
	if !end.Is('}') {
		return 0
	}
	open := pos(end.Aux)
	before := r.token(open - 1)
	switch {
	case open == r.typed.at:
		return r.typed.typ
	case before.Word == lex.Return, before.Is('(') && r.token(open-2).Is(lex.OpFat):
		return r.result
	}
	return 0
}
