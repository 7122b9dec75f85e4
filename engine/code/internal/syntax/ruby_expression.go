package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// expression reads a chain of names and calls, or one token.
func (r *rubyReader) expression() {
	t, m := r.tok(), r.top()
	switch {
	case t.Kind == lex.Name:
		at := r.at
		r.head()
		r.suffixes(m)
		r.drop(m)
		if r.at == at+1 && t.Word == lex.NoWord && r.is('=') {
			r.assignment()
		}
	case t.Kind == lex.String:
		r.holes(r.at, r.this)
		r.next()
	case t.Kind != lex.Punct:
		r.next()
	case t.Opens():
		r.inside()
	case r.atDot():
		r.pushUnknown()
		r.suffixes(m)
		r.drop(m)
	default:
		r.next()
	}
}

// atDot reports whether what leads to a member stands at the cursor: . &. ::
func (r *rubyReader) atDot() bool {
	t := r.tok()
	if t.Kind != lex.Punct {
		return false
	}
	switch t.Char {
	case '.', lex.OpOptional, lex.OpScope:
		return true
	case '&':
		return r.peekIs(1, '.')
	}
	return false
}

// assignment reads = and a value, which a constant, a field or a local variable gets whose name stands before it.
func (r *rubyReader) assignment() {
	name := r.at - 1
	sym, first := r.symAt(name), r.src[r.token(name).Start]
	r.next()
	t := r.assigned()
	switch {
	case isCapital(first):
		if r.cur == noDef || r.cur == r.class {
			d := r.define(Constant, name, name)
			r.def(d).Type = t
			r.finish(d)
		}
	case first == '@':
		r.field(name, t)
	case t != sym:
		r.bind(sym, t)
	default:
		r.bind(sym, 0)
	}
}

// assigned reads the value behind = if it begins with a name, and answers its type. Of x = if … there is none.
func (r *rubyReader) assigned() Sym {
	m := r.top()
	if r.tok().Kind != lex.Name {
		return 0
	}
	switch r.word() {
	case lex.NoWord, lex.This, lex.Super, lex.Value:
		r.head()
		r.suffixes(m)
	}
	return r.pop(m)
}

// field defines the field whose name stands at p, if it is the first time that it gets a value.
func (r *rubyReader) field(p pos, t Sym) {
	key := memberOf(r.class, r.symAt(p))
	if r.class == noDef || r.fields[key] {
		return
	}
	r.fields[key] = true
	r.within(r.class, func() {
		d := r.define(Field, p, p)
		r.def(d).Type = t
	})
}

// head reads the name or keyword that begins an expression.
func (r *rubyReader) head() {
	switch r.word() {
	case lex.NoWord:
		r.plain()
		return
	case lex.This:
		r.pushThis()
	default:
		r.pushUnknown()
	}
	r.next()
}

// pushThis pushes the class around.
func (r *rubyReader) pushThis() {
	if r.this == "" {
		r.pushUnknown()
		return
	}
	r.pushString(r.this)
}

// plain reads a name.
func (r *rubyReader) plain() {
	name := r.sym()
	if b, ok := r.local(name); ok {
		r.pushLocal(name, b)
		r.next()
		return
	}
	if r.directive() {
		return
	}
	t, next := r.tok(), r.peek(1)
	if next.Is(':') && next.Start == t.End && !r.peekIs(2, ':') { // a: in a hash or call
		r.pushUnknown()
		r.advance(2)
		return
	}
	called, first := next.Is('('), r.src[t.Start]
	use := Call
	if !called && (first == '@' || isCapital(first)) {
		use = Mention
	}
	if first == '@' {
		r.ownField(use)
		r.next()
		return
	}
	if !next.Is('=') {
		r.referName(name, use)
	}
	r.pushText(r.text())
	if use == Call && !called {
		r.called()
	}
	r.next()
}

// ownField refers to the field at the cursor and pushes it.
func (r *rubyReader) ownField(use Use) {
	m := r.top()
	r.pushThis()
	if r.this != "" {
		r.referMember(m, use)
		r.member(r.text())
	}
}

// directive reads a call of what Ruby has in place of declarations, and reports whether one stands at the cursor.
func (r *rubyReader) directive() bool {
	switch string(r.text()) {
	case "require", "require_relative", "load":
		if module := r.quotedOf(r.peek(1)); module != 0 {
			r.imported(r.at, ImportRow{Module: module, Name: r.star()})
		}
		r.next()
	case "attr_reader", "attr_accessor", "attr_writer":
		r.next()
		r.accessors()
	case "include", "extend", "prepend":
		if r.class == noDef || r.cur != r.class || !r.peekName(1) {
			return false
		}
		r.next()
		r.base()
	default:
		return false
	}
	r.pushUnknown()
	return true
}

// accessors defines the names behind attr_reader and its kin as fields.
func (r *rubyReader) accessors() {
	for r.is(':') && r.peek(1).Kind == lex.Name {
		if r.class != noDef {
			r.define(Field, r.at+1, r.at)
		}
		r.advance(2)
		if !r.skip(',') {
			return
		}
	}
}

// suffixes reads members, calls and elements behind the expression from m on.
func (r *rubyReader) suffixes(m mark) {
	for {
		t := r.tok()
		if t.Kind != lex.Punct {
			return
		}
		switch {
		case r.atDot():
			r.skip('&')
			r.next()
			if r.tok().Kind != lex.Name {
				return
			}
			r.memberOf(m, t.Char == lex.OpScope)
		case t.Char == '(' && !t.First:
			r.inside()
			r.called()
		case t.Char == '[' && !t.First && r.joined():
			r.inside()
			r.indexed()
		default:
			return
		}
	}
}

// memberOf reads a name behind a dot, or behind ::, which leads to constants too.
func (r *rubyReader) memberOf(m mark, scope bool) {
	if r.soft("new") { // X.new is a value of X
		r.next()
		return
	}
	use := Call
	if scope && isCapital(r.src[r.tok().Start]) {
		use = Mention
	}
	r.referMember(m, use)
	r.member(r.text())
	if use == Call && !r.peekIs(1, '(') {
		r.called()
	}
	r.next()
}

// inside reads what stands in the brackets at the cursor, of which nobody wants the types.
func (r *rubyReader) inside() {
	curly := r.is('{')
	outer := r.open()
	if r.enter() {
		begin, m := r.beginScope(), r.top()
		if curly {
			r.blockParams()
		}
		for r.more() {
			r.statement()
			r.drop(m)
		}
		r.endScope(begin)
		r.leave()
	} else {
		r.flat()
	}
	r.shut(outer)
}
