package syntax

// localDeclaration reads let, const, static, val and var: definitions at the top and in types, else local variables.
func (r *colonReader) localDeclaration(i, hi int) int {
	switch r.word(i) {
	case noWord:
		return r.lambdaParams(i, hi)
	case wConst:
		if r.word(i+1) == wFunc || r.word(i+1) == wDecl {
			return i
		}
		return r.constant(i, hi)
	case wLet, wVar:
		return r.variable(i, hi)
	case wIf, wWhile, wGuard:
		if k := i + 1; r.word(k) == wLet || r.word(k) == wVar {
			return r.variable(k, hi)
		}
	case wFor:
		return r.loop(i, hi)
	case wPub:
		k := i + 1
		if r.is(k, '(') {
			k = r.after(k, hi)
		}
		if r.word(k) == wConst {
			return r.localDeclaration(k, hi)
		}
		return k
	}
	return i
}

// constant reads Rust's const and static.
func (r *colonReader) constant(i, hi int) int {
	name := i + 1
	for r.word(name) == wMut || r.word(name) == wRef {
		name++
	}
	if r.tok(name).kind != tName || r.soft(name, "_") {
		return i + 1
	}
	kind := Constant
	if r.soft(i, "static") {
		kind = Variable
	}
	d := r.define(kind, name, r.start(i))
	if r.owner != 0 && r.cur < 0 {
		r.rows.Defs[d].Owner = r.owner
	}
	start, k := len(r.expr), name+1
	r.within(d, func() {
		if r.is(k, ':') {
			k = r.typ(k+1, hi)
		}
		r.rows.Defs[d].Type = r.pop(start)
		if r.is(k, '=') && k < hi {
			from := k + 1
			for k < hi && !r.is(k, ';') {
				if r.is(k, '(') || r.is(k, '[') || r.is(k, '{') {
					k = r.close(k, hi)
				}
				k++
			}
			k = min(k, hi)
			r.scan(from, k, false)
		}
	})
	r.finish(d, k)
	return min(k+1, hi)
}

// variable reads "let mut a: T = x", "val a = x", "let (a, b) = x", "if let Some(a) = x" and Kotlin's accessors.
func (r *colonReader) variable(i, hi int) int {
	k := i + 1
	for k < hi && (r.word(k) == wMut || r.word(k) == wRef || r.is(k, '&')) {
		k++
	}
	name, pattern := -1, -1
	switch {
	case r.is(k, '(') || r.is(k, '['):
		pattern = k
		k = r.after(k, hi)
	case r.name(k) || r.tok(k).kind == tName && r.lang != Rust:
		k, name, pattern = r.binder(k, hi)
	default:
		return i + 1
	}
	start := len(r.expr)
	if r.is(k, ':') && k < hi {
		k = r.typ(k+1, hi)
	}
	t := r.pop(start)
	field := r.defines()
	d := int32(-1)
	if field && name >= 0 {
		d = r.define(r.variableKind(), name, r.start(i))
		if r.owner != 0 && r.cur < 0 {
			r.rows.Defs[d].Owner = r.owner
		}
	}
	was := r.cur
	if d >= 0 {
		r.cur = d
	}
	if (r.is(k, '=') || r.soft(k, "by") && r.lang == Kotlin) && k < hi {
		var v Sym
		k, v = r.assigned(k+1, hi)
		if t == 0 {
			t = v
		}
	}
	if d >= 0 && r.is(k, '{') && r.lang == Swift && k < hi {
		k = r.body(k, hi)
	}
	r.cur = was
	if pattern >= 0 {
		r.pattern(pattern, hi, 0)
	}
	if d >= 0 {
		r.rows.Defs[d].Type = t
		r.finish(d, k)
	} else if name >= 0 && t != r.sym(name) {
		r.bind(r.sym(name), t)
	} else if name >= 0 {
		r.bind(r.sym(name), 0)
	}
	return k
}

// binder reads what let binds at i: a name, or a pattern such as Some(x).
func (r *colonReader) binder(i, hi int) (next, name, pattern int) {
	name = i
	k := i + 1
	if r.lang == Kotlin { // val <T> A.name
		for r.is(k, '.') && r.tok(k+1).kind == tName {
			name, k = k+1, k+2
		}
		return k, name, -1
	}
	for r.is(k, opScope) && k+1 < hi {
		k += 2
	}
	if (r.is(k, '(') || r.is(k, '{')) && r.lang == Rust && k < hi {
		start := len(r.expr)
		r.typeName(i, k)
		r.expr = r.expr[:start]
		return r.after(k, hi), -1, k
	}
	return k, name, -1
}

// defines reports whether a variable here is a definition: at the top of a file, module or type.
func (r *colonReader) defines() bool {
	return r.lang != Rust && (r.cur < 0 || r.cur == r.class || r.rows.Defs[r.cur].Kind == Module)
}

func (r *colonReader) variableKind() Kind {
	if r.cur >= 0 && r.cur == r.class || r.owner != 0 {
		return Field
	}
	return Variable
}

// loop reads "for x in xs" with its body.
func (r *colonReader) loop(i, hi int) int {
	if r.lang == Kotlin && r.is(i+1, '(') {
		end := r.close(i+1, hi)
		mark := len(r.binds)
		r.loopHead(i+2, end)
		k := min(end+1, hi)
		if r.is(k, '{') {
			k = r.body(k, hi)
		}
		r.unbind(mark)
		return k
	}
	mark := len(r.binds)
	k := r.loopHead(i+1, hi)
	for k < hi && !r.is(k, '{') && !r.is(k, ';') && !r.is(k, '}') {
		start := len(r.expr)
		k = max(r.step(k, hi), k+1)
		r.expr = r.expr[:start]
	}
	if r.is(k, '{') && k < hi {
		k = r.body(k, hi)
	}
	r.unbind(mark)
	return k
}

// loopHead binds the variables of a loop.
func (r *colonReader) loopHead(i, hi int) int {
	k := i
	for k < hi && k < i+32 && r.word(k) != wIn && !r.is(k, '{') {
		k++
	}
	if r.word(k) != wIn || k >= hi {
		return i
	}
	start := len(r.expr)
	next := r.value(k+1, hi)
	if r.known(start) {
		r.expr = append(r.expr, "[]"...)
	}
	t := r.pop(start)
	if k != i+1 {
		t = 0
	}
	for n := i; n < k; n++ {
		if r.name(n) && !r.is(n+1, '(') && !r.is(n+1, opScope) {
			r.bind(r.sym(n), t)
		}
	}
	return next
}

// lambdaParams binds the a and b of { a, b -> in Kotlin and { a, b in in Swift.
func (r *colonReader) lambdaParams(i, hi int) int {
	if !r.is(i-1, '{') || r.lang == Rust {
		return i
	}
	k := i
	for r.name(k) && r.is(k+1, ',') && k < i+32 {
		k += 2
	}
	if !r.name(k) || k+1 >= hi || !(r.is(k+1, opArrow) && r.lang == Kotlin || r.word(k+1) == wIn && r.lang == Swift) {
		return i
	}
	for n := i; n <= k; n += 2 {
		r.bind(r.sym(n), 0)
	}
	return k + 2
}
