package syntax

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
		case t.kind == tString && t.ch == '`': // the text behind a hole of a template
			r.next()
		case t.word == noWord && !t.nl && (r.soft("as") || r.soft("satisfies")):
			r.cast(m)
		case t.is('?'):
			r.next()
			r.ternary(m)
		case t.word == wIn || t.kind == tPunct && isECMABinary(t.ch):
			r.next()
			r.otherOperand(m, t)
		default:
			return
		}
	}
}

// cast reads "as T", which gives the expression from m on another type, and "as const" and "satisfies T", which do not.
func (r *ecmaReader) cast(m mark) {
	keeps := r.soft("satisfies") || r.peekWord(1) == wConst
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
func (r *ecmaReader) otherOperand(m mark, t *token) {
	next := r.top()
	r.operand()
	r.drop(next)
	if !t.is(opLogic) {
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
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', opCompare, opLogic, opAssign, '=':
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
	case !r.more() || t.closes() || t.is(',') || t.is(';') || t.is(':'):
		r.pushUnknown()
	case r.isFunction():
		r.function(noDef)
		r.pushString("{}")
	case t.word == wClass:
		r.classDefinition(r.at)
		r.forget(m)
	case t.is('<') && r.angles: // <T>x
		r.at = max(r.angleEnd(), r.at+1)
		r.value()
	case t.kind == tName && !beginsECMAValue(t.word):
		r.pushUnknown()
		if t.word == wReturn || t.word == wThrow {
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
	case r.word() == wClass && (r.peekName(1) || r.peekIs(1, '{') || r.peekWord(1) == wExtends):
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
	if !r.soft("require") && r.word() != wImport || !r.peekIs(1, '(') || !r.peekIs(3, ')') {
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
	if t.kind == tPunct {
		return t.ch == '!' || t.ch == '-' || t.ch == '+' || t.ch == '~' || t.ch == opDots
	}
	return t.word == wAwait || t.word == wDel
}

// beginsECMAValue reports whether a value can begin with this word.
func beginsECMAValue(w word) bool {
	switch w {
	case noWord, wThis, wSuper, wNew, wValue, wImport:
		return true
	}
	return false
}
