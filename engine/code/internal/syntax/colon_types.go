package syntax

var colonKinds = map[word]Kind{wClass: Class, wStruct: Struct, wEnum: Enum, wInterface: Interface, wObject: Class, wUnion: Union}

// typ reads the type at i and pushes what members it has.
func (r *colonReader) typ(i, hi int) int {
	start := len(r.expr)
	if i >= hi || !r.enter() {
		r.expr = append(r.expr, unknown...)
		return i
	}
	defer r.leave()
	for i < hi && (r.is(i, '&') || r.is(i, '*') || r.is(i, '\'') || r.is(i, '!') || r.is(i, '?') || r.is(i, opLogic) || r.is(i, opDots) || r.is(i, '@') ||
		r.word(i) == wMut || r.word(i) == wConst || r.word(i) == wDecl || r.word(i) == wImpl || r.word(i) == wFor || r.soft(i, "some") && r.name(i+1) ||
		r.soft(i, "any") && r.name(i+1) || r.soft(i, "suspend")) {
		i++
	}
	switch {
	case r.is(i, '('):
		return r.tuple(i, hi)
	case r.is(i, '['):
		end := r.close(i, hi)
		r.expr = append(r.expr, '[')
		k := r.typ(i+1, end)
		if r.is(k, ':') && k < end { // [Key: Value]
			r.expr = r.expr[:start+1]
			r.typ(k+1, end)
		}
		if !r.known(start + 1) {
			r.expr = append(r.expr[:start], unknown...)
		} else {
			r.expr = append(r.expr, ']')
		}
		i = min(end+1, hi)
	case r.is(i, '<'): // <T as Trait>::X
		r.expr = append(r.expr, unknown...)
		i = max(r.angle(i, hi), i+1)
		for r.is(i, opScope) && i < hi {
			i += 2
		}
	case r.word(i) == wFunc || r.soft(i, "Fn") || r.soft(i, "FnMut") || r.soft(i, "FnOnce"):
		return r.functionType(i+1, hi)
	case r.word(i) == wPrim:
		r.expr = append(r.expr, unknown...)
		i++
	default:
		i = r.typeName(i, hi)
	}
	for i < hi && (r.is(i, '?') || r.is(i, '!')) && !r.tok(i).nl {
		i++
	}
	for i < hi && (r.is(i, '+') || r.is(i, '&')) { // A + B: the first one counts
		keep := len(r.expr)
		i = max(r.typ(i+1, hi), i+1)
		r.expr = r.expr[:keep]
	}
	return i
}

// functionType reads (A, B) -> R behind fn.
func (r *colonReader) functionType(i, hi int) int {
	if !r.is(i, '(') {
		r.expr = append(r.expr, unknown...)
		return i
	}
	start := len(r.expr)
	i = r.tuple(i, hi)
	if i > 0 && len(r.expr) > start && r.expr[start] == '{' {
		return i
	}
	r.expr = append(r.expr[:start], "{}"...)
	return i
}

// tuple reads (A, B), (A) or (A) -> R.
func (r *colonReader) tuple(i, hi int) int {
	start := len(r.expr)
	end := r.close(i, hi)
	count := 0
	for k := i + 1; k < end; {
		if r.name(k) && r.is(k+1, ':') { // a label
			k += 2
		}
		at := len(r.expr)
		k = max(r.typ(k, end), k+1)
		if count > 0 {
			r.expr = r.expr[:at]
		}
		count++
		for k < end && !r.is(k, ',') {
			k++
		}
		k++
	}
	i = min(end+1, hi)
	for i < hi && (r.word(i) == wThrows || r.soft(i, "async")) {
		i++
	}
	if r.is(i, opArrow) && i < hi {
		r.expr = append(r.expr[:start], '{')
		i = r.typ(i+1, hi)
		if !r.known(start + 1) {
			r.expr = r.expr[:start+1]
		}
		r.expr = append(r.expr, '}')
		return i
	}
	if count != 1 {
		r.expr = append(r.expr[:start], unknown...)
	}
	return i
}

// typeAt reads a type whose keyword stands at i.
func (r *colonReader) typeAt(i, hi int) int {
	kind := colonKinds[r.word(i)]
	if kind == Other {
		kind = Class // a soft keyword: actor, union
		if r.soft(i, "union") {
			kind = Union
		}
	}
	from, name := r.start(i), i+1
	if r.soft(from, "enum") && kind == Class {
		kind = Enum
	}
	companion := r.word(i) == wObject && !r.name(name)
	if !r.name(name) && !(companion && r.soft(i-1, "companion")) {
		if r.word(i) == wObject { // an object expression
			k := r.heritage(name, hi)
			return max(k, i+1)
		}
		return i + 1
	}
	if companion { // its members are reached through the class
		if k := r.heritage(name, hi); r.is(k, '{') {
			r.scan(k+1, r.close(k, hi), true)
			return r.after(k, hi)
		}
		return name
	}
	if r.lang == Swift && r.word(i) == wClass && (r.word(name) == wFunc || r.word(name) == wVar) {
		return i + 1 // class func
	}
	d := r.define(kind, name, from)
	was, class, this, owner, mark := r.cur, r.class, r.this, r.owner, len(r.binds)
	r.cur, r.class, r.this, r.owner = d, d, r.classPath(d), 0
	k := r.typeParams(name+1, hi)
	k = r.typeRest(d, kind, k, hi)
	r.cur, r.class, r.this, r.owner = was, class, this, owner
	r.unbind(mark)
	r.finish(d, k)
	return k
}

// typeRest reads what follows a type's name.
func (r *colonReader) typeRest(d int32, kind Kind, k, hi int) int {
	if r.lang == Kotlin {
		for k < hi && (r.soft(k, "private") || r.soft(k, "internal") || r.soft(k, "constructor") || r.soft(k, "protected") || r.soft(k, "public")) {
			k++
		}
	}
	if r.is(k, '(') && k < hi {
		if r.lang == Rust {
			r.tupleFields(k, hi)
		} else {
			r.params(k+1, r.close(k, hi))
		}
		k = r.after(k, hi)
	}
	k = r.heritage(k, hi)
	r.signature(d, k)
	if !r.is(k, '{') || k >= hi {
		if r.is(k, ';') {
			k++
		}
		return k
	}
	end := r.close(k, hi)
	switch {
	case r.lang == Rust && kind == Enum:
		r.variants(k+1, end)
	case r.lang == Rust && kind != Interface:
		r.rustFields(k+1, end)
	case r.lang == Kotlin && kind == Enum:
		r.scan(r.entries(k+1, end), end, true)
	default:
		r.scan(k+1, end, true)
	}
	return min(end+1, hi)
}

// heritage reads ": Base(), Other where …" up to the body.
func (r *colonReader) heritage(i, hi int) int {
	if !r.is(i, ':') || i >= hi {
		return r.constraints(i, hi)
	}
	for i++; i < hi && !r.is(i, '{') && !r.is(i, ';') && r.word(i) != wWhere; {
		if r.lines && r.tok(i).nl && !r.is(i-1, ',') && !r.is(i-1, ':') {
			return i
		}
		switch {
		case r.name(i) && !r.soft(i, "by"):
			i = r.base(i, hi)
		case r.is(i, '('):
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		case r.soft(i, "by"):
			start := len(r.expr)
			i = r.value(i+1, hi)
			r.expr = r.expr[:start]
		default:
			i++
		}
	}
	return r.constraints(i, hi)
}

// tupleFields refers to the types in struct X(A, B).
func (r *colonReader) tupleFields(i, hi int) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		if r.is(k, '#') {
			k = max(r.attribute(k, end), k+1)
			continue
		}
		if r.word(k) == wPub {
			if k++; r.is(k, '(') {
				k = r.after(k, end)
			}
		}
		start := len(r.expr)
		k = max(r.typ(k, end), k+1)
		r.expr = r.expr[:start]
	}
}

// rustFields defines the fields of a struct.
func (r *colonReader) rustFields(i, hi int) {
	for i < hi {
		if r.is(i, '#') {
			i = max(r.attribute(i, hi), i+1)
			continue
		}
		if r.tok(i).kind == tName && r.is(i+1, ':') {
			d := r.define(Field, i, i)
			start := len(r.expr)
			i = max(r.typ(i+2, hi), i+2)
			r.rows.Defs[d].Type = r.pop(start)
			r.finish(d, i)
			for i < hi && !r.is(i, ',') {
				i++
			}
		}
		i++
	}
}

// variants defines the variants of a Rust enum.
func (r *colonReader) variants(i, hi int) {
	for i < hi {
		if r.is(i, '#') {
			i = max(r.attribute(i, hi), i+1)
			continue
		}
		if !r.name(i) {
			i++
			continue
		}
		d := r.define(Member, i, i)
		i++
		if r.is(i, '(') {
			r.within(d, func() { r.tupleFields(i, hi) })
			i = r.after(i, hi)
		} else if r.is(i, '{') {
			r.within(d, func() { r.rustFields(i+1, r.close(i, hi)) })
			i = r.after(i, hi)
		}
		for i < hi && !r.is(i, ',') {
			i++
		}
		r.finish(d, i)
		i++
	}
}

// entries defines the entries of a Kotlin enum and answers where its members begin.
func (r *colonReader) entries(i, hi int) int {
	for i < hi && !r.is(i, ';') {
		if r.is(i, '@') {
			i = max(r.attribute(i, hi), i+1)
			continue
		}
		if !r.name(i) {
			return i
		}
		d := r.define(Member, i, i)
		i++
		if r.is(i, '(') {
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		}
		if r.is(i, '{') {
			i = r.body(i, hi)
		}
		r.finish(d, i)
		if !r.is(i, ',') {
			break
		}
		i++
	}
	return i
}

// swiftCases defines the cases of a Swift enum behind case.
func (r *colonReader) swiftCases(i, hi int) int {
	for i < hi && r.tok(i).kind == tName {
		r.define(Member, i, i)
		i++
		if r.is(i, '(') {
			r.tupleFields(i, hi)
			i = r.after(i, hi)
		}
		if r.is(i, '=') {
			i += 2
		}
		if !r.is(i, ',') {
			break
		}
		i++
	}
	return i
}
