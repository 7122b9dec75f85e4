package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// bindVariable binds the name at name, if there is one. A name of its own type is that of something else, of
// which nothing is known.
func (r *colon) bindVariable(name pos, t Sym) {
	if name == noPos {
		return
	}
	symbol := r.symAt(name)
	if t == symbol {
		t = 0
	}
	r.bind(symbol, t)
}

// loop reads for x in xs {…}.
func (r *colon) loop() {
	begin := r.beginScope()
	r.next()
	r.loopHead()
	for r.more() && !r.is('{') && !r.is(';') && !r.is('}') {
		at, m := r.at, r.top()
		r.step()
		r.past(at)
		r.drop(m)
	}
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}

// maxLoopNames bounds how far ahead the in of a loop is looked for, in tokens.
const maxLoopNames = 32

// loopHead reads x in xs, and binds x to an element of xs.
func (r *colon) loopHead() {
	first := r.at
	limit := min(pos(len(r.view)), first+maxLoopNames)
	in := first
	for in < limit && r.view[in].Word != lex.In && !r.view[in].Is('{') {
		in++
	}
	if in >= limit || r.view[in].Word != lex.In {
		return
	}
	r.at = in + 1
	m := r.top()
	r.value()
	r.element(m)
	t := r.pop(m)
	if in != first+1 {
		t = 0
	}
	for p := first; p < in; p++ {
		if next := r.token(p + 1); r.token(p).Name() && !next.Is('(') && !next.Is(lex.OpScope) {
			r.bind(r.symAt(p), t)
		}
	}
}

// variable reads the type and the value behind the name of a variable or property, which stands at name, or
// behind a pattern, whose names are bound. Directly in a file or type it is a definition that begins at from.
// rest reads what follows the value and is no more than part of the definition, such as accessors.
func (r *colon) variable(from, name, pattern pos, rest func(d int32)) {
	m := r.top()
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	d := noDef
	if name != noPos && r.defines() {
		d = r.define(r.variableKind(), name, from)
		r.owned(d)
	}
	was := r.cur
	if d != noDef {
		r.cur = d
	}
	if r.is('=') || r.soft("by") && !r.tok().First {
		r.next()
		if v := r.assigned(); t == 0 {
			t = v
		}
	}
	if d != noDef {
		rest(d)
	}
	r.cur = was
	if pattern != noPos {
		behind := r.at
		r.at = pattern
		r.pattern()
		r.at = behind
	}
	if d == noDef {
		r.bindVariable(name, t)
		return
	}
	r.def(d).Type = t
	r.finish(d)
}

// defines reports whether a variable here is a definition: at the top of a file, in a type or in what adds to
// one.
func (r *colon) defines() bool { return r.cur == noDef || r.inClass() }

func (r *colon) variableKind() Kind {
	if r.inClass() || r.owner != 0 {
		return Field
	}
	return Variable
}

// lambdaParams passes the a, b at the cursor if they are the parameters of a function without a name, and binds
// them. isEnd tells what stands behind them: { a, b -> in Kotlin and { a, b in in Swift.
func (r *colon) lambdaParams(isEnd func(t *lex.Token) bool) {
	if !r.peekIs(-1, '{') || !r.name() {
		return
	}
	n := 0
	for r.peekName(n) && r.peekIs(n+1, ',') && n < maxLoopNames {
		n += 2
	}
	if !r.peekName(n) || !isEnd(r.peek(n+1)) {
		return
	}
	for ; n >= 0; n -= 2 {
		r.bind(r.sym(), 0)
		r.advance(2)
	}
}
