package syntax

// body reads the block in the curly brackets at i.
func (r *goReader) body(i, hi int) int {
	end := r.close(i, hi)
	r.block(i+1, end)
	return min(end+1, hi)
}

func (r *goReader) block(lo, hi int) {
	if !r.enter() {
		r.flat(lo, hi)
		return
	}
	mark := len(r.binds)
	for i := lo; i < hi; {
		i = max(r.statement(i, hi), i+1)
	}
	r.unbind(mark)
	r.leave()
}

func (r *goReader) statement(i, hi int) int {
	switch r.word(i) {
	case wVar, wConst:
		return r.group(i, hi, func(i, hi int) int { return r.localValues(i, hi) })
	case wType:
		return r.group(i, hi, r.typeSpec)
	case wIf, wFor, wSwitch, wSelect:
		return r.control(i, hi)
	case wElse, wReturn, wGo, wDefer, wBreak, wContinue, wGoto, wFallthrough, wDefault:
		return i + 1
	case wCase:
		return r.caseClause(i+1, hi)
	}
	if r.is(i, '{') {
		return r.body(i, hi)
	}
	return r.simple(i, hi, false)
}

// control reads if, for, switch and select with their bodies.
func (r *goReader) control(i, hi int) int {
	mark, was := len(r.binds), r.switched
	r.switched = 0
	keyword := r.word(i)
	i = r.header(i+1, hi)
	if r.is(i, '{') {
		i = r.body(i, hi)
	}
	r.switched = was
	for keyword == wIf && r.word(i) == wElse && i < hi { // what if binds holds in its else
		i++
		if r.word(i) == wIf {
			i = r.header(i+1, hi)
		}
		if !r.is(i, '{') {
			break
		}
		i = r.body(i, hi)
	}
	r.unbind(mark)
	return i
}

// header reads up to the curly bracket of the body.
func (r *goReader) header(i, hi int) int {
	for i < hi && !r.is(i, '{') {
		if r.is(i, ';') {
			i++
			continue
		}
		if r.name(i) && r.is(i+1, opDefine) {
			name := r.sym(i)
			if end := r.typeSwitch(i+2, hi); end > 0 {
				r.switched = name
				r.bind(name, 0)
				return end
			}
		}
		i = max(r.simple(i, hi, true), i+1)
	}
	return i
}

// typeSwitch reads "x.(type)" at i and answers the position behind it, or 0 when there is none.
func (r *goReader) typeSwitch(i, hi int) int {
	for k := i; k < hi && !r.is(k, '{') && !r.is(k, ';'); k++ {
		if r.is(k, '(') || r.is(k, '[') {
			if r.is(k-1, '.') && r.word(k+1) == wType {
				start := len(r.expr)
				r.expr0(i, k-1, true)
				r.expr = r.expr[:start]
				return k + 3
			}
			k = r.close(k, hi)
		}
	}
	return 0
}

// caseClause reads what stands between case and its colon.
func (r *goReader) caseClause(i, hi int) int {
	if r.switched == 0 {
		return r.simple(i, hi, false)
	}
	count, start := 0, len(r.expr)
	var t Sym
	for i < hi && !r.is(i, ':') {
		if r.is(i, ',') {
			i++
			continue
		}
		count++
		i = max(r.typ(i, hi), i+1)
		t = r.pop(start)
	}
	if count != 1 {
		t = 0
	}
	r.bind(r.switched, t)
	return i + 1
}

// simple reads a statement of expressions, with or without an assignment. In a header, { begins the body.
func (r *goReader) simple(i, hi int, header bool) int {
	if r.word(i) == wRange {
		i++
	}
	if n := r.defined(i, hi); n > 0 {
		return r.defineLocals(i, n, hi, header)
	}
	var none [8]Sym
	i, _ = r.exprs(i, hi, 0, &none, header)
	if t := r.tok(i); i < hi && t.kind == tPunct && (t.ch == '=' || t.ch == opAssign || t.ch == ':' || t.ch == opRecv || t.ch == ',') {
		return i + 1
	}
	return i
}

// defined counts the names before := at i; 0: there is no :=.
func (r *goReader) defined(i, hi int) int {
	for n := 1; i+1 < hi && r.tok(i).kind == tName && n < 16; n++ {
		if r.is(i+1, opDefine) {
			return n
		}
		if !r.is(i+1, ',') {
			return 0
		}
		i += 2
	}
	return 0
}

func (r *goReader) defineLocals(i, n, hi int, header bool) int {
	var names [16]Sym
	for k := range n {
		names[k] = r.sym(i + 2*k)
	}
	i += 2 * n
	var types [8]Sym
	if r.word(i) == wRange {
		start := len(r.expr)
		i = r.expr0(i+1, hi, header)
		if r.known(start) {
			r.expr = append(r.expr, "[]"...)
		}
		elem := r.pop(start)
		types[1] = elem
		if n == 1 {
			types[1], types[0] = 0, 0
		}
	} else {
		i, _ = r.exprs(i, hi, n, &types, header)
	}
	for k := range n {
		if k < len(types) {
			r.bind(names[k], types[k])
		} else {
			r.bind(names[k], 0)
		}
	}
	return i
}

// exprs reads expressions separated by commas, for want variables, and answers how many types it knows. The results
// of one call are shared among several variables.
func (r *goReader) exprs(i, hi, want int, types *[8]Sym, header bool) (int, int) {
	n := 0
	for i < hi {
		start := len(r.expr)
		next := r.expr0(i, hi, header)
		call := len(r.expr) > start+2 && r.expr[len(r.expr)-1] == ')'
		t := Sym(0)
		if want > 0 {
			t = r.pop(start)
		}
		r.expr = r.expr[:start]
		if n < len(types) {
			types[n] = t
		}
		n++
		i = max(next, i)
		if !r.is(i, ',') {
			if n == 1 && want > 1 && t != 0 {
				return i, r.share(t, want, call, types)
			}
			return i, n
		}
		i++
	}
	return i, n
}

// share gives each of want variables its result of the call t. For v, ok := the first one is the value.
func (r *goReader) share(t Sym, want int, call bool, types *[8]Sym) int {
	if !call {
		types[0] = t
		return 1
	}
	for k := 1; k < min(want, len(types)); k++ {
		start := len(r.expr)
		r.push(t)
		r.expr = append(r.expr, '0'+byte(k))
		types[k] = r.pop(start)
	}
	return min(want, len(types))
}
