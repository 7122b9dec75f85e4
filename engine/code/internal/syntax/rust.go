package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// rustReader reads Rust.
type rustReader struct{ colon }

var rustDialect = sync.OnceValue(newRustDialect)

func newRustDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "fn", lex.Struct: "struct", lex.Enum: "enum", lex.Interface: "trait", lex.Impl: "impl",
		lex.Module: "mod", lex.Use: "use", lex.Type: "type",
		lex.Const: "const static", lex.Let: "let", lex.Mut: "mut", lex.Ref: "ref", lex.Pub: "pub",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while loop", lex.Match: "match",
		lex.Return: "return", lex.Break: "break continue", lex.This: "self Self",
		lex.Where: "where", lex.As: "as", lex.In: "in", lex.Await: "await",
		lex.Decl: "unsafe async extern move dyn", lex.Value: "true false",
		lex.Prim: "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
	}), "", "\"'#")
	d.Special = lex.RustSpecial
	d.Nested = true
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
	case lex.Const:
		if w := r.peekWord(1); w != lex.Func && w != lex.Decl {
			r.constant()
		}
	case lex.Let:
		r.let()
	case lex.If, lex.While:
		if r.peekWord(1) == lex.Let {
			r.next()
			r.let()
		}
	case lex.For:
		r.loop()
	case lex.Pub:
		r.next()
		if r.is('(') {
			r.skipBrackets()
		}
		if r.word() == lex.Const {
			r.declaration()
		}
	}
}

// definition reads definitions, attributes and closures wherever they stand.
func (r *rustReader) definition() {
	t := r.tok()
	switch {
	case t.Is('#'):
		r.attribute()
		return
	case t.Is('@'): // name @ Pattern(…)
		r.annotation()
		return
	case t.Is('|'):
		r.bars()
		return
	}
	switch t.Word {
	case lex.Func:
		r.functionDefinition()
	case lex.Struct:
		r.typeDefinition(Struct)
	case lex.Enum:
		r.typeDefinition(Enum)
	case lex.Interface:
		r.typeDefinition(Interface)
	case lex.Impl:
		r.impl()
	case lex.Module:
		r.module()
	case lex.Use:
		r.use()
	case lex.Type:
		r.alias(func() { r.skipTo(';') })
	case lex.NoWord:
		r.softDefinition(t)
	}
}

// softDefinition reads what begins with the name t: macros, and a union, whose keyword is one here only.
func (r *rustReader) softDefinition(t *lex.Token) {
	switch {
	case t.Kind != lex.Name:
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
	case t.Name() && r.soft("macro_rules"):
		d := r.define(Macro, r.at+2, r.at)
		r.advance(3)
		r.skipOne()
		r.finish(d)
	case t.Opens() && !r.peekIs(-1, '.'):
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
	if r.tok().Kind != lex.Name {
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
	case r.name() && r.peekIs(1, '!') && r.peek(2).Opens():
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
	if r.skip(lex.OpArrow) {
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
	if before.Name() || before.Kind == lex.Number || before.Is(')') || before.Is(']') {
		return noPos
	}
	limit := min(pos(len(r.view)), r.at+maxBars)
	for p := r.at + 1; p < limit; p++ {
		switch t := &r.view[p]; {
		case t.Is('|'):
			return p
		case t.Is(';') || t.Is('{') || t.Is('}'):
			return noPos
		}
	}
	return noPos
}

// module reads mod a {…}, and mod a; which imports a file.
func (r *rustReader) module() {
	at, from := r.at, r.start()
	r.next()
	if !r.name() {
		return
	}
	if !r.peekIs(1, '{') {
		module := r.names.InternString("self." + string(r.text()))
		r.imported(at, ImportRow{Module: module, Local: r.sym()})
		r.next()
		return
	}
	d := r.define(Module, r.at, from)
	r.next()
	r.signature(d)
	r.within(d, r.body)
	r.finish(d)
}

// use reads use a::b::{c, d as e, f::*};
func (r *rustReader) use() {
	r.next()
	end := r.at
	for end < pos(len(r.view)) && !r.view[end].Is(';') { // also that in a bracket which is not closed
		end++
	}
	outer := r.until(end)
	r.useTree("", 0)
	r.widen(outer)
	r.at = end
	r.skip(';')
}

// maxUse bounds how deep the brackets of use may nest.
const maxUse = 16

// useTree reads one tree of names behind prefix, up to the limit.
func (r *rustReader) useTree(prefix string, level int) {
	if level > maxUse {
		return
	}
	path, at := prefix, noPos
	for ; r.more(); r.next() {
		switch t := r.tok(); {
		case t.Word == lex.As:
			r.useName(path, r.peekSym(1), at)
			return
		case t.Kind == lex.Name:
			path, at = dotted(path, r.text()), r.at
		case t.Is('{'):
			r.useList(path, level+1)
			return
		case t.Is('*'):
			r.imported(r.at, ImportRow{Module: r.names.InternString(path), Name: r.star()})
			return
		}
	}
	if at != noPos {
		r.useName(path, r.symAt(at), at)
	}
}

// dotted is path.name, or name alone.
func dotted(path string, name []byte) string {
	if path == "" {
		return string(name)
	}
	return path + "." + string(name)
}

// useList reads {a, b::c} behind prefix.
func (r *rustReader) useList(prefix string, level int) {
	outer := r.open()
	for r.more() {
		end := r.find(',', r.at, pos(len(r.view)))
		list := r.until(end)
		r.useTree(prefix, level)
		r.widen(list)
		r.at = end + 1
	}
	r.shut(outer)
}

// useName imports what path names as local; the name stands at the place at. a::{self} is a.
func (r *rustReader) useName(path string, local Sym, at pos) {
	if at == noPos {
		return
	}
	module, name := r.split(path)
	if string(r.textAt(at)) == "self" {
		module, name = r.split(r.names.Text(module))
		if local == r.symAt(at) {
			local = name
		}
	}
	r.imported(at, ImportRow{Module: module, Name: name, Local: local})
}
