package syntax

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
