package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// importStatement reads what stands behind import: a.b as c, d. Without as, a.b binds a; what is in it is found by its whole name.
func (r *pythonReader) importStatement() {
	for r.tok().Kind == lex.Name {
		at := r.at
		row := ImportRow{Local: r.sym()}
		row.Module = r.dotted()
		if r.skipWord(lex.As) {
			row.Local = r.sym()
			r.next()
		}
		r.imported(at, row)
		if !r.is(',') || r.peek(1).First {
			return
		}
		r.next()
	}
}

// dotted reads a.b.c and leading dots.
func (r *pythonReader) dotted() Sym {
	m := r.top()
	for {
		t := r.tok()
		named := t.Name() && !r.peekName(-1)
		if !named && !t.Is('.') && !t.Is(lex.OpDots) {
			return r.popText(m)
		}
		r.pushText(r.text())
		r.next()
	}
}

// fromImport reads what stands behind from:
//
//	a.b import c as d, e    . import (f, g)    a import *
func (r *pythonReader) fromImport() {
	module := r.dotted()
	if !r.skipWord(lex.Import) {
		return
	}
	if !r.is('(') {
		r.importedNames(module)
		return
	}
	outer := r.open()
	r.importedNames(module)
	r.shut(outer)
}

func (r *pythonReader) importedNames(module Sym) {
	for r.more() {
		at := r.at
		row := ImportRow{Module: module, Name: r.sym(), Local: r.sym()}
		switch {
		case r.is('*'):
			row.Name = r.star()
		case r.tok().Kind != lex.Name:
			return
		}
		r.next()
		if r.skipWord(lex.As) {
			row.Local = r.sym()
			r.next()
		}
		r.imported(at, row)
		if !r.skip(',') {
			return
		}
	}
}

// loop reads what stands behind for: x, y in xs. A single variable is an element of what it runs over.
func (r *pythonReader) loop() {
	from := r.at
	for r.more() && r.word() != lex.In && !r.is(':') {
		r.next()
	}
	to := r.at
	if !r.skipWord(lex.In) {
		return
	}
	m := r.top()
	r.expression(false)
	r.element(m)
	t := r.pop(m)
	if to != from+1 {
		t = 0
	}
	r.bindTargets(from, to, t)
	r.exprList()
}

// bindTargets binds the names between two places; what they are members of is none.
func (r *pythonReader) bindTargets(from, to pos, t Sym) {
	look := r.between(from, to)
	for ; look.more(); look.next() {
		if isTarget(&look) {
			r.bind(r.symOf(look.tok()), t)
		}
	}
}

// isTarget reports whether a name stands at the cursor that is assigned itself, not a member of it or an element.
func isTarget(c *cursor) bool {
	if !c.name() || c.peekIs(-1, '.') {
		return false
	}
	after := c.peek(1)
	return !after.Is('.') && !after.Is('[') && !after.Is('(')
}

// with reads what stands behind with: a() as b, c() as d, in brackets or not.
func (r *pythonReader) with() {
	look := r.cursor
	look.skipBrackets()
	if !r.is('(') || !look.is(':') {
		r.withItems()
		return
	}
	outer := r.open()
	r.withItems()
	r.shut(outer)
}

func (r *pythonReader) withItems() {
	for r.more() {
		m := r.top()
		r.expression(false)
		t := r.pop(m)
		if r.skipWord(lex.As) {
			if r.name() {
				r.bind(r.sym(), t)
				r.next()
			} else {
				r.discard()
			}
		}
		if !r.skip(',') {
			return
		}
	}
}

// except reads what stands behind except: *E as e.
func (r *pythonReader) except() {
	r.skip('*')
	m := r.top()
	if !r.is(':') {
		r.expression(false)
	}
	t := r.pop(m)
	if r.word() == lex.As && r.peekName(1) {
		r.next()
		r.bind(r.sym(), t)
		r.next()
	}
}

// returned reads the value behind return or yield. Where no annotation says it, that of a return is the result's type.
func (r *pythonReader) returned() {
	if r.tok().First {
		return
	}
	yields := r.peekSoft(-1, "yield")
	m := r.top()
	r.expression(false)
	t := r.pop(m)
	if r.cur >= 0 && t != 0 && !yields && !r.is(',') {
		if def := r.def(r.cur); def.Kind.Callable() && def.Type == 0 {
			def.Type = t
		}
	}
	r.exprList()
}

// assignment reads
//
//	a = b = value    a, b = value    a: T = value    self.a = value    a += value
//
// and expressions that are assigned to nothing.
func (r *pythonReader) assignment() {
	from, owner := r.at, r.moduleVariable()
	m := r.top()
	r.target()
	for r.is(',') && !r.peek(1).First {
		r.next()
		r.target()
	}
	r.drop(m)
	to := r.at
	single := !r.severalTargets(from, to)
	var t Sym
	switch {
	case r.is(':') && single && r.assignable(from, to) && !r.peek(1).First:
		r.next()
		r.valueOf(owner, func() {
			r.annotation()
			t = r.pop(m)
			if r.skip('=') {
				r.discard()
			}
		})
	case r.is('='):
		t = r.assigned(owner)
	case r.skip(lex.OpAssign) || r.skip(lex.OpDefine):
		r.discard()
		return
	default:
		return
	}
	if !single {
		t = 0
	}
	r.assign(from, to, t)
}

// moduleVariable defines the variable of the module that the statement at the cursor assigns alone, if it is the first to do so:
// what the value uses, the variable uses. Else it is noDef.
func (r *pythonReader) moduleVariable() int32 {
	after := r.peek(1)
	if r.cur != noDef || !r.name() || after.First || !after.Is('=') && !after.Is(':') {
		return noDef
	}
	if _, known := r.members[memberOf(noDef, r.sym())]; known {
		return noDef
	}
	r.variable(Variable, noDef, r.at, r.at, 0)
	return int32(len(r.rows.Defs) - 1)
}

// valueOf runs f as the inside of the variable that owner is, unless that is noDef.
func (r *pythonReader) valueOf(owner int32, f func()) {
	if owner == noDef {
		f()
		return
	}
	r.within(owner, f)
	r.finish(owner)
}

// assigned reads = b = value, assigns what stands in between, and answers the type of the value. owner is what the value belongs
// to, or noDef.
func (r *pythonReader) assigned(owner int32) Sym {
	m := r.top()
	for r.skip('=') { // the last one is the value
		r.drop(m)
		from := r.at
		r.valueOf(owner, func() {
			r.expression(false)
			for r.is(',') && !r.peek(1).First {
				r.forget(m)
				r.next()
				r.discard()
			}
		})
		if r.is('=') {
			r.assign(from, r.at, 0)
		}
	}
	return r.pop(m)
}

// severalTargets reports whether what stands between two places is taken apart: a, b or (a, b).
func (r *pythonReader) severalTargets(from, to pos) bool {
	first := r.token(from)
	return first.Is('(') || first.Is('[') || r.find(',', from, to) < to
}

// assignable reports whether a name or attribute stands between two places.
func (r *pythonReader) assignable(from, to pos) bool {
	if !r.token(from).Name() {
		return false
	}
	return to == from+1 || r.token(to-2).Is('.') && r.token(to-1).Name()
}

// target reads what may stand left of an assignment. A name alone is not referred to before it is known that it is read.
func (r *pythonReader) target() {
	r.skip('*') // of several names: what is left
	if !r.name() {
		r.discard()
		return
	}
	if after := r.peek(1); !after.First && assigns(after, '=', ',', ':') {
		r.next()
		return
	}
	if r.peekIs(1, '.') && r.peekName(2) && assigns(r.peek(3), '=', '=', ':') && r.isLocal(r.sym()) {
		r.next()
		r.next()
		r.next()
		return
	}
	r.discard()
}

// assigns reports whether t is one of three operators.
func assigns(t *lex.Token, a, b, c byte) bool {
	return t.Kind == lex.Punct && (t.Char == a || t.Char == b || t.Char == c)
}

// assign defines or binds the targets between two places.
func (r *pythonReader) assign(from, to pos, t Sym) {
	if to == from+3 && r.token(from+1).Is('.') && r.assignable(from, to) {
		r.attribute(from, t)
		return
	}
	look := r.between(from, to)
	for look.more() {
		if look.is('[') && look.peekName(-1) {
			look.skipBrackets()
			continue
		}
		if isTarget(&look) {
			r.assignName(look.at, from, t)
		}
		look.next()
	}
}

// assignName makes the name at p a variable of the module, class or function around; the assignment begins at from.
func (r *pythonReader) assignName(p, from pos, t Sym) {
	switch r.cur {
	case noDef:
		r.variable(Variable, noDef, p, from, t)
	case r.class:
		r.variable(Field, r.class, p, from, t)
	default:
		r.bindAgain(r.symAt(p), t)
	}
}

// bindAgain binds a local variable; what was known of it stays known when its new value says nothing.
func (r *pythonReader) bindAgain(name, t Sym) {
	was, bound := r.local(name)
	if bound && was == name {
		return // it is one of the module, or a function in this one
	}
	if bound && t == 0 {
		t = was
	}
	if t == name {
		t = 0
	}
	if bound {
		r.rebind(name, t)
		return
	}
	r.bind(name, t)
}

// attribute reads an assignment to self.name, which begins at from.
func (r *pythonReader) attribute(from pos, t Sym) {
	b, ok := r.local(r.symAt(from))
	if !ok || r.class < 0 || b == 0 || r.names.Text(b) != r.classPath(r.class) {
		return
	}
	if _, known := r.members[memberOf(r.class, r.symAt(from+2))]; known {
		r.referTo(r.symAt(from+2), b, Mention, from+2)
	}
	r.variable(Field, r.class, from+2, from, t)
}

// variable defines a variable of a module or class the first time it is assigned. Its type is the first that is known.
func (r *pythonReader) variable(kind Kind, parent int32, name, from pos, t Sym) {
	sym := r.symAt(name)
	key := memberOf(parent, sym)
	if d, ok := r.members[key]; ok {
		if r.def(d).Type == 0 {
			r.def(d).Type = t
		}
		return
	}
	if t == sym {
		t = 0
	}
	was := r.cur
	r.cur = parent
	d := r.define(kind, name, from)
	r.cur = was
	r.def(d).Type = t
	r.members[key] = d
}
