package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// curly is what the readers of languages with curly brackets share: statements and expressions. A language tells it
// with the methods of curlyLanguage what a declaration looks like.
type curly struct {
	*reader
	language curlyLanguage
	this     string // the path of the class around, for this, self and super
	angles   bool   // f<T>(x) calls a generic function
	lines    bool   // statements end with their line
	making   bool   // typeName reads a type of which a value is made
	nameless nameless
	sigils   bool // the names of variables begin with $
	// used are the paths, A.B.C, of what a file of PHP imports, by the names that it has there.
	used map[string]string
}

// curlyLanguage is what differs between the bodies of two languages. Each method reads what it is named for, if that
// stands at the cursor, and else leaves the cursor where it is.
type curlyLanguage interface {
	// declaration reads a declaration of local variables where a statement begins, and binds them.
	declaration()
	// definition reads what may stand anywhere in a body and is more than an expression, such as a function with a
	// name.
	definition()
	// closure reads a function without a name where a value is expected, or only notes what value that is.
	closure()
	// classBody reads the body of a class without a name, behind new T(…).
	classBody(base Sym)
}

// classBody is for languages that have no classes without a name, or know them by their keyword.
func (r *curly) classBody(Sym) {}

// body reads the block in the curly brackets at the cursor, with a scope of its own.
func (r *curly) body() {
	outer := r.open()
	r.statements()
	r.shut(outer)
}

// inBrackets reads the expressions in the brackets at the cursor, of which nobody wants the types.
func (r *curly) inBrackets() {
	outer, m := r.open(), r.top()
	r.exprs()
	r.drop(m)
	r.shut(outer)
}

// exprsUntil reads the expressions between the cursor and end.
func (r *curly) exprsUntil(end pos) {
	if r.at >= end {
		return
	}
	outer := r.until(end)
	r.exprs()
	r.widen(outer)
	r.at = end
}

// exprs reads expressions up to the limit, and whatever stands between them.
func (r *curly) exprs() { r.scan(false) }

// statements reads statements up to the limit.
func (r *curly) statements() { r.scan(true) }

// scan reads statements or expressions up to the limit. What they bind ends there. A statement begins behind another,
// behind a bracket and behind words such as else; an expression in brackets holds statements behind such a word only.
func (r *curly) scan(statements bool) {
	if !r.enter() {
		r.flat()
		return
	}
	begin, m := r.beginScope(), r.top()
	begins := statements
	for r.more() {
		t, at := r.tok(), r.at
		begins = begins || statements && r.lines && t.First
		if r.statement(begins); r.at > at {
			begins = statements && (r.endsStatement() || t.Is('#') || t.Is('@'))
			continue
		}
		begins = t.Word == lex.Else || t.Word == lex.Do || t.Word == lex.Try || statements && beginsStatement(t)
		r.step()
		r.past(at)
		r.drop(m)
		begins = begins || statements && r.peekIs(-1, '}')
	}
	r.endScope(begin)
	r.leave()
}

// beginsStatement reports whether a statement begins behind t.
func beginsStatement(t *lex.Token) bool { return t.Is(';') || t.Is('{') || t.Is('}') || t.Is(':') }

// endsStatement reports whether the token before the cursor may be the last one of a statement.
func (r *curly) endsStatement() bool {
	return r.lines || r.peekIs(-1, ';') || r.peekIs(-1, '}')
}

// statement reads a definition or declaration at the cursor, if one begins there.
func (r *curly) statement(begins bool) {
	at := r.at
	if r.language.definition(); r.at == at && begins {
		r.language.declaration()
	}
}

// step reads one expression, bracket or token.
func (r *curly) step() {
	t := r.tok()
	switch {
	case t.Kind == lex.Name && t.Word == lex.For && r.peekIs(1, '('):
		r.next()
		r.forHeader()
	case t.Kind == lex.Name || t.Is('(') || t.Is('['):
		r.value()
	case t.Is('{'):
		r.body()
	case isMemberOp(t) && r.peek(1).Kind == lex.Name:
		m := r.top()
		r.pushUnknown()
		r.suffixes(m)
	default:
		r.next()
	}
}

// isMemberOp reports whether t leads from a value or type to its member.
func isMemberOp(t *lex.Token) bool {
	if t.Kind != lex.Punct {
		return false
	}
	switch t.Char {
	case '.', lex.OpArrow, lex.OpScope, lex.OpOptional:
		return true
	}
	return false
}

// forHeader reads the brackets behind for and the statement behind them, in which holds what they declare.
func (r *curly) forHeader() {
	begin := r.beginScope()
	outer, m := r.open(), r.top()
	for first := r.at; r.more(); {
		at := r.at
		if at == first || r.peekIs(-1, ';') {
			if r.language.declaration(); r.at > at {
				continue
			}
		}
		r.step()
		r.past(at)
		r.drop(m)
	}
	r.shut(outer)
	if r.is('{') {
		r.body()
	} else {
		r.oneStatement()
	}
	r.endScope(begin)
}

// oneStatement reads the statement without curly brackets that a for repeats.
func (r *curly) oneStatement() {
	m := r.top()
	for r.more() && !r.is(';') && !r.is('}') && !r.is('{') && r.word() != lex.For {
		at := r.at
		r.step()
		r.past(at)
		r.drop(m)
	}
}

// nameless is what a reader knows of the class without a name around the cursor: new T() {…}, object : T {…}, new
// class extends T {…}. Such a class is no definition. Its methods belong to what stands around it and have its bases
// for their Owner, so that who asks what implements a method of T finds them.
type nameless struct {
	bases Sym // separated by commas, or 0
	end   pos // of its body
}

// withoutName has read read the body in the brackets at the cursor, of a class without a name that has these bases.
func (r *curly) withoutName(bases Sym, read func()) {
	around := r.nameless
	r.nameless = nameless{bases, r.closing()}
	read()
	r.nameless = around
}

// inNameless reports whether the cursor stands among the members of a class without a name, and in nothing that
// stands there.
func (r *curly) inNameless() bool { return r.nameless.bases != 0 && pos(len(r.view)) == r.nameless.end }

// standsIn says for what the method d of a class without a name stands in. What stands directly in another class is a
// member of that.
func (r *curly) standsIn(d int32, bases Sym) {
	if parent := r.def(d).Parent; parent < 0 || !r.def(parent).Kind.Type() {
		r.def(d).Owner = bases
	}
}
