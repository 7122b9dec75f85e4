package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// body reads the block in the curly brackets at the cursor.
func (r *goReader) body() {
	outer := r.open()
	if r.enter() {
		begin := r.beginScope()
		for r.more() {
			at := r.at
			r.statement()
			r.past(at)
		}
		r.endScope(begin)
		r.leave()
	} else {
		r.flat()
	}
	r.shut(outer)
}

// statement reads one statement, or the keyword before one.
func (r *goReader) statement() {
	switch r.word() {
	case lex.Var, lex.Const:
		r.group(r.localValues)
	case lex.Type:
		r.group(r.typeSpec)
	case lex.If, lex.For, lex.Switch, lex.Select:
		r.control()
	case lex.Break, lex.Continue, lex.Goto:
		r.next()
		if r.name() && !r.tok().First {
			r.label()
		}
	case lex.Else, lex.Return, lex.Go, lex.Defer, lex.Fallthrough, lex.Default:
		r.next()
	case lex.Case:
		r.next()
		r.caseClause()
	default:
		if r.is('{') {
			r.body()
			return
		}
		if r.name() && r.peekIs(1, ':') {
			r.label()
			return
		}
		r.simple(false)
	}
}

// label passes the name of a label, which is no other name's.
func (r *goReader) label() {
	if s := r.site(r.at); s != nil {
		s.Label = true
	}
	r.next()
}

// control reads if, for, switch and select with their bodies. What an if binds holds in its else.
func (r *goReader) control() {
	begin, was := r.beginScope(), r.switched
	r.switched = 0
	keyword := r.word()
	r.next()
	r.header()
	if r.is('{') {
		r.body()
	}
	r.switched = was
	for keyword == lex.If && r.skipWord(lex.Else) {
		if r.skipWord(lex.If) {
			r.header()
		}
		if !r.is('{') {
			break
		}
		r.body()
	}
	r.endScope(begin)
}

// header reads up to the curly bracket of the body.
func (r *goReader) header() {
	for r.more() && !r.is('{') {
		if r.skip(';') {
			continue
		}
		if r.name() && r.peekIs(1, lex.OpDefine) && r.typeSwitch() {
			continue
		}
		at := r.at
		r.simple(true)
		r.past(at)
	}
}

// typeSwitch reads "x := y.(type)" and reports whether that stood at the cursor.
func (r *goReader) typeSwitch() bool {
	look := r.cursor
	look.next()
	look.next()
	for ; ; look.skipOne() {
		if !look.more() || look.is('{') || look.is(';') {
			return false
		}
		if look.is('(') && look.peekIs(-1, '.') && look.peekWord(1) == lex.Type {
			break
		}
	}
	name := r.sym()
	r.next()
	r.next()
	m := r.top()
	outer := r.until(look.at - 1)
	r.expression(true)
	r.widen(outer)
	r.drop(m)
	r.switched = name
	r.bind(name, 0)
	r.at = look.at
	r.skipBrackets()
	return true
}

// caseClause reads what stands between case and its colon. In a type switch it gives the variable its type; several
// types, or nil, give it none.
func (r *goReader) caseClause() {
	if r.switched == 0 {
		r.simple(false)
		return
	}
	count, m := 0, r.top()
	var t Sym
	for r.more() && !r.is(':') {
		if r.skip(',') {
			continue
		}
		count++
		at := r.at
		r.typ()
		r.past(at)
		t = r.pop(m)
	}
	if count != 1 {
		t = 0
	}
	r.bind(r.switched, t)
	r.next()
}

// simple reads a statement of expressions, with or without an assignment. In a header, { begins the body.
func (r *goReader) simple(header bool) {
	r.skipWord(lex.Range)
	if r.defines() {
		r.defineLocals(header)
		return
	}
	var none valueTypes
	r.valueList(0, &none, header)
	t := r.tok()
	if t.Kind != lex.Punct {
		return
	}
	switch t.Char {
	case '+', '-': // x++
		r.next()
		r.next()
	case '=', lex.OpAssign, ':', lex.OpRecv, ',':
		r.next()
	}
}

// maxDefined bounds the names before one :=.
const maxDefined = 15

// defines reports whether names and := stand at the cursor.
func (r *goReader) defines() bool {
	look := r.cursor
	for range maxDefined {
		if look.tok().Kind != lex.Name {
			return false
		}
		look.next()
		if look.is(lex.OpDefine) {
			return true
		}
		if !look.skip(',') {
			return false
		}
	}
	return false
}

// defineLocals reads a, b := x, y and a, b := range x.
func (r *goReader) defineLocals(header bool) {
	base := len(r.pending)
	r.paramNames(base)
	r.next()
	count := len(r.pending) - base
	var types valueTypes
	if r.skipWord(lex.Range) {
		m := r.top()
		r.expression(header)
		r.element(m)
		if elem := r.pop(m); count > 1 { // of a single variable, the index or key, nothing is known
			types.set(1, elem)
		}
	} else {
		r.valueList(count, &types, header)
	}
	for n, name := range r.pending[base:] {
		r.bind(name, types.of(n))
	}
	r.pending = r.pending[:base]
}

// valueList reads expressions separated by commas, for want variables. The results of one call are shared among several
// variables.
func (r *goReader) valueList(want int, types *valueTypes, header bool) {
	for n := 0; r.more(); n++ {
		m := r.top()
		r.expression(header)
		call := len(r.expr) > int(m)+2 && r.expr[len(r.expr)-1] == ')'
		t := Sym(0)
		if want > 0 {
			t = r.pop(m)
		}
		r.drop(m)
		types.set(n, t)
		if !r.skip(',') {
			if call && n == 0 && t != 0 {
				r.share(t, want, types)
			}
			return
		}
	}
}

// share gives each of want variables its result of the call t: t, t1, t2.
func (r *goReader) share(t Sym, want int, types *valueTypes) {
	for n := 1; n < min(want, len(types.values)); n++ {
		m := r.top()
		r.pushType(t)
		r.expr = append(r.expr, '0'+byte(n))
		types.set(n, r.pop(m))
	}
}
