package syntax

// functionRest reads type parameters, parameters, results and body.
func (r *colonReader) functionRest(d int32, i, hi int) int {
	i = r.typeParams(i, hi)
	if r.is(i, '(') {
		r.params(i+1, r.close(i, hi))
		i = r.after(i, hi)
	}
	for i < hi && (r.word(i) == wThrows || r.soft(i, "async")) && !r.is(i, '{') {
		i++
	}
	start := len(r.expr)
	if (r.is(i, opArrow) || r.is(i, ':')) && i < hi {
		i = r.typ(i+1, hi)
	}
	r.rows.Defs[d].Type = r.pop(start)
	i = r.constraints(i, hi)
	r.signature(d, i)
	class, owner := r.class, r.owner
	r.class, r.owner = -1, 0
	switch {
	case i >= hi:
	case r.is(i, '{'):
		i = r.body(i, hi)
	case r.is(i, '=') && r.lang == Kotlin:
		i = r.value(i+1, hi)
		if t := r.pop(start); r.rows.Defs[d].Type == 0 {
			r.rows.Defs[d].Type = t
		}
	case r.is(i, ';'):
		i++
	}
	r.class, r.owner = class, owner
	return i
}

// constraints passes where T: U, V: W.
func (r *colonReader) constraints(i, hi int) int {
	if r.word(i) != wWhere && !r.soft(i, "where") {
		return i
	}
	for i < hi && !r.is(i, '{') && !r.is(i, ';') {
		if r.name(i) && (r.is(i-1, ':') || r.is(i-1, '+')) {
			if _, ok := r.legacy.local(r.sym(i)); !ok {
				r.referTo(r.sym(i), 0, Mention, i)
			}
		}
		i++
	}
	return i
}

func (r *colonReader) initialiser(i, hi int) int {
	k := i + 1
	for r.is(k, '?') || r.is(k, '!') {
		k++
	}
	if !r.is(k, '(') && !r.is(k, '<') && !r.is(k, '{') {
		return i
	}
	d := r.define(Constructor, i, i)
	if r.owner != 0 && r.cur != r.class {
		r.rows.Defs[d].Owner = r.owner
	}
	mark := len(r.binds)
	r.within(d, func() {
		if r.lang == Kotlin {
			r.params(k+1, r.close(k, hi))
			k = r.after(k, hi)
			if r.is(k, ':') { // : this(…)
				k = r.value(k+1, hi)
				r.expr = r.expr[:0]
			}
			if r.is(k, '{') {
				k = r.body(k, hi)
			}
			return
		}
		k = r.functionRest(d, k, hi)
	})
	r.unbind(mark)
	r.finish(d, k)
	return k
}

// params binds the parameters between lo and hi: "a: T", "label a: T", "&mut self", "val a: T = x".
func (r *colonReader) params(lo, hi int) {
	for i := lo; i < hi; {
		name := -1
		for i < hi && !r.is(i, ':') && !r.is(i, ',') {
			if r.is(i, '#') || r.is(i, '@') {
				i = max(r.attribute(i, hi), i+1)
				continue
			}
			if r.name(i) {
				name = i
			}
			if r.is(i, '(') || r.is(i, '[') || r.is(i, '{') { // a pattern
				r.pattern(i, hi, 0)
				i = r.close(i, hi)
			}
			i++
		}
		field := false
		if name > lo && (r.word(name-1) == wVar) {
			field = r.class >= 0
		}
		start := len(r.expr)
		if r.is(i, ':') && i < hi {
			i = r.typ(i+1, hi)
		}
		t := r.pop(start)
		if name >= 0 {
			r.bind(r.sym(name), t)
			if field && r.cur == r.class {
				d := r.define(Field, name, name)
				r.rows.Defs[d].Type = t
			}
		}
		if r.is(i, '=') && i < hi {
			i = r.value(i+1, hi)
			r.expr = r.expr[:start]
		}
		for i < hi && !r.is(i, ',') {
			if r.is(i, '(') || r.is(i, '[') || r.is(i, '{') {
				i = r.close(i, hi)
			}
			i++
		}
		i++
	}
}

// pattern binds the names in the brackets at i.
func (r *colonReader) pattern(i, hi int, t Sym) {
	end := r.close(i, hi)
	for k := i + 1; k < end; k++ {
		if r.name(k) && !r.is(k+1, '(') && !r.is(k+1, '{') && !r.is(k+1, opScope) && !r.is(k-1, opScope) && !r.is(k+1, ':') {
			r.bind(r.sym(k), t)
		}
	}
}

// maxHead bounds how far ahead the body of an extension is looked for, in tokens.
const maxHead = 512
