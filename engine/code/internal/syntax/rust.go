package syntax

import "sync"

// rustReader reads Rust.
type rustReader struct{ colon }

var rustDialect = sync.OnceValue(newRustDialect)

func newRustDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "fn", wStruct: "struct", wEnum: "enum", wInterface: "trait", wImpl: "impl",
		wModule: "mod", wUse: "use", wType: "type",
		wConst: "const static", wLet: "let", wMut: "mut", wRef: "ref", wPub: "pub",
		wIf: "if", wElse: "else", wFor: "for", wWhile: "while loop", wMatch: "match",
		wReturn: "return", wBreak: "break continue", wThis: "self Self",
		wWhere: "where", wAs: "as", wIn: "in", wAwait: "await",
		wDecl: "unsafe async extern move dyn", wValue: "true false",
		wPrim: "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
	}), "", "\"'#")
	d.special = rustSpecial
	d.nested = true
	return d
}

func (r *reader) readRust() {
	r.lex(rustDialect())
	r.bounds = true
	c := &rustReader{newColon(r, false)}
	c.language = c
	c.statements()
}

// declaration reads let, const, static and loops where a statement begins.
func (r *rustReader) declaration() {
	switch r.word() {
	case wConst:
		if w := r.peekWord(1); w != wFunc && w != wDecl {
			r.constant()
		}
	case wLet:
		r.let()
	case wIf, wWhile:
		if r.peekWord(1) == wLet {
			r.next()
			r.let()
		}
	case wFor:
		r.loop()
	case wPub:
		r.next()
		if r.is('(') {
			r.skipBrackets()
		}
		if r.word() == wConst {
			r.declaration()
		}
	}
}

// definition reads definitions, attributes and closures wherever they stand.
func (r *rustReader) definition() {
	t := r.tok()
	switch {
	case t.is('#'):
		r.attribute()
		return
	case t.is('@'): // name @ Pattern(…)
		r.annotation()
		return
	case t.is('|'):
		r.bars()
		return
	}
	switch t.word {
	case wFunc:
		r.functionDefinition()
	case wStruct:
		r.typeDefinition(Struct)
	case wEnum:
		r.typeDefinition(Enum)
	case wInterface:
		r.typeDefinition(Interface)
	case wImpl:
		r.impl()
	case wModule:
		r.module()
	case wUse:
		r.use()
	case wType:
		r.alias(func() { r.skipTo(';') })
	case noWord:
		r.softDefinition(t)
	}
}

// softDefinition reads what begins with the name t: macros, and a union, whose keyword is one here only.
func (r *rustReader) softDefinition(t *token) {
	switch {
	case t.kind != tName:
	case r.peekIs(1, '!'):
		r.macro()
	case r.peekName(1) && r.soft("union") && (r.peekIs(2, '{') || r.peekIs(2, '<')):
		r.typeDefinition(Union)
	}
}

// macro reads macro_rules! name {…}, and of name!(…) all but the brackets, which hold expressions.
func (r *rustReader) macro() {
	t := r.peek(2)
	switch {
	case t.name() && r.soft("macro_rules"):
		d := r.define(Macro, r.at+2, r.at)
		r.advance(3)
		r.skipOne()
		r.finish(d)
	case t.opens() && !r.peekIs(-1, '.'):
		r.referName(r.sym(), Call)
		r.advance(2)
	}
}

// attribute passes #[…] and #![…].
func (r *rustReader) attribute() {
	at := r.at
	r.next()
	r.skip('!')
	if !r.is('[') {
		r.at = at
		return
	}
	r.skipBrackets()
}

// functionDefinition reads fn name. Without a name it is a type.
func (r *rustReader) functionDefinition() {
	from := r.start()
	r.next()
	if r.tok().kind != tName {
		return
	}
	r.next()
	r.function(callable{from: from, name: r.at - 1, symbol: r.peekSym(-1), generics: noPos})
}

// closure reads |a, b: T| body, and macros, where a value is expected.
func (r *rustReader) closure() {
	switch {
	case r.is('|'):
		r.bars()
	case r.name() && r.peekIs(1, '!') && r.peek(2).opens():
		r.macroValue()
	}
}

// macroValue reads name!(…) with what is asked of its value, of which nothing is known.
func (r *rustReader) macroValue() {
	m := r.top()
	r.referName(r.sym(), Call)
	r.advance(2)
	if r.is('{') {
		r.body()
	} else {
		r.inBrackets()
	}
	r.pushUnknown()
	r.suffixes(m)
	r.drop(m)
}

// bars reads |a, b: T| body and |a| -> R {…}.
func (r *rustReader) bars() {
	last := r.bar()
	if last == noPos {
		return
	}
	begin, m := r.beginScope(), r.top()
	r.next()
	outer := r.until(last)
	r.paramList()
	r.widen(outer)
	r.at = last + 1
	if r.skip(opArrow) {
		r.typ()
	}
	if r.is('{') {
		r.body()
	} else {
		r.value()
	}
	r.drop(m)
	r.endScope(begin)
}

// maxBars bounds the parameters of a closure, in tokens.
const maxBars = 64

// bar is the place of the | that ends the parameters of the closure at the cursor; noPos: the | there is the
// operator.
func (r *rustReader) bar() pos {
	before := r.peek(-1)
	if before.name() || before.kind == tNumber || before.is(')') || before.is(']') {
		return noPos
	}
	limit := min(pos(len(r.view)), r.at+maxBars)
	for p := r.at + 1; p < limit; p++ {
		switch t := &r.view[p]; {
		case t.is('|'):
			return p
		case t.is(';') || t.is('{') || t.is('}'):
			return noPos
		}
	}
	return noPos
}
