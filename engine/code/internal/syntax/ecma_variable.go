package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// required reads the = require("m") or = require("m").name at the cursor, if that is all of the value, and imports it
// as local.
func (r *ecmaReader) required(local Sym) bool {
	if !r.peekSoft(1, "require") || !r.peekIs(2, '(') || !r.peekIs(4, ')') {
		return false
	}
	row, length := ImportRow{Module: r.quotedOf(r.peek(3)), Name: r.star(), Local: local}, pos(5)
	if r.peekIs(5, '.') && r.peekName(6) {
		row.Name, length = r.peekSym(6), 7
	}
	behind := r.peek(int(length))
	if row.Module == 0 || !behind.First && behind.Kind == lex.Punct && behind.Char != ',' && behind.Char != ';' || behind.Is('(') || behind.Is('.') {
		return false
	}
	r.imported(r.at, row)
	r.advance(int(length))
	return true
}

// variableStatement reads what const, let or var at the cursor declares; from is where the text of it begins.
//
//	const a: T = x, {b, c: d} = y    const enum E {…}
func (r *ecmaReader) variableStatement(from pos) {
	constant := r.word() == lex.Const
	r.next()
	if constant && r.word() == lex.Enum {
		r.enum(from)
		return
	}
	kind := Variable
	if constant {
		kind = Constant
	}
	for {
		switch {
		case r.is('{') || r.is('['):
			r.destructured()
		case r.tok().Kind == lex.Name:
			r.variable(kind, from)
		default:
			return
		}
		if !r.skip(',') {
			return
		}
		from = r.at
	}
}

// destructured reads {a, b: c} = x and [a, b] = x, and binds the names. What is taken out of require("m") is imported.
func (r *ecmaReader) destructured() {
	pattern := r.cursor
	r.skipBrackets()
	m := r.top()
	if r.skip(':') {
		r.typ()
		r.drop(m)
	}
	module := Sym(0)
	switch {
	case r.is('='):
		r.next()
		module = r.patternModule()
		r.expression()
	case r.skipSoft("of"):
		r.expression()
		r.element(m)
	}
	value := r.pop(m)
	if module != 0 {
		r.importPattern(pattern, module)
		return
	}
	if value == 0 {
		value = r.names.InternString(takenOut)
	}
	r.bindPattern(pattern, value)
}

// patternModule is the m of the require("m") or await import("m") at the cursor; 0: something else stands there.
func (r *ecmaReader) patternModule() Sym {
	look := r.cursor
	if look.skipWord(lex.Await) && look.word() != lex.Import || look.at == r.at && !look.soft("require") {
		return 0
	}
	if !look.peekIs(1, '(') || look.peekIs(4, '.') {
		return 0
	}
	return r.quotedOf(look.peek(2))
}

// importPattern imports what stands in the brackets at pattern, {a, b: c}, from a module.
func (r *ecmaReader) importPattern(pattern cursor, module Sym) {
	pattern.open()
	for ; pattern.more(); pattern.next() {
		if !pattern.name() || pattern.peekIs(1, ':') {
			continue
		}
		row := ImportRow{Module: module, Local: r.symOf(pattern.tok())}
		row.Name = row.Local
		if pattern.peekIs(-1, ':') {
			row.Name = r.symOf(pattern.peek(-2))
		}
		r.imported(pattern.at, row)
	}
}

// bindPattern binds the names in the brackets at pattern, {a, b: c} or [a, b], to the members of value that they come
// from.
func (r *ecmaReader) bindPattern(pattern cursor, value Sym) {
	if !pattern.is('{') {
		value = 0 // of what stands in a list, which is which is not known
	}
	pattern.open()
	for ; pattern.more(); pattern.next() {
		if !pattern.name() || pattern.peekIs(1, ':') {
			continue
		}
		r.bindMember(&pattern, value)
		if pattern.peekIs(1, '=') {
			pattern.advance(2)
			r.patternDefault(&pattern)
		}
	}
}

// patternDefault reads the value at the cursor of a pattern that holds where nothing else is given, and stops before
// what ends it.
func (r *ecmaReader) patternDefault(pattern *cursor) {
	outside, m := r.cursor, r.top()
	r.cursor = *pattern
	r.expression()
	r.drop(m)
	pattern.at = max(r.at, pattern.at) - 1
	r.cursor = outside
	pattern.skipTo(',')
}

// takenOut is the qualifier of what a pattern takes out of a value of which nothing is known: as a member of a
// function it is no edge, unlike x.name, since most such values hold options, but it counts where nothing else is
// said to use what has the name.
const takenOut = "{}"

// bindMember binds the name at the cursor of a pattern.
func (r *ecmaReader) bindMember(pattern *cursor, value Sym) {
	name := r.symOf(pattern.tok())
	if value == 0 {
		r.bind(name, 0)
		return
	}
	member := pattern.text()
	if pattern.peekIs(-1, ':') {
		member = pattern.peekText(-2)
	}
	if r.names.Text(value) == takenOut {
		r.referTo(r.names.Intern(member), value, Mention, pattern.at)
		r.bind(name, 0)
		return
	}
	m := r.top()
	r.pushType(value)
	r.referTo(r.names.Intern(member), value, Mention, pattern.at)
	r.member(member)
	r.bind(name, r.pop(m))
}

// variable reads one name with its type and value. At the top of a file or namespace it is a definition, else a local
// name.
func (r *ecmaReader) variable(kind Kind, from pos) {
	at, name, m := r.at, r.sym(), r.top()
	r.next()
	r.skip('!')
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	if t == 0 {
		t = r.documentedType(r.docOf(from), "", "type")
	}
	if r.soft("of") || r.word() == lex.In { // for (const x of xs)
		r.next()
		r.expression()
		r.element(m)
		r.bind(name, r.pop(m))
		return
	}
	top := r.cur < 0 || r.def(r.cur).Kind == Module
	if r.is('=') {
		if r.required(name) {
			return
		}
		r.next()
		if r.isFunction() {
			r.namedFunction(Function, at, from)
			return
		}
		if !top {
			r.bind(name, r.initial(name, t))
			return
		}
		d := r.define(kind, at, from)
		r.within(d, func() { t = r.initial(name, t) })
		r.def(d).Type = t
		r.finish(d)
		return
	}
	if !top {
		r.bind(name, t)
		return
	}
	d := r.define(kind, at, from)
	r.def(d).Type = t
	r.finish(d)
}

// initial reads the value of a variable and answers its type: the declared one or, when that is 0, that of the value.
func (r *ecmaReader) initial(name, declared Sym) Sym {
	m := r.top()
	r.expressionOf(declared)
	value := r.pop(m)
	if declared == 0 && value != name {
		return value
	}
	return declared
}
