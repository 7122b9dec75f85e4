package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// expression reads one expression and pushes what is known of its type: that of its first operand. In the header of a
// statement, { begins the body and no literal.
func (r *goReader) expression(header bool) {
	if !r.enter() {
		r.pushUnknown()
		r.flatRest()
		return
	}
	defer r.leave()
	m := r.top()
	r.operand(header)
	for r.more() {
		t := r.tok()
		if t.Kind != lex.Punct || t.First || !isGoBinary(t.Char) || r.counts() {
			return
		}
		next := r.top()
		r.next()
		r.operand(header)
		r.drop(next)
		switch t.Char {
		case lex.OpCompare, lex.OpLogic, '<', '>':
			r.forget(m) // true or false
		}
	}
}

// counts reports whether ++ or -- stands at the cursor. It ends a statement: the next line does not belong to it.
func (r *goReader) counts() bool {
	t, next := r.tok(), r.peek(1)
	return (t.Is('+') || t.Is('-')) && next.Is(t.Char) && next.Start == t.End
}

func isGoBinary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', lex.OpCompare, lex.OpLogic:
		return true
	}
	return false
}

// flatRest reads what nests too deep, up to the end of the bracket or statement around the cursor.
func (r *goReader) flatRest() {
	look := r.cursor
	for look.more() && !look.tok().Closes() && !look.is(';') {
		look.skipOne()
	}
	outer := r.until(look.at)
	r.flat()
	r.widen(outer)
}

// operand reads a unary expression.
func (r *goReader) operand(header bool) {
	for r.more() && r.tok().Kind == lex.Punct {
		switch r.tok().Char {
		case '&', '*', '!', '-', '+', '^', '<', '>', '%', '|', '=':
			r.next()
			continue
		case lex.OpRecv:
			if r.peekWord(1) == lex.Chan {
				break // the type <-chan T
			}
			r.next()
			m := r.top()
			r.primary(header)
			r.element(m)
			return
		}
		break
	}
	r.primary(header)
}

// primary reads a name, literal, conversion or bracket, and what follows it.
func (r *goReader) primary(header bool) {
	m, t := r.top(), r.tok()
	typed := false // whether a composite literal may follow
	switch {
	case !r.more():
		r.pushUnknown()
		return
	case t.Kind == lex.Name:
		typed = r.named()
	case t.Is('('):
		outer := r.open()
		r.expression(false)
		r.shut(outer)
	case t.Is('['):
		r.typ()
		typed, header = true, false
	case t.Is('{'):
		if !header {
			r.literal(m)
		}
		r.forget(m)
		return
	case t.Closes() || t.Is(',') || t.Is(';') || t.Is(':'):
		r.pushUnknown()
		return
	default:
		r.pushUnknown()
		r.next()
	}
	r.suffixes(m, typed && !header)
}

// named reads an operand that begins with a name or keyword and reports whether it may be a literal's type.
func (r *goReader) named() (typed bool) {
	switch r.word() {
	case lex.NoWord:
		return r.plainName()
	case lex.Func:
		r.next()
		r.funcLiteral()
		return false
	case lex.Map, lex.Chan, lex.Struct, lex.Interface:
		r.typ()
		return true
	case lex.Make:
		if r.peekIs(1, '(') {
			r.builtin(r.typ) // a value of its first argument, a type
			return false
		}
	case lex.Append:
		if r.peekIs(1, '(') {
			r.builtin(func() { r.expression(false) }) // a value like its first argument
			return false
		}
	}
	r.pushUnknown()
	r.next()
	return false
}

// builtin reads make(T, …), new(T) and append(x, …): first reads the first argument, which tells the type of the
// result.
func (r *goReader) builtin(first func()) {
	r.next()
	outer := r.open()
	first()
	r.arguments()
	r.shut(outer)
}

// plainName pushes the name at the cursor, or the type of a local one, and reports whether it may be a literal's type.
func (r *goReader) plainName() (typed bool) {
	name := r.sym()
	if b, ok := r.local(name); ok {
		r.pushLocal(name, b)
		r.next()
		return b == name // a local type
	}
	if r.soft("_") {
		r.pushUnknown()
		r.next()
		return false
	}
	switch {
	case !r.peekIs(1, '.'):
		r.referName(name, r.use())
	case r.peek(2).Kind != lex.Name || !r.isImported(name):
		r.referName(name, Mention)
	}
	r.pushText(r.text())
	r.next()
	return true
}

// use is how the name at the cursor is used: f(x) and f[T](x) call it.
func (r *goReader) use() Use {
	if !r.peekIs(1, '[') {
		return r.useBefore('(')
	}
	look := r.cursor
	look.next()
	look.skipBrackets()
	if look.is('(') {
		return Call
	}
	return Mention
}

// isImported reports whether name is that of an imported package.
func (r *goReader) isImported(name Sym) bool {
	for k := range r.rows.Imports {
		if r.rows.Imports[k].Local == name {
			return true
		}
	}
	return false
}

func (r *goReader) funcLiteral() {
	begin, was := r.beginScope(), r.switched
	r.switched = 0
	results := r.parameters()
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
	r.switched = was
	r.pushFunc(results)
}

// suffixes reads selectors, calls, indices, assertions and the body of a composite literal behind the expression from
// m on.
func (r *goReader) suffixes(m mark, literal bool) {
	for {
		t := r.tok()
		if t.Kind != lex.Punct || t.First {
			return
		}
		switch t.Char {
		case '.':
			r.next()
			r.selector(m)
		case '(':
			outer := r.open()
			r.arguments()
			r.shut(outer)
			r.called()
			literal = false
		case '[':
			outer := r.open()
			sliced := r.arguments()
			r.shut(outer)
			if !sliced {
				r.indexed()
			}
		case '{':
			if !literal {
				return
			}
			r.literal(m)
			literal = false
		default:
			return
		}
	}
}

// selector reads what follows a dot: a name or a type assertion.
func (r *goReader) selector(m mark) {
	if r.is('(') {
		outer := r.open()
		r.drop(m)
		r.typ()
		r.shut(outer)
		return
	}
	if r.tok().Kind != lex.Name {
		return
	}
	r.referMember(m, r.use())
	r.member(r.text())
	r.next()
}

// arguments reads expressions and types up to the limit. It reports whether a colon was among them: a slice.
func (r *goReader) arguments() (sliced bool) {
	m := r.top()
	for r.more() {
		if r.is(',') || r.is(':') || r.is(lex.OpDots) {
			sliced = sliced || r.is(':')
			r.next()
			continue
		}
		at := r.at
		r.expression(false)
		r.past(at)
		r.drop(m)
	}
	return sliced
}

// literal reads the elements of the composite literal in the curly brackets at the cursor, whose type is the
// expression from m on. Of a struct, the names before colons are its fields:
//
//	T{a: x, b: {c: y}}    []T{{a: x}, {a: y}}    map[K]V{k: v}
func (r *goReader) literal(m mark) {
	outer := r.open()
	if r.enter() {
		for r.more() {
			at := r.at
			r.literalElement(m)
			r.past(at)
		}
		r.leave()
	} else {
		r.flat()
	}
	r.shut(outer)
}

func (r *goReader) literalElement(m mark) {
	list := r.isList(m)
	switch {
	case r.is(',') || r.is(':'):
		r.next()
	case !list && r.tok().Kind == lex.Name && r.peekIs(1, ':'):
		if s := r.site(r.at); s != nil {
			s.Key = true
		}
		if r.known(m) { // else a field of a type that is not known
			r.referMember(m, Mention)
		}
		r.next()
		r.next()
	case r.is('{'):
		r.elided(m, list)
	default:
		keep := r.top()
		r.expression(false)
		r.drop(keep)
	}
}

// isList reports whether the expression from m on is a list.
func (r *goReader) isList(m mark) bool { return !r.empty(m) && r.expr[m] == '[' }

// elided reads a literal without a type of its own: an element of the list from m on, or of the type that names one.
func (r *goReader) elided(m mark, list bool) {
	elem := r.top()
	switch {
	case !r.known(m):
		r.pushUnknown()
	case list:
		r.pushText(r.expr[m+1 : elem-1])
	default:
		r.pushText(r.expr[m:elem])
		r.indexed()
	}
	r.literal(elem)
	r.drop(elem)
}
