package syntax

// functionValue reports whether a function, not a call of one, stands at i.
func (r *scriptReader) functionValue(i, hi int) bool {
	if r.soft(i, "async") && !r.tok(i+1).nl {
		i++
	}
	return r.word(i) == wFunc || r.arrow(i, hi) > 0
}

// arrow is the position of the => of the arrow function at i, or 0.
func (r *scriptReader) arrow(i, hi int) int {
	if r.name(i) {
		if r.is(i+1, opFat) && i+1 < hi {
			return i + 1
		}
		return 0
	}
	if r.is(i, '<') && r.angles {
		i = r.angle(i, hi)
	}
	if !r.is(i, '(') {
		return 0
	}
	k := r.after(i, hi)
	if r.is(k, opFat) && k < hi {
		return k
	}
	if !r.is(k, ':') || r.is(i-1, '?') {
		return 0
	}
	for n := 0; k < hi && n < 64; n++ {
		t := r.tok(k)
		if t.kind == tPunct {
			switch t.ch {
			case opFat:
				return k
			case ';', ')', ']', '}', '=', '?':
				return 0
			case ',':
				return 0
			case '(', '[', '{':
				k = r.close(k, hi)
			case '<':
				k = max(r.angle(k, hi)-1, k)
			}
		}
		k++
	}
	return 0
}

// namedFunction defines the function at i under the name at token name.
func (r *scriptReader) namedFunction(kind Kind, name, from, i, hi int) int {
	d := r.define(kind, name, from)
	if r.cur >= 0 && kind == Function {
		r.bind(r.sym(name), r.sym(name))
	}
	r.within(d, func() { i = r.functionAt(d, i, hi) })
	r.finish(d, i)
	return i
}

// functionAt reads "async function* x(…): R {…}", "(…) => …" and "x => …"; d is its definition, or -1. It pushes nothing.
func (r *scriptReader) functionAt(d int32, i, hi int) int {
	mark, start := len(r.binds), len(r.expr)
	for i < hi && (r.soft(i, "async") && !r.is(i+1, opFat) || r.word(i) == wFunc || r.is(i, '*')) {
		i++
	}
	if r.name(i) && !r.is(i+1, opFat) {
		i++
	}
	if r.is(i, '<') {
		i = r.typeParams(i, hi)
	}
	if r.name(i) {
		r.bind(r.sym(i), 0)
		i++
	} else if r.is(i, '(') {
		r.paramList(i, hi)
		i = r.after(i, hi)
	}
	if r.is(i, ':') {
		i = r.returnType(d, i, hi)
	}
	if d >= 0 {
		r.signature(d, i)
	}
	if r.is(i, opFat) {
		i++
		if !r.is(i, '{') {
			i = r.expression(i, hi)
			if v := r.pop(start); d >= 0 && r.rows.Defs[d].Type == 0 {
				r.rows.Defs[d].Type = v
			}
			r.unbind(mark)
			return i
		}
	}
	if r.is(i, '{') && i < hi {
		i = r.body(i, hi)
	}
	r.expr = r.expr[:start]
	r.unbind(mark)
	return i
}

func (r *scriptReader) returnType(d int32, i, hi int) int {
	start := len(r.expr)
	i = r.typ(i+1, hi)
	t := r.pop(start)
	if d >= 0 {
		r.rows.Defs[d].Type = t
	}
	return i
}

// typeParams binds the type parameters at i to their bounds.
func (r *scriptReader) typeParams(i, hi int) int {
	end := r.angle(i, hi)
	if end == i {
		return i + 1
	}
	for k := i + 1; k < end-1; k++ {
		if r.name(k) && (k == i+1 || r.is(k-1, ',')) {
			name, bound := r.sym(k), Sym(0)
			if r.word(k+1) == wExtends {
				start := len(r.expr)
				r.typ(k+2, end-1)
				bound = r.pop(start)
			}
			r.bind(name, bound)
		}
	}
	return end
}

// paramList binds the parameters in the brackets at i. Those of a constructor that have a modifier are fields.
func (r *scriptReader) paramList(i, hi int) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		field := false
		for r.is(k, '@') {
			k = r.decorator(k, end)
		}
		for r.name(k) && (r.name(k+1) || r.is(k+1, '{')) && k < end {
			field = true
			k++
		}
		if r.is(k, opDots) {
			k++
		}
		at := k
		pattern := r.is(k, '{') || r.is(k, '[')
		if pattern {
			k = r.after(k, end)
		} else {
			k++
		}
		if r.is(k, '?') {
			k++
		}
		start := len(r.expr)
		if r.is(k, ':') && k < end {
			k = r.typ(k+1, end)
		}
		t := r.pop(start)
		if r.is(k, '=') && k < end {
			k = r.expression(k+1, end)
			if v := r.pop(start); t == 0 {
				t = v
			}
		}
		switch {
		case pattern:
			for n := at + 1; n < r.close(at, end); n++ {
				if r.name(n) && !r.is(n+1, ':') {
					r.bindMember(n, at+1, t)
				}
			}
		case r.tok(at).kind == tName && at < end:
			r.bind(r.sym(at), t)
			if field && r.class >= 0 {
				r.field(at, at, t)
			}
		}
		for k < end && !r.is(k, ',') {
			k++
		}
		k++
	}
}

func (r *scriptReader) decorator(i, hi int) int {
	start := len(r.expr)
	i = r.value(i+1, hi)
	r.expr = r.expr[:start]
	return i
}
