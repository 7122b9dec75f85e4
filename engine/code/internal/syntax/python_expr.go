package syntax

// assignment reads "a = b = value", "a: T = value", "self.a = value" and plain expressions.
func (r *pythonReader) assignment(i, hi int) int {
	lo := i
	start := len(r.expr)
	i = r.target(i, hi)
	for r.is(i, ',') && !r.tok(i+1).nl {
		i = r.target(i+1, hi)
	}
	targets := i
	single := !r.commas(lo, targets)
	var t Sym
	r.expr = r.expr[:start]
	switch {
	case r.is(i, ':') && r.assignable(lo, targets) && !r.tok(i+1).nl && single:
		i = r.annotation(i+1, hi)
		t = r.pop(start)
		if r.is(i, '=') {
			i = r.discard(i+1, hi)
		}
	case r.is(i, '='):
		next := i
		for r.is(next, '=') { // the last one is the value
			i = next
			r.expr = r.expr[:start]
			next = r.expression(i+1, hi, false)
			for r.is(next, ',') && !r.tok(next+1).nl {
				r.expr = append(r.expr[:start], unknown...)
				next = r.discard(next+1, hi)
			}
			if r.is(next, '=') {
				r.assign(i+1, next, 0)
			}
		}
		t = r.pop(start)
		i = next
	case r.is(i, opAssign) || r.is(i, opDefine):
		return r.discard(i+1, hi)
	default:
		return i
	}
	if !single {
		t = 0
	}
	r.assign(lo, targets, t)
	return i
}

func (r *pythonReader) commas(lo, hi int) bool {
	for k := lo; k < hi; k++ {
		if r.is(k, ',') {
			return true
		}
		if r.is(k, '[') || r.is(k, '(') {
			k = r.close(k, hi)
		}
	}
	return r.is(lo, '(') || r.is(lo, '[')
}

// assignable reports whether a name or attribute stands between lo and hi.
func (r *pythonReader) assignable(lo, hi int) bool {
	return r.name(lo) && (hi == lo+1 || r.is(hi-2, '.') && r.name(hi-1))
}

// target reads what may stand left of an assignment. A name alone is not referred to before it is known that it is read.
func (r *pythonReader) target(i, hi int) int {
	if r.name(i) {
		k := i + 1
		if n := r.tok(k); k >= hi || n.nl || n.kind == tPunct && (n.ch == '=' || n.ch == ',' || n.ch == ':') {
			if k < hi && !n.nl {
				return k
			}
		}
		if r.is(i+1, '.') && r.name(i+2) && (r.is(i+3, '=') || r.is(i+3, ':')) {
			if _, ok := r.local(r.sym(i)); ok {
				return i + 3
			}
		}
	}
	return r.discard(i, hi)
}

// assign defines or binds the targets between lo and hi.
func (r *pythonReader) assign(lo, hi int, t Sym) {
	if r.name(lo) && r.is(lo+1, '.') && r.name(lo+2) && hi == lo+3 {
		r.attribute(lo, hi, t)
		return
	}
	for k := lo; k < hi; k++ {
		if r.is(k, '[') && k > lo && r.name(k-1) {
			k = r.close(k, hi)
			continue
		}
		if !r.name(k) || r.is(k+1, '.') || r.is(k+1, '[') || r.is(k+1, '(') || k > lo && r.is(k-1, '.') {
			continue
		}
		switch {
		case r.cur < 0:
			r.variable(Variable, -1, k, lo, t)
		case r.cur == r.class:
			r.variable(Field, r.class, k, lo, t)
		default:
			r.bindAgain(r.sym(k), t)
		}
	}
}

// bindAgain binds a local variable; what was known of it stays known when its new value says nothing.
func (r *pythonReader) bindAgain(name, t Sym) {
	if was, ok := r.local(name); ok && t == 0 {
		t = was
	}
	if t == name {
		t = 0
	}
	if _, ok := r.local(name); ok {
		r.rebind(name, t)
		return
	}
	r.bind(name, t)
}

// attribute reads an assignment to self.name.
func (r *pythonReader) attribute(lo, hi int, t Sym) {
	b, ok := r.local(r.sym(lo))
	if !ok || r.class < 0 || b == 0 || r.names.Text(b) != r.classPath(r.class) {
		return
	}
	r.variable(Field, r.class, lo+2, lo, t)
}

// variable defines a variable of a module or class the first time it is assigned.
func (r *pythonReader) variable(kind Kind, parent int32, i, from int, t Sym) {
	name := r.sym(i)
	key := int64(parent)<<32 | int64(name)
	if d, ok := r.members[key]; ok {
		if r.rows.Defs[d].Type == 0 {
			r.rows.Defs[d].Type = t
		}
		return
	}
	if t == name {
		t = 0
	}
	was := r.cur
	r.cur = parent
	d := r.define(kind, i, from)
	r.cur = was
	r.rows.Defs[d].Type = t
	r.members[key] = d
}

// annotation reads a type and pushes it.
func (r *pythonReader) annotation(i, hi int) int {
	start := len(r.expr)
	if t := r.tok(i); t.kind == tString {
		i = r.quotedType(i)
	} else {
		i = r.chain(i, hi, true)
	}
	for r.is(i, '|') {
		keep := len(r.expr)
		if !r.known(start) {
			keep = start
			r.expr = r.expr[:start]
		}
		i = r.chain(i+1, hi, true)
		if keep != start {
			r.expr = r.expr[:keep]
		}
	}
	return i
}

// quotedType pushes the type in a string if it is a plain name.
func (r *pythonReader) quotedType(i int) int {
	t := r.tok(i)
	s := r.src[t.start:t.end]
	if len(s) < 3 {
		return i + 1
	}
	s = s[1 : len(s)-1]
	for _, c := range s {
		if r.lexer.dialect.class[c] != cName && r.lexer.dialect.class[c] != cDigit && c != '.' {
			r.expr = append(r.expr, unknown...)
			return i + 1
		}
	}
	r.expr = append(r.expr, s...)
	return i + 1
}

// expression reads one expression and pushes the type of its first operand.
func (r *pythonReader) expression(i, hi int, inside bool) int {
	if !r.enter() {
		r.expr = append(r.expr, unknown...)
		return r.flat(i, max(i, hi))
	}
	defer r.leave()
	start := len(r.expr)
	i = r.operand(i, hi, inside)
	for i < hi {
		t := r.tok(i)
		if t.nl && !inside {
			return i
		}
		if t.kind == tName {
			switch t.word {
			case wIf, wElse, wIn, wIs, wNot:
				r.expr = append(r.expr[:start], keepIf(r.expr[start:], t.word == wIf || t.word == wElse)...)
			case wLet: // and, or
			default:
				return i
			}
			if t.word == wIf && inside && r.filter(i, hi) {
				return i
			}
		} else if t.kind != tPunct || !pythonBinary(t.ch) {
			if t.kind == tString && i > 0 && r.tok(i-1).kind == tString {
				i++
				continue
			}
			return i
		}
		known := r.known(start)
		keep := len(r.expr)
		next := r.operand(i+1, hi, inside)
		if known || t.word != wLet && t.word != wElse {
			r.expr = r.expr[:keep]
		} else {
			r.expr = append(r.expr[:start], r.expr[keep:]...)
		}
		i = max(next, i+1)
	}
	return i
}

// keepIf answers the expression when it still says the type of the whole, else the unknown one.
func keepIf(expr []byte, keep bool) []byte {
	if keep {
		return expr
	}
	return []byte(unknown)
}

// filter tells "for x in xs if p" from "a if p else b" at the if: whether no else follows before the bracket ends.
func (r *pythonReader) filter(i, hi int) bool {
	for k := i + 1; k < hi && k < i+64; k++ {
		if r.word(k) == wElse {
			return false
		}
		if t := r.tok(k); t.kind == tPunct {
			switch t.ch {
			case '(', '[', '{':
				k = r.close(k, hi)
			case ',':
				return true
			}
		}
	}
	return true
}

func pythonBinary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '@', '~', opCompare, opDefine, '!':
		return true
	}
	return false
}

func (r *pythonReader) operand(i, hi int, inside bool) int {
	for i < hi {
		t := r.tok(i)
		if t.kind == tPunct && (t.ch == '-' || t.ch == '+' || t.ch == '~' || t.ch == '*' || t.ch == '/' || t.ch == '<' || t.ch == '>') ||
			t.word == wNot || t.word == wAwait || t.word == wIn || t.word == wReturn || t.word == wFrom && r.word(i-1) == wReturn {
			i++
			continue
		}
		break
	}
	if r.word(i) == wLambda {
		return r.lambda(i+1, hi, inside)
	}
	return r.chain(i, hi, false)
}

// lambda binds the parameters up to the colon for the body behind it.
func (r *pythonReader) lambda(i, hi int, inside bool) int {
	mark, start := len(r.binds), len(r.expr)
	for i < hi && !r.is(i, ':') && (inside || !r.tok(i).nl) {
		if r.name(i) {
			r.bind(r.sym(i), 0)
		}
		i++
		if r.is(i, '=') {
			i = max(r.expression(i+1, hi, inside), i+1)
			r.expr = r.expr[:start]
		}
	}
	r.expr = append(r.expr, '{')
	body := len(r.expr)
	if r.is(i, ':') {
		i = r.expression(i+1, hi, inside)
	}
	if r.expr = r.expr[:max(len(r.expr), body)]; !r.known(body) {
		r.expr = r.expr[:body]
	}
	r.expr = append(r.expr, '}')
	r.unbind(mark)
	return i
}
