package syntax

// method reads a method or constructor: its type begins at i, its name is token name, its parameters open at.
func (r *javaReader) method(i, name, at, from, hi int) int {
	kind := Method
	if i == name && r.class >= 0 {
		kind = Constructor
	}
	symbol := r.sym(name)
	if r.tok(name).kind != tName {
		symbol = r.names.Intern(r.text(name))
	}
	d := r.defineNamed(kind, symbol, name, from)
	mark := len(r.binds)
	end := r.after(at, hi)
	r.within(d, func() {
		if r.is(name+1, '<') {
			r.typeParams(name+1, hi)
		}
		start := len(r.expr)
		if i != name {
			k := r.typeName(i, name)
			r.arrays(start, k, name)
		}
		r.rows.Defs[d].Type = r.pop(start)
		r.paramList(at, hi)
		end = r.throws(end, hi)
		r.signature(d, end)
		switch {
		case r.is(end, '{'):
			end = r.body(end, hi)
		case r.is(end, opFat):
			end = r.semicolon(end+1, hi)
		}
	})
	r.unbind(mark)
	r.finish(d, end)
	if r.is(end, ';') {
		end++
	}
	return end
}

// arrays turns the type from start on into a list when brackets follow it between lo and hi.
func (r *javaReader) arrays(start, lo, hi int) {
	if r.is(lo, '[') && lo < hi && r.known(start) {
		t := string(r.expr[start:])
		r.expr = append(append(append(r.expr[:start], '['), t...), ']')
	}
}

// throws reads what stands between parameters and body.
func (r *javaReader) throws(i, hi int) int {
	for i < hi && !r.is(i, '{') && !r.is(i, ';') && !r.is(i, '}') && !r.is(i, opFat) {
		switch {
		case r.is(i, '('):
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		case r.name(i) && r.word(i-1) == wThrows:
			r.referTo(r.sym(i), 0, Mention, i)
			i++
		default:
			i++
		}
	}
	return i
}

// semicolon reads an expression and passes its semicolon.
func (r *javaReader) semicolon(i, hi int) int {
	start := i
	for i < hi && !r.is(i, ';') {
		if r.is(i, '(') || r.is(i, '[') || r.is(i, '{') {
			i = r.close(i, hi)
		}
		i++
	}
	i = min(i, hi)
	r.scan(start, i, false)
	return min(i+1, hi)
}

// paramList binds the parameters in the brackets at i.
func (r *javaReader) paramList(i, hi int) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		at := r.modifiers(k, end)
		if r.word(at) == wThis { // an extension method in C#
			at++
		}
		start := len(r.expr)
		k = max(r.typeName(at, end), at)
		r.arrays(start, k, end)
		t := r.pop(start)
		k = r.dimensions(k, end)
		if r.name(k) && k < end {
			r.bind(r.sym(k), t)
		}
		for k < end && !r.is(k, ',') {
			if r.is(k, '(') || r.is(k, '{') || r.is(k, '[') {
				r.scan(k+1, r.close(k, end), false)
				k = r.close(k, end)
			}
			k++
		}
		k++
	}
}

// dimensions passes [], ..., ? and annotations between a type and a name.
func (r *javaReader) dimensions(i, hi int) int {
	for i < hi && (r.is(i, '[') || r.is(i, opDots) || r.is(i, '?') || r.is(i, '*') || r.is(i, '@') || r.is(i, '&')) {
		if r.is(i, '@') {
			i = r.annotation(i+1, hi)
		} else if r.is(i, '[') {
			i = r.after(i, hi)
		} else {
			i++
		}
	}
	return i
}

// fields reads fields or a property: the type begins at i, the first name is token name, at is behind it.
func (r *javaReader) fields(i, name, at, from, hi int) int {
	start := len(r.expr)
	k := r.typeName(i, max(name, i+1))
	r.arrays(start, k, name)
	t := r.pop(start)
	for {
		d := r.define(Field, name, from)
		r.rows.Defs[d].Type = t
		at = r.fieldValue(d, at, hi)
		r.finish(d, at)
		if !r.is(at, ',') || !r.name(at+1) {
			break
		}
		name, from, at = at+1, at+1, at+2
	}
	if r.is(at, ';') {
		at++
	}
	return at
}

// fieldValue reads the value of a field or the accessors of a property.
func (r *javaReader) fieldValue(d int32, i, hi int) int {
	r.within(d, func() {
		for i < hi && r.is(i, '[') {
			i = r.after(i, hi)
		}
		if r.is(i, '{') {
			i = r.body(i, hi)
		}
		if r.is(i, opFat) || r.is(i, '=') {
			from := i + 1
			for i < hi && !r.is(i, ';') && !(r.is(i, ',') && r.name(i+1) && (r.is(i+2, '=') || r.is(i+2, ',') || r.is(i+2, ';') || r.is(i+2, '['))) {
				if r.is(i, '(') || r.is(i, '[') || r.is(i, '{') {
					i = r.close(i, hi)
				} else if r.is(i, '<') {
					i = max(r.angle(i, hi)-1, i)
				}
				i++
			}
			i = min(i, hi)
			r.scan(from, i, false)
		}
	})
	return i
}

// insideBody reads local types, lambdas and the bodies of anonymous classes.
func (r *javaReader) insideBody(i, hi int) int {
	t := r.tok(i)
	switch {
	case t.kind == tPunct && t.ch == '@' && r.tok(i+1).kind == tName:
		return r.annotation(i+1, hi)
	case t.kind == tPunct && t.ch == '(':
		if k := r.closureAt(i, hi); k > i {
			return k
		}
		return r.cast(i, hi)
	case t.kind != tName:
		return i
	case (t.word == wClass || t.word == wInterface || t.word == wEnum || t.word == wStruct) && r.name(i+1) && !r.is(i-1, '.'):
		class := r.class
		next := r.typeAt(i, i, hi)
		r.class = class
		return next
	case t.word == noWord && (r.is(i+1, opArrow) || r.is(i+1, opFat)):
		return r.closureAt(i, hi)
	case t.word == wCatch && r.is(i+1, '('):
		return r.catch(i+1, hi)
	case t.word == wTry && r.is(i+1, '('):
		return r.forHeader(i+1, hi)
	case t.word == wUsing:
		if r.is(i+1, '(') {
			return r.forHeader(i+1, hi)
		}
		return r.localDeclaration(i+1, hi)
	}
	return i
}

// closureAt reads "(a, b) -> body" and "a -> body", with => in C#.
func (r *javaReader) closureAt(i, hi int) int {
	if r.is(i, '(') {
		if k := r.after(i, hi); (r.is(k, opArrow) || r.is(k, opFat)) && k < hi {
			return r.lambda(i+1, k-1, k+1, hi)
		}
		return i
	}
	if r.name(i) && i+1 < hi && (r.is(i+1, opArrow) || r.is(i+1, opFat)) {
		return r.lambda(i, i+1, i+2, hi)
	}
	return i
}

// lambda binds the parameters between lo and hi and reads the body at i.
func (r *javaReader) lambda(lo, to, i, hi int) int {
	mark := len(r.binds)
	for k := lo; k < to; k++ {
		if r.name(k) && (r.is(k+1, ',') || k+1 == to) {
			r.bind(r.sym(k), 0)
		}
	}
	if r.is(i, '{') && i < hi {
		i = r.body(i, hi)
	} else {
		start := len(r.expr)
		i = r.value(i, hi)
		r.expr = r.expr[:start]
	}
	r.unbind(mark)
	return i
}

// cast reads (T) x.
func (r *javaReader) cast(i, hi int) int {
	end := r.close(i, hi)
	if !r.name(i+1) || end+1 >= hi || !(r.tok(end+1).kind == tName && r.word(end+1) != wIs && r.word(end+1) != wAs) {
		return i
	}
	start := len(r.expr)
	k := r.typeName(i+1, end)
	if k = r.dimensions(k, end); k != end {
		r.expr = r.expr[:start]
		return i
	}
	k = r.value(end+1, hi)
	r.expr = r.expr[:start]
	return k
}

// anonymous reads the body at i of a class without a name.
func (r *javaReader) anonymous(i, hi int) {
	class := r.class
	r.class = -1
	r.members(i+1, r.close(i, hi))
	r.class = class
}

// catch binds the exception in the brackets at i for the block behind them.
func (r *javaReader) catch(i, hi int) int {
	end := r.close(i, hi)
	mark := len(r.binds)
	start := len(r.expr)
	k := r.typeName(r.modifiers(i+1, end), end)
	t := r.pop(start)
	for k < end && r.is(k, '|') {
		k = r.typeName(k+1, end)
		r.expr = r.expr[:start]
		t = 0
	}
	if r.name(k) && k < end {
		r.bind(r.sym(k), t)
	}
	i = min(end+1, hi)
	if r.is(i, '{') {
		i = r.body(i, hi)
	}
	r.unbind(mark)
	return i
}

// localDeclaration binds "T x = y, z", "var x = y" and "for (T x : xs)".
func (r *javaReader) localDeclaration(i, hi int) int {
	from := i
	for i < hi && (r.word(i) == wDecl || r.is(i, '@') && r.tok(i+1).kind == tName && r.word(i+1) == noWord) {
		if r.is(i, '@') {
			i = r.annotation(i+1, hi)
			continue
		}
		i++
	}
	k, ok := r.typeShape(i, hi)
	if !ok || !r.name(k) || k >= hi {
		return from
	}
	next := r.tok(k + 1)
	if k+1 < hi && !(next.kind == tPunct && (next.ch == '=' || next.ch == ';' || next.ch == ':' || next.ch == ',' || next.ch == '[') || next.word == wIn) {
		return from
	}
	start := len(r.expr)
	end := i
	inferred := r.soft(i, "var") && k == i+1
	if inferred {
		r.expr = append(r.expr, unknown...)
	} else {
		end = r.typeName(i, k)
		r.arrays(start, end, k)
	}
	t := r.pop(start)
	for {
		name := k
		i = k + 1
		for r.is(i, '[') && i < hi {
			i = r.after(i, hi)
		}
		typ := t
		switch {
		case r.is(i, '=') && i < hi:
			var v Sym
			i, v = r.assigned(i+1, hi)
			if t == 0 {
				typ = v
			}
		case (r.is(i, ':') || r.word(i) == wIn) && i < hi:
			i = r.value(i+1, hi)
			if r.known(start) {
				r.expr = append(r.expr, "[]"...)
			}
			if v := r.pop(start); inferred {
				typ = v
			}
			r.expr = r.expr[:start]
		}
		r.bind(r.sym(name), typ)
		if !r.is(i, ',') || !r.name(i+1) || i >= hi || !(r.is(i+2, '=') || r.is(i+2, ',') || r.is(i+2, ';')) {
			return i
		}
		k = i + 1
	}
}

// typeShape passes what looks like a type at i.
func (r *javaReader) typeShape(i, hi int) (int, bool) {
	if r.tok(i).kind != tName || r.word(i) != noWord && r.word(i) != wPrim {
		return i, false
	}
	i++
	for i < hi && r.is(i, '.') && r.name(i+1) {
		i += 2
	}
	if r.is(i, '<') && i < hi {
		k := r.angle(i, hi)
		if k == i {
			return i, false
		}
		i = k
	}
	for i < hi && (r.is(i, '[') && r.is(i+1, ']') || r.is(i, '?') && (r.name(i+1) || r.is(i+1, '['))) {
		if r.is(i, '[') {
			i++
		}
		i++
	}
	return i, true
}
