package syntax

func (r *goReader) typeBody(d int32, i, hi int) int {
	switch {
	case r.word(i) == wStruct && r.is(i+1, '{'):
		r.rows.Defs[d].Kind = Struct
		r.signature(d, i+1)
		r.structBody(i+1, hi, true)
		return r.after(i+1, hi)
	case r.word(i) == wInterface && r.is(i+1, '{'):
		r.rows.Defs[d].Kind = Interface
		r.signature(d, i+1)
		r.interfaceBody(i+1, hi, true)
		return r.after(i+1, hi)
	}
	start := len(r.expr)
	i = r.typ(i, hi)
	r.rows.Defs[d].Type = r.pop(start)
	return i
}

// structBody reads the fields in the brackets at i; as definitions when the type has a name.
func (r *goReader) structBody(i, hi int, named bool) {
	if !r.enter() {
		r.flat(i, r.close(i, hi))
		return
	}
	defer r.leave()
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		k = max(r.field(k, end, named), k+1)
	}
}

// field reads one line of fields.
func (r *goReader) field(i, hi int, named bool) int {
	first := i
	embedded := r.is(i, '*') || r.is(i, '(') || r.name(i) && r.endsField(r.afterTypeName(i, hi), hi)
	var count int
	for !embedded && r.tok(i).kind == tName {
		count++
		i++
		if !r.is(i, ',') {
			break
		}
		i++
	}
	start := len(r.expr)
	if embedded {
		i = r.embedded(i, hi, named)
	} else {
		i = r.typ(i, hi)
	}
	t := r.pop(start)
	for k := first; named && count > 0 && k < i; k++ {
		if r.tok(k).kind == tName {
			d := r.define(Field, k, k)
			r.rows.Defs[d].Type = t
			r.finish(d, i)
			count--
		}
	}
	for i < hi && !r.tok(i).nl && !r.is(i, ';') {
		i++ // the tag
	}
	if r.is(i, ';') {
		i++
	}
	return i
}

// afterTypeName is the position behind the possibly qualified type name at i.
func (r *goReader) afterTypeName(i, hi int) int {
	i++
	if r.is(i, '.') {
		i += 2
	}
	if r.is(i, '[') && !r.tok(i).nl {
		if k := r.after(i, hi); r.endsField(k, hi) && !r.is(i+1, ']') {
			return k
		}
	}
	return i
}

func (r *goReader) endsField(i, hi int) bool {
	t := r.tok(i)
	return i >= hi || t.nl || t.kind == tString || t.kind == tPunct && t.ch == ';'
}

// embedded reads an embedded type, which is a base and a field at once.
func (r *goReader) embedded(i, hi int, named bool) int {
	for r.is(i, '*') || r.is(i, '(') {
		i++
	}
	if r.tok(i).kind != tName {
		return i + 1
	}
	start, last := len(r.expr), i
	r.expr = append(r.expr, r.text(i)...)
	if r.is(i+1, '.') {
		last = i + 2
		r.refer(last, start, Inherit)
		r.expr = append(append(r.expr, '.'), r.text(last)...)
	} else {
		r.referTo(r.sym(i), 0, Inherit, i)
	}
	if named {
		d := r.define(Field, last, i)
		r.rows.Defs[d].Type = r.take(start)
	}
	i = last + 1
	if r.is(i, '[') && !r.tok(i).nl {
		i = r.typeArgs(i, hi)
	}
	return i
}

func (r *goReader) typeArgs(i, hi int) int {
	end := r.close(i, hi)
	start := len(r.expr)
	for k := i + 1; k < end; {
		k = max(r.typ(k, end), k+1)
		r.expr = r.expr[:start]
	}
	return min(end+1, hi)
}

// interfaceBody reads the methods and embedded types in the brackets at i.
func (r *goReader) interfaceBody(i, hi int, named bool) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		if r.tok(k).kind == tName && r.is(k+1, '(') {
			k = r.interfaceMethod(k, end, named)
			continue
		}
		start := len(r.expr)
		if t := r.afterTypeName(k, end); named && r.name(k) && r.endsField(t, end) {
			k = max(r.embedded(k, end, false), k+1)
		} else {
			k = max(r.union(k, end), k+1)
		}
		r.expr = r.expr[:start]
	}
}

func (r *goReader) interfaceMethod(i, hi int, named bool) int {
	mark := len(r.binds)
	defer r.unbind(mark)
	if !named {
		i, _ = r.signatureAt(i+1, hi)
		return i
	}
	d := r.define(Method, i, i)
	i, results := r.signatureAt(i+1, hi)
	r.rows.Defs[d].Type = results
	r.finish(d, i)
	return i
}

// valueSpec reads one line of a var or const declaration.
func (r *goReader) valueSpec(kind Kind, i, hi int) int {
	if r.cur >= 0 {
		return r.localValues(i, hi)
	}
	from, first := i, int32(-1)
	for r.tok(i).kind == tName {
		d := r.define(kind, i, from)
		if first < 0 {
			first = d
		}
		i++
		if !r.is(i, ',') {
			break
		}
		i++
	}
	if first < 0 {
		return i + 1
	}
	last := int32(len(r.rows.Defs) - 1)
	r.cur = first
	i = r.values(i, hi, func(n int, t Sym) {
		if d := first + int32(n); d <= last {
			r.rows.Defs[d].Type = t
		}
	}, int(last-first)+1)
	r.cur = -1
	for d := first; d <= last; d++ {
		r.finish(d, i)
	}
	return i
}

func (r *goReader) localValues(i, hi int) int {
	var names []Sym
	for r.tok(i).kind == tName && len(names) < 64 {
		names = append(names, r.sym(i))
		i++
		if !r.is(i, ',') {
			break
		}
		i++
	}
	types := make([]Sym, len(names))
	i = r.values(i, hi, func(n int, t Sym) {
		if n < len(types) {
			types[n] = t
		}
	}, len(names))
	for n, name := range names {
		r.bind(name, types[n])
	}
	return i
}

// values reads "T", "T = x, y" or "= x, y" and tells the type of each of the count names.
func (r *goReader) values(i, hi int, set func(n int, t Sym), count int) int {
	start := len(r.expr)
	var typ Sym
	if r.typeBegins(i) && !r.tok(i).nl {
		i = r.typ(i, hi)
		typ = r.pop(start)
		for n := range count {
			set(n, typ)
		}
	}
	if !r.is(i, '=') {
		return i
	}
	var out [8]Sym
	i, n := r.exprs(i+1, hi, count, &out, false)
	if typ == 0 {
		for k := range min(n, len(out), count) {
			set(k, out[k])
		}
	}
	return i
}
