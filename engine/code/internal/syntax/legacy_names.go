package syntax

// dottedName reads a.b.c.
func (r *legacy) dottedName(i *int, hi int) Sym {
	start := len(r.expr)
	for *i < hi && r.tok(*i).kind == tName {
		r.expr = append(r.expr, r.text(*i)...)
		*i++
		if !(r.is(*i, '.') || r.is(*i, opScope)) || r.tok(*i+1).kind != tName {
			break
		}
		r.expr = append(r.expr, '.')
		*i++
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
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

// readJava reads Java or C#, neither of which counts positions any more.
func (r *legacy) readJava(sharp bool) {
	if sharp {
		r.readCSharp()
		return
	}
	r.reader.readJava()
}
