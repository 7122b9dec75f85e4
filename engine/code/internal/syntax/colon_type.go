package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// typ reads the type at the cursor and pushes what members it has: those of A for A?, &mut A, A + B, and for A &
// B.
func (r *colon) typ() {
	m := r.top()
	if !r.more() || !r.enter() {
		r.pushUnknown()
		return
	}
	defer r.leave()
	for r.isTypePrefix() {
		r.next()
	}
	switch t := r.tok(); {
	case t.Is('('):
		r.tuple()
		return
	case t.Word == lex.Func || r.soft("Fn") || r.soft("FnMut") || r.soft("FnOnce"):
		r.next()
		r.functionType()
		return
	case t.Is('['):
		r.listType()
	case t.Is('<'): // <T as Trait>::X
		r.pushUnknown()
		r.at = max(r.angleEnd(), r.at+1)
		for r.is(lex.OpScope) {
			r.advance(2)
		}
	case t.Word == lex.Prim:
		r.pushUnknown()
		r.next()
	default:
		r.typeName()
	}
	for (r.is('?') || r.is('!')) && !r.tok().First {
		r.next()
	}
	r.otherBounds()
	if r.empty(m) {
		r.pushUnknown()
	}
}

// otherBounds reads the + B and & B behind a type.
func (r *colon) otherBounds() {
	for r.is('+') || r.is('&') {
		r.next()
		next := r.top()
		r.typ()
		r.drop(next)
	}
}

// isTypePrefix reports whether what stands at the cursor goes before a type without changing its members: &'a
// mut, dyn, some, @escaping.
func (r *colon) isTypePrefix() bool {
	t := r.tok()
	switch t.Kind {
	case lex.Punct:
		switch t.Char {
		case '&', '*', '\'', '!', '?', '@', lex.OpLogic, lex.OpDots:
			return true
		}
		return false
	case lex.String: // extern "C" fn
		return true
	}
	switch t.Word {
	case lex.Mut, lex.Const, lex.Decl, lex.Impl, lex.For:
		return true
	case lex.NoWord:
		return r.peekName(1) && (r.soft("some") || r.soft("any"))
	}
	return false
}

// listType reads [T], [T; 4], and [K: V], a list of V to who asks for members.
func (r *colon) listType() {
	m := r.top()
	outer := r.open()
	r.typ()
	if r.skip(':') {
		r.drop(m)
		r.typ()
	}
	r.listOf(m)
	r.shut(outer)
}

// functionType reads (A, B) -> R behind fn.
func (r *colon) functionType() {
	if !r.is('(') {
		r.pushUnknown()
		return
	}
	m := r.top()
	r.tuple()
	if r.expr[m] != '{' {
		r.drop(m)
		r.pushString("{}")
	}
}

// tuple reads (A, B), of which nothing is known, (A) and (a: A, B) -> R.
func (r *colon) tuple() {
	m := r.top()
	outer := r.open()
	parts := 0
	for ; r.more(); r.next() {
		if r.peekIs(1, ':') { // a label
			r.advance(2)
		}
		at, next := r.at, r.top()
		r.typ()
		r.past(at)
		if parts > 0 {
			r.drop(next)
		}
		parts++
		r.skipTo(',')
	}
	r.shut(outer)
	r.skipEffects()
	switch {
	case r.skip(lex.OpArrow):
		r.drop(m)
		r.typ()
		r.functionOf(m)
	case parts != 1:
		r.forget(m)
	}
}

// typeNamed reads the type whose name stands at the cursor, with its type parameters and what rest reads behind
// them.
func (r *colon) typeNamed(kind Kind, from pos, rest func(d int32)) {
	d := r.define(kind, r.at, from)
	r.types[r.def(d).Name] = d
	r.next()
	was, class, this, owner := r.cur, r.class, r.this, r.owner
	r.cur, r.class, r.this, r.owner = d, d, r.classPath(d), 0
	begin := r.beginScope()
	r.typeParams()
	rest(d)
	r.endScope(begin)
	r.cur, r.class, r.this, r.owner = was, class, this, owner
	r.finish(d)
}

// heritage reads : Base(), Other where …, up to the body.
func (r *colon) heritage() {
	if r.skip(':') {
		r.bases()
	}
	r.constraints()
}

func (r *colon) bases() {
	for first := r.at; r.more() && !r.is('{') && !r.is(';') && r.word() != lex.Where; {
		at := r.at
		if r.lines && r.tok().First && at > first && !r.peekIs(-1, ',') {
			return
		}
		switch {
		case r.soft("by"): // Kotlin's : Base by value
			m := r.top()
			r.next()
			r.value()
			r.drop(m)
		case r.name():
			r.base()
		case r.is('('):
			r.inBrackets()
		}
		r.past(at)
	}
}

// alias reads type A<T> = B, typealias and associatedtype. end passes what the language has behind that.
func (r *colon) alias(end func()) {
	if r.peek(1).Kind != lex.Name {
		r.next()
		return
	}
	d := r.define(Alias, r.at+1, r.start())
	r.owned(d)
	r.types[r.def(d).Name] = d
	r.advance(2)
	begin, m := r.beginScope(), r.top()
	r.within(d, func() {
		r.typeParams()
		if r.skip('=') {
			r.typ()
		}
	})
	r.def(d).Type = r.pop(m)
	r.endScope(begin)
	end()
	r.finish(d)
}

// maxHead bounds how far ahead the body of an impl or extension is looked for, in tokens.
const maxHead = 512

// bodyAhead is the place of the body behind what stands at the cursor, or noPos.
func (r *colon) bodyAhead() pos {
	limit := min(pos(len(r.view)), r.at+maxHead)
	for p := r.at; p < limit; p = r.behind(p, limit) {
		switch t := &r.view[p]; {
		case t.Is('{'):
			return p
		case t.Is(';'):
			return noPos
		}
	}
	return noPos
}

// typePath reads the type at the cursor that something adds to and answers its path, and the name it ends with;
// "": it has none.
func (r *colon) typePath() (path string, name Sym) {
	m := r.top()
	if r.wrapsParam() {
		r.pushText(r.text())
	} else {
		r.typ()
	}
	path = string(r.expr[m:])
	r.drop(m)
	if path == "" || path[0] == '?' || path[0] == '[' || path[0] == '{' {
		return "", r.names.InternString(unknown)
	}
	return path, r.names.InternString(lastName([]byte(path)))
}

// wrapsParam reports whether Box<T> or the like stands at the cursor, whose T is a type parameter: what is added
// to it is added to no other type.
func (r *colon) wrapsParam() bool {
	if !r.name() || !r.peekIs(1, '<') || !r.peekName(2) {
		return false
	}
	return r.isLocal(r.peekSym(2)) && curlyGenerics().wrapper[string(r.text())]
}

// typeHere is the type called name that this file has defined so far, or noDef.
func (r *colon) typeHere(name Sym) int32 {
	if d, ok := r.types[name]; ok {
		return d
	}
	return noDef
}

// members reads the body at the cursor, which adds to the type with this path and name.
func (r *colon) members(path string, name Sym) {
	owner, this, class, was := r.owner, r.this, r.class, r.cur
	r.owner, r.this, r.class, r.cur = name, path, noDef, noDef
	r.body()
	r.owner, r.this, r.class, r.cur = owner, this, class, was
}
