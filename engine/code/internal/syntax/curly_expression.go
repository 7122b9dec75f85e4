package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// value reads a primary expression with its prefix operators and what follows it, and pushes what is known of its type.
func (r *curly) value() {
	for isPrefix(r.tok()) || r.isRooted() {
		r.next()
	}
	m, at := r.top(), r.at
	if r.language.closure(); r.at > at {
		r.forget(m)
		return
	}
	t := r.tok()
	switch {
	case t.Kind == lex.Name:
		r.head()
	case t.Is('('):
		r.parens()
	case t.Is('['):
		r.list()
	case t.Is('{'):
		r.body()
		r.forget(m)
		return
	case t.Kind == lex.String || t.Kind == lex.Number:
		r.pushUnknown()
		r.next()
	default:
		r.pushUnknown()
		return
	}
	r.suffixes(m)
}

// isPrefix reports whether t stands before a value without changing its type.
func isPrefix(t *lex.Token) bool {
	if t.Kind == lex.Punct {
		switch t.Char {
		case '&', '*', '!', '-', '+', '~':
			return true
		}
		return false
	}
	switch t.Word {
	case lex.Await, lex.Mut, lex.Ref, lex.Try, lex.Return, lex.Throw, lex.Del:
		return true
	}
	return false
}

// parens reads (x), (x as T), a cast or the parameters of a lambda, and pushes the type of x if it is all that stands
// there.
func (r *curly) parens() {
	m := r.top()
	outer := r.open()
	if r.enter() {
		r.value()
		r.leave()
	}
	keep := r.pop(m)
	if r.skipAs() {
		keep = r.castTo()
	}
	if r.more() && !r.is(lex.OpLogic) {
		keep = 0
	}
	r.exprs()
	r.pushType(keep)
	r.shut(outer)
}

// skipAs passes the word as, which is a keyword in some of the languages.
func (r *curly) skipAs() bool { return r.skipWord(lex.As) || r.skipSoft("as") }

// castTo reads the type behind as, as? and as!.
func (r *curly) castTo() Sym {
	m := r.top()
	if !r.skip('?') {
		r.skip('!')
	}
	r.typeName()
	return r.pop(m)
}

// list reads [a, b] and pushes a list of the first element's type.
func (r *curly) list() {
	m := r.top()
	outer := r.open()
	if r.enter() {
		r.value()
		r.leave()
	}
	r.listOf(m)
	rest := r.top()
	r.exprs()
	r.drop(rest)
	r.shut(outer)
}

// head reads the name or keyword that begins an expression.
func (r *curly) head() {
	switch r.word() {
	case lex.NoWord:
		r.plain()
		return
	case lex.This:
		r.pushThis("")
	case lex.Super:
		r.pushThis("^")
	case lex.New:
		r.next()
		r.creation()
		return
	default:
		r.pushUnknown()
	}
	r.next()
}

// plain reads a name.
func (r *curly) plain() {
	if r.inNamespace() {
		m := r.top()
		r.namespace()
		at := r.at
		r.next()
		r.referTo(r.symAt(at), r.whole(m), r.useHere(), at)
		r.member(r.textAt(at))
		return
	}
	name, at := r.sym(), r.at
	if b, ok := r.local(name); ok && b != name { // a name bound to itself is a definition in this function
		r.pushLocal(name, b)
		r.next()
		return
	}
	r.next()
	r.callTypes('{')
	r.referTo(name, 0, r.useHere(), at)
	r.pushText(r.textAt(at))
}

// useHere is how the name before the cursor is used: called, when a round bracket follows.
func (r *curly) useHere() Use {
	if r.is('(') {
		return Call
	}
	return Mention
}

// callTypes reads the type arguments at the cursor, if they belong to a name before it, as in f<T>(x) and
// V<T>::new(). In other places < compares. literal is a further bracket that may follow them: T<U>{…}.
func (r *curly) callTypes(literal byte) {
	if !r.angles || !r.is('<') {
		return
	}
	end := r.angleEnd()
	after := r.token(end)
	if end > r.at && (after.Is('(') || after.Is(lex.OpScope) || after.Is(literal)) {
		r.angleTypes(end)
	}
}

// creation reads T(args) behind new, and the body of a class without a name behind that.
func (r *curly) creation() {
	from := r.at
	r.making = true
	r.typeName()
	r.making = false
	if !r.is('(') {
		return
	}
	behind := r.at
	r.inBrackets()
	if r.is('{') {
		m := r.top()
		r.language.classBody(r.basesBetween(from, behind))
		r.drop(m)
	}
}

// suffixes reads members, calls and elements behind the expression from m on.
func (r *curly) suffixes(m mark) {
	for {
		t := r.tok()
		continues := !t.First || !r.lines
		switch {
		case isMemberOp(t):
			r.next()
			if !r.memberOf(m) {
				return
			}
		case t.Is('(') && continues:
			r.inBrackets()
			r.called()
		case t.Is('[') && continues:
			r.inBrackets()
			r.indexed()
		case (t.Is('!') || t.Is(lex.OpNotNull) || t.Is('?')) && !t.First && r.isPostfix():
			r.next()
		default:
			return
		}
	}
}

// isPostfix tells the postfix operator at the cursor from one between two values: x!.y, x?.y, x!!.y, f()?;
func (r *curly) isPostfix() bool {
	t := r.peek(1)
	if isMemberOp(t) {
		return true
	}
	return t.Is(';') || t.Is(')') || t.Is(',') || t.Is('?') || t.Is('[')
}

// memberOf reads the name behind a dot, a member of the expression from m on, and reports whether there was one.
func (r *curly) memberOf(m mark) bool {
	if r.angles && r.is('<') { // x::<T>, as Rust has it
		end := r.angleEnd()
		if end > r.at {
			r.angleTypes(end)
			return true
		}
	}
	if r.tok().Kind != lex.Name { // f?.(x), x?.[y]
		return false
	}
	word, at := r.word(), r.at
	if word == lex.Class && r.peekIs(-1, lex.OpArrow) {
		word = lex.NoWord // $x->class is a property
	}
	name, q := r.names.Intern(r.memberText(at)), r.qualifierOf(m)
	r.next()
	r.callTypes(lex.OpScope)
	switch word {
	case lex.This, lex.Super, lex.Await, lex.Class: // x.await, X.class
		return true
	}
	use := r.useHere()
	if r.is(lex.OpScope) && r.peekIs(1, '<') {
		use = Call
	}
	r.referTo(name, q, use, at)
	r.member(r.memberText(at))
	return true
}

// memberText is the name of the member at a place. A static property of PHP stands there as X::$name.
func (r *curly) memberText(at pos) []byte {
	text := r.textAt(at)
	if r.sigils && at > 0 && r.token(at-1).Is(lex.OpScope) && len(text) > 1 && text[0] == '$' {
		return text[1:]
	}
	return text
}

// assigned reads the value behind = and answers its type: 0 when an operator changes it.
func (r *curly) assigned() Sym {
	m := r.top()
	r.value()
	t := r.tok()
	if t.Kind == lex.Punct && !(r.lines && t.First) {
		switch t.Char {
		case ';', ',', ')', '}', ']', lex.OpLogic:
		default:
			r.forget(m)
		}
	}
	typ := r.pop(m)
	if r.skipAs() {
		typ = r.castTo()
	}
	return typ
}
