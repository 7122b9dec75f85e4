package syntax

// heritage reads what stands between a type's name and its body.
func (r *javaReader) heritage(i, hi int) int {
	for i < hi && !r.is(i, '{') && !r.is(i, ';') && !r.is(i, '}') {
		if r.soft(i, "where") || r.soft(i, "permits") { // neither names a base
			for i < hi && !r.is(i, '{') && !r.is(i, ';') {
				i++
			}
			return i
		}
		if !r.name(i) {
			if r.is(i, '(') {
				r.scan(i+1, r.close(i, hi), false)
				i = r.close(i, hi)
			}
			i++
			continue
		}
		i = r.base(i, hi)
	}
	return i
}

// base refers to the base type at i.
func (r *legacy) base(i, hi int) int {
	start := len(r.expr)
	for (r.is(i+1, '.') || r.is(i+1, opScope) || r.is(i+1, '\\')) && r.name(i+2) {
		if len(r.expr) > start {
			r.expr = append(r.expr, '.')
		}
		r.expr = append(r.expr, r.text(i)...)
		i += 2
	}
	r.refer(i, start, Inherit)
	r.expr = r.expr[:start]
	i++
	if r.is(i, '<') {
		if k := r.angle(i, hi); k > i {
			r.angleTypes(i, k)
			return k
		}
	}
	return i
}

// constants defines the constants at the start of an enumeration.
func (r *javaReader) constants(i, hi int) int {
	for i < hi && !r.is(i, ';') {
		i = r.modifiers(i, hi)
		if !r.name(i) || i >= hi {
			return i + 1
		}
		d := r.define(Member, i, i)
		i++
		if r.is(i, '(') {
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		}
		if r.is(i, '=') {
			for i < hi && !r.is(i, ',') {
				i++
			}
		}
		if r.is(i, '{') {
			r.within(d, func() { r.members(i+1, r.close(i, hi)) })
			i = r.after(i, hi)
		}
		r.finish(d, i)
		if r.is(i, ',') {
			i++
		}
	}
	return i + 1
}

// declared reads a method, constructor, field or property whose type stands at i.
func (r *javaReader) declared(i, from, hi int) int {
	name, at := r.memberName(i, hi)
	switch {
	case name < 0:
		return at
	case r.is(at, '('):
		return r.method(i, name, at, from, hi)
	case r.is(at, '{') && name == i: // the short constructor of a record
		d := r.define(Constructor, name, from)
		r.within(d, func() { r.body(at, hi) })
		end := r.after(at, hi)
		r.finish(d, end)
		return end
	}
	return r.fields(i, name, at, from, hi)
}

// memberName finds the name of the member whose type begins at i, and what follows it. name < 0: none; go on there.
func (r *javaReader) memberName(i, hi int) (name, at int) {
	for k := i; k < hi && k < i+256; k++ {
		t := r.tok(k)
		if t.kind == tName {
			switch {
			case t.word == wOperator:
				for k++; k < hi && !r.is(k, '('); k++ {
				}
				return k - 1, k
			case t.word == wThis && r.is(k+1, '['): // an indexer
				return k, r.after(k+1, hi)
			}
			continue
		}
		if t.kind != tPunct {
			return -1, k + 1
		}
		switch t.ch {
		case '<':
			end := r.angle(k, hi)
			if end == k {
				return -1, k + 1
			}
			k = end - 1
		case '[':
			k = r.close(k, hi)
		case '(':
			if k > i && r.tok(k-1).kind == tName && r.word(k-1) != wThrow {
				return k - 1, k
			}
			if k > i && r.is(k-1, '>') { // a generic method in C#
				return r.beforeAngle(k-1, i), k
			}
			k = r.close(k, hi) // a tuple
		case '=', ';', ',', '{', opFat:
			n := k - 1
			for n > i && (r.is(n, ']') || r.is(n, '[')) {
				n = int(r.tok(n).aux) - 1
			}
			if n >= i && r.tok(n).kind == tName && r.word(n) == noWord {
				return n, k
			}
			if t.ch == '{' {
				return -1, r.after(k, hi)
			}
			return -1, k + 1
		case ')', ']', '}':
			return -1, k + 1
		}
	}
	return -1, i + 1
}

// beforeAngle is the name before the type parameters that end at i.
func (r *javaReader) beforeAngle(i, lo int) int {
	depth := 0
	for ; i > lo; i-- {
		if r.is(i, '>') {
			depth++
		} else if r.is(i, '<') {
			if depth--; depth == 0 {
				return i - 1
			}
		}
	}
	return -1
}
