package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// expression reads one expression and pushes the type of its first operand. It ends with its line, unless it stands
// inside brackets.
func (r *pythonReader) expression(inside bool) {
	if !r.enter() {
		r.pushUnknown()
		r.flat()
		return
	}
	defer r.leave()
	m := r.top()
	r.operand(inside)
	for r.more() && (inside || !r.tok().First) {
		t := r.tok()
		if t.Kind == lex.String && r.peek(-1).Kind == lex.String { // "a" "b" is one string
			r.holes(r.at, "")
			r.next()
			continue
		}
		if !r.operator(inside) {
			return
		}
		r.next()
		r.otherOperand(m, t, inside)
	}
}

// operator reports whether an operator between two operands stands at the cursor.
func (r *pythonReader) operator(inside bool) bool {
	t := r.tok()
	if t.Kind == lex.Name {
		switch t.Word {
		case lex.Else, lex.In, lex.Is, lex.Not, lex.Let:
			return true
		case lex.If:
			return !inside || !r.filters()
		}
		return false
	}
	return t.Kind == lex.Punct && isPythonBinary(t.Char)
}

func isPythonBinary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '@', '~', '!', lex.OpCompare:
		return true
	}
	return false
}

// otherOperand reads what stands behind the operator t. The type of the whole, from m on, stays that of the first
// operand, but for a comparison, which has none, and for an a of which nothing is known in "a or b" and "a if p else
// b".
func (r *pythonReader) otherOperand(m mark, t *lex.Token, inside bool) {
	if t.Word == lex.In || t.Word == lex.Is || t.Word == lex.Not || t.Is(lex.OpCompare) {
		r.forget(m)
	}
	known := r.known(m)
	next := r.top()
	r.operand(inside)
	if known || t.Word != lex.Let && t.Word != lex.Else {
		r.drop(next)
		return
	}
	r.replace(m, next)
}

// maxFilter bounds how far ahead the else of an if is looked for, in tokens.
const maxFilter = 64

// filters tells "for x in xs if p" from "a if p else b" at the if: whether no else follows before the bracket ends.
func (r *pythonReader) filters() bool {
	look := r.cursor
	look.next()
	for look.more() && look.at < r.at+maxFilter && !look.is(',') {
		if look.word() == lex.Else {
			return false
		}
		look.skipOne()
	}
	return true
}

// operand reads an operand with what stands before it.
func (r *pythonReader) operand(inside bool) {
	for r.prefix() {
		r.next()
	}
	if r.skipWord(lex.Lambda) {
		r.lambda(inside)
		return
	}
	r.chain(false)
}

// prefix reports whether a sign, a star or a word such as not stands before an operand. The second character of //
// and << is one as well.
func (r *pythonReader) prefix() bool {
	t := r.tok()
	if t.Kind == lex.Punct {
		switch t.Char {
		case '-', '+', '~', '*', '/', '<', '>':
			return true
		}
		return false
	}
	switch t.Word {
	case lex.Not, lex.Await, lex.In, lex.Return:
		return true
	case lex.From: // yield from
		return r.peekWord(-1) == lex.Return
	}
	return false
}

// lambda reads what stands behind lambda: it binds the parameters up to the colon for the body behind it.
func (r *pythonReader) lambda(inside bool) {
	begin, m := r.beginScope(), r.top()
	for r.more() && !r.is(':') && (inside || !r.tok().First) {
		if r.name() {
			r.bind(r.sym(), 0)
		}
		r.next()
		if r.skip('=') {
			r.expression(inside)
			r.drop(m)
		}
	}
	if r.skip(':') {
		r.expression(inside)
	}
	r.functionOf(m)
	r.endScope(begin)
}

// chain reads a primary expression and what follows it. In an annotation, x[y] means a type with arguments.
func (r *pythonReader) chain(annotation bool) {
	m, t := r.top(), r.tok()
	switch {
	case t.Name() && r.peekIs(1, lex.OpDefine):
		r.walrus()
		return
	case t.Name():
		r.head()
	case t.Opens():
		r.brackets()
	case !r.more() || t.Kind == lex.Name && t.Word != lex.Value:
		r.pushUnknown()
		return
	case t.Closes() || t.Is(',') || t.Is(':') || t.Is('=') || t.Is(';'):
		r.pushUnknown()
		return
	default:
		if t.Kind == lex.String {
			r.holes(r.at, "")
		}
		r.pushUnknown()
		r.next()
	}
	r.suffixes(m, annotation)
}

// walrus reads name := value, which is the value and binds the name in the function around.
func (r *pythonReader) walrus() {
	m, at := r.top(), r.at
	r.next()
	r.next()
	r.expression(true)
	var t Sym
	if r.known(m) {
		t = r.whole(m)
	}
	r.assignName(at, at, t)
}

// head reads the name that begins a chain.
func (r *pythonReader) head() {
	name := r.sym()
	if b, ok := r.local(name); ok && b != name { // a name bound to itself is a definition in this function
		r.pushLocal(name, b)
		r.next()
		return
	}
	if r.peekIs(1, '(') && r.soft("super") {
		r.super()
		return
	}
	r.referName(name, r.useBefore('('))
	r.pushText(r.text())
	r.next()
}

// super reads super(…), an object of the bases of the class around.
func (r *pythonReader) super() {
	if r.class >= 0 {
		r.pushString(r.classPath(r.class))
		r.pushString("^")
	} else {
		r.pushUnknown()
	}
	r.next()
	r.inBrackets()
}

// suffixes reads members, calls and elements behind the expression from m on.
func (r *pythonReader) suffixes(m mark, annotation bool) {
	for {
		t := r.tok()
		if t.Kind != lex.Punct || t.First && t.Char != '.' {
			return
		}
		switch t.Char {
		case '.':
			r.next()
			if r.tok().Kind != lex.Name {
				return
			}
			r.referMember(m, r.useBefore('('))
			r.member(r.text())
			r.next()
		case '(':
			r.inBrackets()
			r.called()
		case '[':
			if annotation {
				r.typeArgs(m)
			} else {
				r.subscript()
			}
		default:
			return
		}
	}
}

// brackets reads (a, b), [a, b] and {a: b} and pushes the type of (a), or a list of the first element.
func (r *pythonReader) brackets() {
	m, bracket := r.top(), r.tok().Char
	outer, begin := r.open(), r.beginScope()
	scoped := r.comprehension()
	if r.more() {
		r.expression(true)
	}
	switch {
	case bracket == '[':
		r.listOf(m)
	case bracket == '{' || r.more() || !r.known(m):
		r.forget(m)
	}
	r.elements()
	if scoped {
		r.endScope(begin)
	}
	r.shut(outer)
}

// comprehension binds the variables of the "for x in" up to the limit: they are used before they stand there. It
// reports whether there are any; else the bracket has no scope of its own.
func (r *pythonReader) comprehension() (scoped bool) {
	limit := pos(len(r.view))
	for p := r.findWord(lex.For, r.at, limit); p < limit; {
		in := r.findWord(lex.In, p, limit)
		r.bindTargets(p+1, in, 0)
		p = r.findWord(lex.For, in, limit)
		scoped = true
	}
	return scoped
}

// arguments reads all that stands in a bracket.
func (r *pythonReader) arguments() {
	begin := r.beginScope()
	scoped := r.comprehension()
	r.elements()
	if scoped {
		r.endScope(begin)
	}
}

// elements reads what is left in a bracket: arguments, elements, keys and values, the parts of a slice or a
// comprehension.
func (r *pythonReader) elements() {
	m := r.top()
	for r.more() {
		if r.keyword() {
			continue
		}
		if r.separator() {
			r.next()
			continue
		}
		at := r.at
		r.expression(true)
		r.past(at)
		r.drop(m)
	}
}

// separator reports whether what stands at the cursor parts two expressions in a bracket.
func (r *pythonReader) separator() bool {
	switch r.word() {
	case lex.For, lex.In, lex.If, lex.Else, lex.Async:
		return true
	}
	return r.is(',') || r.is(':') || r.is('=')
}

// subscript reads [index] and pushes an element, or [from:to], which leaves the list.
func (r *pythonReader) subscript() {
	end := r.closing()
	sliced := r.find(':', r.at+1, end) < end
	r.inBrackets()
	if !sliced {
		r.indexed()
	}
}
