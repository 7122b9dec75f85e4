package syntax

// parameters decides whether the round bracket at i holds the parameters of a function.
func (r *cReader) parameters(i, hi int, f found) found {
	before := r.tok(i - 1)
	switch {
	case before.kind == tName && before.word == noWord && i > 0:
		if f.function == 0 && r.annotates(i, hi) {
			return f
		}
		if f.function == 0 || r.macroLike(f.function) && !r.macroLike(i-1) {
			f.function, f.params = i-1, i
		}
	case f.function == 0 && (r.is(i+1, '*') || r.is(i+1, '^') || r.name(i+1) && r.is(i+2, opScope)):
		k := i + 1
		for k < hi && !r.name(k) && !r.is(k, ')') {
			k++
		}
		if r.name(k) && !r.is(k+1, '(') {
			f.pointer = k
		} else if r.name(k) { // a function that returns a function
			f.function, f.params = k, k+1
		}
	case f.function == 0 && r.is(i-1, '>') && r.plus: // f<T>(…)
		for k := i - 2; k > 0 && i-k < legacyMaxAngle; k-- {
			if r.is(k, '<') && r.name(k-1) {
				f.function, f.params = k-1, i
				break
			}
		}
	}
	return f
}

// annotates reports whether the name before the bracket at i is an annotation behind the name of a variable: int n GUARDED_BY(m);
func (r *cReader) annotates(i, hi int) bool {
	if !r.plus || i < 3 || !r.macroLike(i-1) || !r.name(i-2) {
		return false
	}
	t, after := r.tok(i-3), r.close(i, hi)+1
	typed := t.kind == tName || t.kind == tPunct && (t.ch == '*' || t.ch == '>' || t.ch == '&')
	return typed && (r.is(after, ';') || r.is(after, '='))
}

// macroLike reports whether the name at i looks like an annotation: FOO or __foo.
func (r *cReader) macroLike(i int) bool {
	b := r.text(i)
	if len(b) > 2 && b[0] == '_' && b[1] == '_' {
		return true
	}
	for _, c := range b {
		if c >= 'a' && c <= 'z' {
			return false
		}
	}
	return true
}

// endsMacro reports whether what stands at i cannot continue a function that began with its name: the call of a macro
// came before, without a semicolon.
func (r *cReader) endsMacro(i, hi int) bool {
	t := r.tok(i)
	if i >= hi || t.kind == tDirective {
		return true
	}
	return t.nl && t.kind == tName && t.word != wTry
}

// initialisers passes the initialisers of a constructor and answers the position of its body.
func (r *cReader) initialisers(i, hi int) int {
	for i < hi {
		for i < hi && !r.is(i, '(') && !r.is(i, '{') && !r.is(i, ';') {
			i++
		}
		i = r.after(i, hi)
		if r.is(i, opDots) {
			i++
		}
		if !r.is(i, ',') {
			return min(i, hi-1)
		}
		i++
	}
	return hi - 1
}

// function defines a function with a body.
func (r *cReader) function(i, hi int, f found) int {
	from := i
	if !r.is(f.body, '{') {
		return r.semicolon(f.params, hi)
	}
	d := r.functionNamed(f, from, hi)
	mark, this, class := len(r.binds), r.this, r.class
	end := r.close(f.body, hi)
	r.within(d, func() {
		start := len(r.expr)
		r.specifiers(from, f.function)
		r.rows.Defs[d].Type = r.pop(start)
		r.signature(d, r.closeSignature(f, hi))
		r.own(d)
		r.bindParams(f.params+1, r.close(f.params, hi))
		r.class = -1
		r.scan(r.after(f.params, hi), f.body, false)
		r.scan(f.body+1, end, true)
	})
	r.unbind(mark)
	r.this, r.class = this, class
	end = min(end+1, hi)
	r.finish(d, end)
	return end
}

func (r *cReader) closeSignature(f found, hi int) int {
	i := r.after(f.params, hi)
	for i < f.body && !r.is(i, ':') {
		i++
	}
	return i
}

// own tells what this means in the function d.
func (r *cReader) own(d int32) {
	def := &r.rows.Defs[d]
	switch {
	case def.Owner != 0:
		r.this = r.names.Text(def.Owner)
	case r.class >= 0:
		r.this = r.classPath(r.class)
	}
}

// functionNamed adds the definition of the function that f describes: X::f belongs to X, a macro that defines a
// function names it in its first argument.
func (r *cReader) functionNamed(f found, from, hi int) int32 {
	at := f.function
	kind := Function
	if r.class >= 0 {
		kind = Method
	}
	name := r.sym(at)
	switch {
	case r.word(at) == wOperator:
		name = r.names.Intern(r.src[r.tok(at).start:r.tok(f.params-1).end])
	case r.is(at-1, '~') && r.plus:
		at--
		name = r.names.Intern(r.src[r.tok(at).start:r.tok(at+1).end])
	}
	owner := r.qualifier(at, from)
	if owner != 0 {
		kind = Method
	}
	d := r.defineNamed(kind, name, f.function, from)
	r.rows.Defs[d].Owner = owner
	return d
}

// qualifier is the A.B of A::B::f, where f stands at i; 0: it has none.
func (r *cReader) qualifier(i, from int) Sym {
	if !r.plus || !r.is(i-1, opScope) {
		return 0
	}
	var parts []string
	for k := i - 1; k > from && r.is(k, opScope) && len(parts) < 8; {
		k--
		if r.is(k, '>') {
			for k > from && !r.is(k, '<') {
				k--
			}
			k--
		}
		if !r.name(k) {
			break
		}
		parts = append(parts, string(r.text(k)))
		k--
	}
	start := len(r.expr)
	for n := len(parts) - 1; n >= 0; n-- {
		r.expr = append(r.expr, parts[n]...)
		if n > 0 {
			r.expr = append(r.expr, '.')
		}
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
}

// prototype reads the declaration of a function without a body. It counts inside classes only: elsewhere the
// definition is what one looks for.
func (r *cReader) prototype(i, hi int, f found) int {
	end := r.statementEnd(f.params, hi)
	if r.class >= 0 && r.cur == r.class {
		d := r.functionNamed(f, i, hi)
		was := r.cur
		r.cur = d
		start := len(r.expr)
		r.specifiers(i, f.function)
		r.rows.Defs[d].Type = r.pop(start)
		r.cur = was
		r.finish(d, end)
		r.rows.Defs[d].Body = r.rows.Defs[d].End // all of it is the head
		return end
	}
	start := len(r.expr)
	r.specifiers(i, f.function)
	r.expr = r.expr[:start]
	if f.function == i || r.macroLike(f.function) { // the call of a macro
		r.referTo(r.sym(f.function), 0, Call, f.function)
		r.scan(f.params+1, r.close(f.params, hi), false)
	}
	r.scan(r.after(f.params, hi), end, false)
	return end
}

// statementEnd is the position behind the next ; that stands outside brackets.
func (r *cReader) statementEnd(i, hi int) int {
	for ; i < hi; i++ {
		t := r.tok(i)
		if t.kind == tDirective {
			r.directive(i)
		}
		if t.kind != tPunct {
			continue
		}
		switch t.ch {
		case ';':
			return i + 1
		case '(', '[', '{':
			i = r.close(i, hi)
		case '}':
			return i
		}
	}
	return hi
}
