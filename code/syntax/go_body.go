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

// expr0 reads one expression and pushes what is known of its type: that of its first operand.
func (r *goReader) expr0(i, hi int, header bool) int {
	if !r.enter() {
		r.expr = append(r.expr, unknown...)
		return r.flat(i, r.stop(i, hi))
	}
	defer r.leave()
	start := len(r.expr)
	i = r.operand(i, hi, header)
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct || t.nl || !binary(t.ch) {
			return i
		}
		keep := len(r.expr)
		next := r.operand(i+1, hi, header)
		r.expr = r.expr[:keep]
		if t.ch == opCompare || t.ch == opLogic || t.ch == '<' || t.ch == '>' {
			r.expr = append(r.expr[:start], unknown...)
		}
		i = max(next, i+1)
	}
	return i
}

// stop is the end of the bracket or statement that i stands in, at most hi.
func (r *goReader) stop(i, hi int) int {
	for i < hi {
		t := r.tok(i)
		if t.kind == tPunct {
			switch t.ch {
			case '(', '[', '{':
				i = r.after(i, hi)
				continue
			case ')', ']', '}', ';':
				return i
			}
		}
		i++
	}
	return hi
}

func binary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', opCompare, opLogic:
		return true
	}
	return false
}

// operand reads a unary expression.
func (r *goReader) operand(i, hi int, header bool) int {
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct {
			break
		}
		switch t.ch {
		case '&', '*', '!', '-', '+', '^', '<', '>', '%', '|', '=':
			i++
			continue
		case opRecv:
			if r.word(i+1) == wChan {
				break
			}
			start := len(r.expr)
			i = r.operandAt(i+1, hi, header)
			if r.known(start) {
				r.expr = append(r.expr, "[]"...)
			}
			return i
		}
		break
	}
	return r.operandAt(i, hi, header)
}

// operandAt reads a primary expression: a name, literal, conversion or bracket, and what follows it.
func (r *goReader) operandAt(i, hi int, header bool) int {
	start := len(r.expr)
	if i >= hi {
		r.expr = append(r.expr, unknown...)
		return i
	}
	t := r.tok(i)
	literal := false // a type that a composite literal may follow
	switch {
	case t.kind == tName:
		i, literal = r.nameOperand(i, hi)
	case t.kind == tPunct && t.ch == '(':
		end := r.close(i, hi)
		r.expr0(i+1, end, false)
		i = min(end+1, hi)
	case t.kind == tPunct && t.ch == '[':
		i, literal = r.typ(i, hi), true
		header = false
	case t.kind == tPunct && (t.ch == ')' || t.ch == ']' || t.ch == '}' || t.ch == ',' || t.ch == ';' || t.ch == ':' || t.ch == '{'):
		if t.ch == '{' && !header {
			r.literal(i, hi, start)
			i = r.after(i, hi)
		}
		r.expr = append(r.expr[:start], unknown...)
		return i
	default:
		r.expr = append(r.expr, unknown...)
		i++
	}
	return r.suffixes(i, hi, start, literal, header)
}

// nameOperand reads the name or keyword at i. The second result says that it may be a literal's type.
func (r *goReader) nameOperand(i, hi int) (int, bool) {
	switch r.word(i) {
	case noWord:
		return i + 1, r.plainName(i)
	case wFunc:
		return r.funcLiteral(i+1, hi), false
	case wMap, wChan, wStruct, wInterface:
		return r.typ(i, hi), true
	case wMake:
		if r.is(i+1, '(') {
			end := r.close(i+1, hi)
			k := r.typ(i+2, end)
			start := len(r.expr)
			r.arguments(k, end)
			r.expr = r.expr[:start]
			return min(end+1, hi), false
		}
	case wAppend:
		if r.is(i+1, '(') {
			end := r.close(i+1, hi)
			k := r.expr0(i+2, end, false)
			start := len(r.expr)
			r.arguments(k, end)
			r.expr = r.expr[:start]
			return min(end+1, hi), false
		}
	}
	r.expr = append(r.expr, unknown...)
	return i + 1, false
}

// plainName pushes the name at i, or the type of a local one.
func (r *goReader) plainName(i int) bool {
	name := r.sym(i)
	if b, ok := r.local(name); ok {
		r.push(b)
		return b == name // a local type
	}
	if r.soft(i, "_") {
		r.expr = append(r.expr, unknown...)
		return false
	}
	if !r.is(i+1, '.') {
		use := Mention
		if r.is(i+1, '(') || r.is(i+1, '[') && r.is(int(r.tok(i+1).aux)+1, '(') {
			use = Call
		}
		r.referTo(name, 0, use, i)
	} else if r.tok(i+2).kind != tName {
		r.referTo(name, 0, Mention, i)
	} else {
		r.mentionBase(name, i)
	}
	r.expr = append(r.expr, r.text(i)...)
	return true
}

// mentionBase refers to the name before a dot, unless it is an imported package.
func (r *goReader) mentionBase(name Sym, i int) {
	for k := range r.rows.Imports {
		if r.rows.Imports[k].Local == name {
			return
		}
	}
	r.referTo(name, 0, Mention, i)
}

func (r *goReader) funcLiteral(i, hi int) int {
	mark, was := len(r.binds), r.switched
	r.switched = 0
	i, results := r.signatureAt(i, hi)
	if r.is(i, '{') {
		i = r.body(i, hi)
	}
	r.unbind(mark)
	r.switched = was
	r.pushFunc(results)
	return i
}

// suffixes reads selectors, calls, indices, assertions and the body of a composite literal after a primary expression.
func (r *goReader) suffixes(i, hi, start int, literal, header bool) int {
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct || t.nl {
			return i
		}
		switch t.ch {
		case '.':
			i = r.selector(i+1, hi, start)
		case '(':
			end := r.close(i, hi)
			keep := len(r.expr)
			r.arguments(i+1, end)
			r.expr = append(r.expr[:keep], "()"...)
			literal = false
			i = min(end+1, hi)
		case '[':
			end := r.close(i, hi)
			keep := len(r.expr)
			sliced := r.arguments(i+1, end)
			r.expr = r.expr[:keep]
			if !sliced {
				r.expr = append(r.expr, "[]"...)
			}
			i = min(end+1, hi)
		case '{':
			if !literal || header {
				return i
			}
			r.literal(i, hi, start)
			literal = false
			i = r.after(i, hi)
		default:
			return i
		}
	}
	return i
}

// selector reads what follows a dot: a name or a type assertion.
func (r *goReader) selector(i, hi, start int) int {
	if r.is(i, '(') {
		end := r.close(i, hi)
		r.expr = r.expr[:start]
		r.typ(i+1, end)
		return min(end+1, hi)
	}
	if r.tok(i).kind != tName {
		return i
	}
	use := Mention
	if r.is(i+1, '(') || r.is(i+1, '[') && r.is(int(r.tok(i+1).aux)+1, '(') {
		use = Call
	}
	r.refer(i, start, use)
	r.expr = append(append(r.expr, '.'), r.text(i)...)
	return i + 1
}

// arguments reads expressions and types between lo and hi. It reports whether a colon was among them: a slice.
func (r *goReader) arguments(lo, hi int) (sliced bool) {
	for i := lo; i < hi; {
		if t := r.tok(i); t.kind == tPunct && (t.ch == ',' || t.ch == ':' || t.ch == opDots) {
			sliced = sliced || t.ch == ':'
			i++
			continue
		}
		start := len(r.expr)
		i = max(r.expr0(i, hi, false), i+1)
		r.expr = r.expr[:start]
	}
	return sliced
}

// literal reads the elements of the composite literal in the curly brackets at i, whose type is the expression from
// start on.
func (r *goReader) literal(i, hi, start int) {
	end := r.close(i, hi)
	if !r.enter() {
		r.flat(i, end)
		return
	}
	defer r.leave()
	list := len(r.expr) > start && r.expr[start] == '['
	fields := r.known(start) && !list
	for k := i + 1; k < end; {
		t := r.tok(k)
		switch {
		case t.kind == tPunct && (t.ch == ',' || t.ch == ':'):
			k++
		case fields && t.kind == tName && r.is(k+1, ':'):
			r.refer(k, start, Mention)
			k += 2
		case !fields && !list && t.kind == tName && r.is(k+1, ':'):
			k += 2 // a field of a type that is not known
		case t.kind == tPunct && t.ch == '{':
			r.elided(k, end, start, list)
			k = r.after(k, end)
		default:
			keep := len(r.expr)
			k = max(r.expr0(k, end, false), k+1)
			r.expr = r.expr[:keep]
		}
	}
}

// elided reads a literal without a type of its own: an element of the list from start on.
func (r *goReader) elided(i, hi, start int, list bool) {
	keep := len(r.expr)
	if list && len(r.expr)-start <= maxExpr {
		r.expr = append(r.expr, r.expr[start+1:keep-1]...)
	} else {
		r.expr = append(r.expr, unknown...)
	}
	r.literal(i, hi, keep)
	r.expr = r.expr[:keep]
}
