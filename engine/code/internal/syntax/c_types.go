package syntax

// shaped reads a struct, union, enum or class with a body, and what it declares behind that.
func (r *cReader) shaped(i, hi int, f found) int {
	from, name := i, 0
	for k := f.shape; k < f.members; k++ {
		if r.is(k, ':') {
			break
		}
		if r.word(k) == wAttribute && r.is(k+1, '(') {
			k = r.close(k+1, f.members)
			continue
		}
		if r.name(k) && !r.is(k+1, '(') && (r.plus || !r.is(k-1, opScope)) {
			name = k
		} else if r.is(k, '<') {
			k = max(r.angle(k, f.members)-1, k)
		} else if r.is(k, '(') || r.is(k, '[') {
			k = r.close(k, f.members)
		}
	}
	kinds := map[word]Kind{wStruct: Struct, wUnion: Union, wEnum: Enum, wClass: Class}
	typedef := r.word(from) == wTypedef
	d, end := int32(-1), r.close(f.members, hi)
	if name == 0 && typedef && r.name(end+1) {
		d = r.define(kinds[r.word(f.shape-1)], end+1, from) // typedef struct {…} X
	} else if name > 0 {
		d = r.define(kinds[r.word(f.shape-1)], name, from)
		r.rows.Defs[d].Owner = r.qualifier(name, from) // struct A::B
	}
	r.members(d, f, hi)
	i = min(end+1, hi)
	if d >= 0 {
		r.finish(d, i)
	}
	return r.declarators(i, hi, d, typedef, name == 0)
}

// members reads the body of a type.
func (r *cReader) members(d int32, f found, hi int) {
	was, class := r.cur, r.class
	if d >= 0 {
		r.cur = d
		r.signature(d, f.members)
	}
	if r.word(f.shape-1) == wEnum {
		r.enumerators(f.members, hi)
	} else {
		r.bases(f.shape-1, f.members)
		if d >= 0 {
			r.class = d
		}
		r.declarations(f.members+1, r.close(f.members, hi))
	}
	r.cur, r.class = was, class
}

// bases refers to the base classes between lo and hi.
func (r *cReader) bases(lo, hi int) {
	k := lo
	for k < hi && !r.is(k, ':') {
		k++
	}
	for k++; k < hi; k++ {
		if !r.name(k) {
			continue
		}
		start := len(r.expr)
		for r.is(k+1, opScope) && r.name(k+2) && k+2 < hi {
			if len(r.expr) > start {
				r.expr = append(r.expr, '.')
			}
			r.expr = append(r.expr, r.text(k)...)
			k += 2
		}
		r.refer(k, start, Inherit)
		r.expr = r.expr[:start]
		if r.is(k+1, '<') {
			if end := r.angle(k+1, hi); end > k+1 {
				r.angleTypes(k+1, end)
				k = end - 1
			}
		}
	}
}

func (r *cReader) enumerators(i, hi int) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		if r.tok(k).kind == tDirective {
			r.directive(k)
			k++
			continue
		}
		if !r.name(k) {
			k++
			continue
		}
		d := r.define(Member, k, k)
		k++
		from := k
		for k < end && !r.is(k, ',') && r.tok(k).kind != tDirective {
			if r.is(k, '(') || r.is(k, '{') || r.is(k, '[') {
				k = r.close(k, end)
			}
			k++
		}
		r.scan(from, min(k, end), false)
		r.finish(d, k)
	}
}

// declarators reads the names behind a type's body, up to the semicolon.
func (r *cReader) declarators(i, hi int, d int32, typedef, anonymous bool) int {
	kind := Variable
	if typedef {
		kind = Alias
	} else if r.class >= 0 {
		kind = Field
	}
	first := true
	for i < hi && !r.is(i, ';') {
		switch {
		case r.is(i, '}') || r.tok(i).kind == tDirective:
			return i
		case r.word(i) == wAttribute || r.macroCall(i):
			i = r.after(i+1, hi)
			continue
		case r.name(i) && first && typedef && anonymous && d >= 0:
			first = false
		case r.name(i) && !r.macroWord(i):
			def := r.define(kind, i, i)
			if d >= 0 {
				r.rows.Defs[def].Type = r.rows.Defs[d].Name
			}
		case r.is(i, '='):
			return r.initial(i, hi)
		case r.is(i, '[') || r.is(i, '(') || r.is(i, '{'):
			i = r.close(i, hi)
		}
		i++
	}
	return min(i+1, hi)
}

// macroCall reports whether a macro with arguments stands at i, such as __aligned(8).
func (r *cReader) macroCall(i int) bool { return r.name(i) && r.is(i+1, '(') && r.macroLike(i) }

// macroWord reports whether the name at i is an annotation such as __packed.
func (r *cReader) macroWord(i int) bool {
	b := r.text(i)
	return len(b) > 2 && b[0] == '_' && b[1] == '_' && !r.is(i+1, ';') && !r.is(i+1, ',')
}

// initial reads the value behind = at i, and the declarators behind it.
func (r *cReader) initial(i, hi int) int {
	end := r.statementEnd(i, hi)
	r.scan(i+1, end, false)
	return end
}

// specifiers reads the type between lo and hi and pushes it.
func (r *cReader) specifiers(lo, hi int) {
	for k := lo; k < hi; k++ {
		t := r.tok(k)
		if t.kind != tName || t.word == wDecl || t.word == wStruct || t.word == wUnion || t.word == wEnum || t.word == wClass ||
			t.word == wExtern || t.word == wTypedef || t.word == wTypename || r.macroLike(k) && r.tok(k+1).kind == tName {
			continue
		}
		if t.word == noWord && k+1 < hi || t.word == noWord && r.is(k, opScope) {
			r.typeName(k, hi)
			return
		}
		if t.word == noWord {
			r.typeName(k, hi)
			return
		}
		break
	}
	r.expr = append(r.expr, unknown...)
}

// variables reads a declaration of variables, fields or a typedef.
func (r *cReader) variables(i, hi int, f found) int {
	from := i
	if i == f.end {
		return i + 1
	}
	typedef := r.word(i) == wTypedef
	forward := f.shape > 0 && r.name(f.shape) && r.is(f.shape+1, ';')
	end := max(f.end, i+1)
	if f.end < hi && !r.is(f.end, '}') && !r.is(f.end, ')') {
		end = r.statementEnd(f.end, hi)
	}
	if forward || r.word(i) == wExtern && r.class < 0 && !r.is(f.end, '=') {
		start := len(r.expr)
		r.specifiers(i, f.end)
		r.expr = r.expr[:start]
		return end
	}
	name := f.pointer
	if name == 0 {
		name = r.lastName(from, f.end)
	}
	if name <= from { // a lone name: the call of a macro
		if r.name(from) {
			r.referTo(r.sym(from), 0, Mention, from)
			r.scan(from+1, f.end, false)
		}
		return max(end, i+1)
	}
	start := len(r.expr)
	r.specifiers(from, name)
	t := r.pop(start)
	kind := Variable
	switch {
	case typedef:
		kind = Alias
	case r.class >= 0:
		kind = Field
	}
	d := r.define(kind, name, from)
	r.rows.Defs[d].Type = t
	if r.is(f.end, '=') {
		r.within(d, func() { r.scan(f.end+1, min(end, r.commaEnd(f.end+1, end)), false) })
	}
	r.finish(d, end)
	r.moreNames(f.end, end, kind, t)
	return end
}

// lastName is the last name between lo and hi that is not an annotation or inside brackets.
func (r *cReader) lastName(lo, hi int) int {
	last := lo
	for k := lo; k < hi; k++ {
		t := r.tok(k)
		switch {
		case t.kind == tPunct && (t.ch == '[' || t.ch == '(' || t.ch == '{'):
			k = r.close(k, hi)
		case t.kind == tPunct && t.ch == '<' && r.plus:
			k = max(r.angle(k, hi)-1, k)
		case t.kind == tPunct && t.ch == ':' && k > lo && r.name(k-1): // a bit field
			return k - 1
		case t.kind == tName && t.word == noWord && !(last > lo && (r.macroWord(k) || r.is(k+1, '(') && r.macroLike(k))):
			last = k
		}
	}
	return last
}

// commaEnd is the next comma outside brackets, or hi.
func (r *cReader) commaEnd(i, hi int) int {
	for ; i < hi; i++ {
		if r.is(i, ',') {
			return i
		}
		if r.is(i, '(') || r.is(i, '[') || r.is(i, '{') {
			i = r.close(i, hi)
		}
	}
	return hi
}

// moreNames defines the second and later names of a declaration.
func (r *cReader) moreNames(i, end int, kind Kind, t Sym) {
	for i = r.commaEnd(i, end); i < end; i = r.commaEnd(i+1, end) {
		next := r.commaEnd(i+1, end)
		stop := i + 1
		for stop < next && !r.is(stop, '=') && !r.is(stop, ';') && !r.is(stop, ':') && !r.is(stop, '[') {
			stop++
		}
		name := 0
		for k := i + 1; k < stop; k++ {
			if r.name(k) {
				name = k
				break
			}
		}
		if name == 0 {
			continue
		}
		d := r.define(kind, name, name)
		r.rows.Defs[d].Type = t
		if r.is(stop, '=') {
			r.within(d, func() { r.scan(stop+1, next, false) })
		}
	}
}
