package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// function reads a function with a body, of which f was found out:
//
//	static T *name(T a, U b) {…}    T X<U>::name(T a) : field(a) {…}
func (r *cReader) function(f found) {
	from := r.at
	if !r.token(f.body).Is('{') {
		r.at = f.params
		r.skipDeclaration()
		return
	}
	d := r.functionNamed(f, from)
	begin, this, class := r.beginScope(), r.this, r.class
	r.within(d, func() {
		m := r.top()
		r.specifiers(f.function)
		r.def(d).Type = r.pop(m)
		r.own(d)
		r.at = f.params
		r.bindParams()
		r.class = noDef
		initialisers := r.at
		r.skipUntil(':', f.body)
		r.signature(d)
		r.at = initialisers
		r.exprsUntil(f.body)
		r.at = f.body
		r.body()
	})
	r.endScope(begin)
	r.this, r.class = this, class
	r.finish(d)
}

// skipUntil goes on to the next ch, or to end.
func (r *cReader) skipUntil(ch byte, end pos) {
	for r.at < end && !r.is(ch) {
		r.next()
	}
}

// own tells what this means in the function d.
func (r *cReader) own(d int32) {
	if owner := r.def(d).Owner; owner != 0 {
		r.this = r.names.Text(owner)
	} else if r.class >= 0 {
		r.this = r.classPath(r.class)
	}
}

// functionNamed adds the definition of the function that f describes: X::f belongs to X, a macro that defines a
// function names it in its first argument.
func (r *cReader) functionNamed(f found, from pos) int32 {
	first, kind := f.function, Function
	if r.class >= 0 {
		kind = Method
	}
	if r.plus && gtestMacros()[string(r.textAt(first))] && r.twoNames(f.params) {
		d := r.defineAs(Method, r.symAt(f.params+3), f.params+3, from)
		r.def(d).Owner = r.symAt(f.params + 1)
		return d
	}
	name := r.symAt(first)
	switch {
	case r.token(first).Word == lex.Operator: // operator+
		name = r.span(first, f.params)
	case r.plus && r.token(first-1).Is('~'):
		first--
		name = r.span(first, first+2)
	}
	owner := r.ownerBefore(first, from)
	if owner != 0 {
		kind = Method
	}
	d := r.defineAs(kind, name, f.function, from)
	r.def(d).Owner = owner
	return d
}

// gtestMacros define a test, which runners call Suite.Name: TEST_F(Suite, Name) {…}. Of some of them Suite is a class.
var gtestMacros = sync.OnceValue(func() map[string]bool {
	return nameSet("TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P")
})

// twoNames reports whether (A, B) stands at p.
func (r *reader) twoNames(p pos) bool {
	at := func(n pos) *lex.Token { return r.token(p + n) }
	return at(0).Is('(') && at(1).Name() && at(2).Is(',') && at(3).Name() && at(4).Is(')')
}

// span is the text from the token at first up to the one before end, as a name.
func (r *reader) span(first, end pos) Sym {
	return r.names.Intern(r.src[r.token(first).Start:r.token(end-1).End])
}

// ownerBefore is the A.B of A<T>::B::f, where f stands at p and the declaration begins at from; 0: it has none.
func (r *cReader) ownerBefore(p, from pos) Sym {
	if !r.plus {
		return 0
	}
	var parts [maxPath][]byte
	n := len(parts)
	for p--; n > 0 && p > from && r.token(p).Is(lex.OpScope); p-- {
		p--
		if r.token(p).Is('>') {
			for p > from && !r.token(p).Is('<') {
				p--
			}
			p--
		}
		if !r.token(p).Name() {
			break
		}
		n--
		parts[n] = r.textAt(p)
	}
	m := r.top()
	for k, part := range parts[n:] {
		if k > 0 {
			r.pushString(".")
		}
		r.pushText(part)
	}
	return r.popText(m)
}

// prototype reads the declaration of a function without a body. It counts inside classes only: elsewhere the
// definition is what one looks for.
func (r *cReader) prototype(f found) {
	from := r.at
	r.at = f.params
	end := r.statementEnd()
	r.at = from
	if r.class >= 0 && r.cur == r.class && !r.macroMember(f) {
		d := r.functionNamed(f, from)
		r.within(d, func() {
			m := r.top()
			r.specifiers(f.function)
			r.def(d).Type = r.pop(m)
		})
		r.at = end
		r.finish(d)
		r.def(d).Body = r.def(d).End // all of it is the head
		return
	}
	m := r.top()
	r.specifiers(f.function)
	r.drop(m)
	r.at = f.params
	if f.function == from || r.macroLike(f.function) { // the call of a macro
		r.referAt(f.function, Call)
		r.inBrackets()
	} else {
		r.skipBrackets()
	}
	r.exprsUntil(end)
	r.at = end
}

// macroMember reports whether the call of a macro stands where a member is declared: MAKE_PARSER(char, parse_char);
func (r *cReader) macroMember(f found) bool {
	return f.function == r.at && r.macroLike(f.function) && r.symAt(f.function) != r.def(r.class).Name
}

// statementEnd is the place behind the next ; that stands outside brackets.
func (r *cReader) statementEnd() pos {
	from := r.at
	r.skipStatement()
	end := r.at
	r.at = from
	return end
}

// skipStatement goes on behind the next ; that stands outside brackets. On the way it reads directives.
func (r *cReader) skipStatement() {
	for r.more() && !r.is('}') {
		if r.skip(';') {
			return
		}
		if r.tok().Kind == lex.Directive {
			r.directive()
		}
		r.skipOne()
	}
}

// bindParams binds the parameters in the brackets at the cursor.
func (r *cReader) bindParams() {
	outer := r.open()
	for r.more() {
		end := r.find(',', r.at, pos(len(r.view)))
		r.parameter(end)
		r.at = end + 1
	}
	r.shut(outer)
}

// parameter reads const T *name[3] = value and T (*name)(…), up to end.
func (r *cReader) parameter(end pos) {
	from := r.at
	r.skipParameter(end)
	stop := r.at
	name := r.parameterName(from, stop)
	r.at = from
	m := r.top()
	r.specifiers(max(name, from))
	t := r.pop(m)
	if name > from {
		r.bind(r.symAt(name), t)
	}
	r.at = stop
	if r.skip('=') {
		r.exprsUntil(end)
	}
}

// skipParameter goes on to the = or [ behind a parameter's name, or to end.
func (r *cReader) skipParameter(end pos) {
	for r.at < end && !r.is('=') && !r.is('[') {
		r.next()
	}
}

// parameterName is the last name between two places: outside angle brackets, or that of a pointer to a function.
func (r *cReader) parameterName(from, to pos) pos {
	look := r.between(from, to)
	name := noPos
	for ; look.more(); look.next() {
		switch {
		case look.is('<') && r.plus:
			look.at = r.lastAngle(look.at, to)
		case look.is('(') && look.peekIs(1, '*') && look.peekName(2):
			return look.at + 2
		case look.name():
			name = look.at
		}
	}
	return name
}

// lastAngle is the place of the > that closes the type arguments at p before to, or p.
func (r *cReader) lastAngle(p, to pos) pos {
	end := r.angleEndAt(p)
	if end == p || end > to {
		return p
	}
	return end - 1
}

// specifiers reads the type before end and pushes it.
func (r *cReader) specifiers(end pos) {
	outer := r.until(end)
	defer r.widen(outer)
	for ; r.more(); r.next() {
		t := r.tok()
		switch {
		case t.Name():
			annotation := r.macroLike(r.at) && r.token(r.at+1).Kind == lex.Name
			if !annotation {
				r.typeName()
				return
			}
		case t.Kind == lex.Name && !isSpecifier(t.Word):
			r.pushUnknown()
			return
		}
	}
	r.pushUnknown()
}

// isSpecifier reports whether a word goes before a type without saying which one it is.
func isSpecifier(w lex.Word) bool {
	switch w {
	case lex.Decl, lex.Struct, lex.Union, lex.Enum, lex.Class, lex.Extern, lex.Typedef, lex.Typename:
		return true
	}
	return false
}
