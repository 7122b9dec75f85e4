package syntax

// imports reads "import a.b as c, d".
func (r *pythonReader) imports(i, hi int) int {
	for i < hi && r.tok(i).kind == tName {
		at := i
		module := r.dotted(&i, hi)
		row := ImportRow{Module: module, Local: r.sym(at), Line: r.lineOf(at)}
		if r.word(i) == wAs {
			row.Local = r.sym(i + 1)
			i += 2
		} else if r.is(at+1, '.') { // import a.b binds a; a.b is found by its whole name
			row.Name = 0
		}
		r.imported(row)
		if !r.is(i, ',') || r.tok(i+1).nl {
			break
		}
		i++
	}
	return i
}

func (r *pythonReader) imported(row ImportRow) {
	r.rows.Imports = append(r.rows.Imports, row)
}

// dotted reads a.b.c and leading dots.
func (r *pythonReader) dotted(i *int, hi int) Sym {
	start := len(r.expr)
	for ; *i < hi; *i++ {
		t := r.tok(*i)
		if t.kind == tPunct && (t.ch == '.' || t.ch == opDots) || t.kind == tName && t.word == noWord {
			if t.kind == tName && *i > 0 && r.name(*i-1) {
				break
			}
			r.expr = append(r.expr, r.text(*i)...)
			continue
		}
		break
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
}

// fromImport reads "from a import b as c, d".
func (r *pythonReader) fromImport(i, hi int) int {
	at := i
	module := r.dotted(&i, hi)
	if r.word(i) != wImport {
		return max(i, at)
	}
	i++
	end := hi
	grouped := r.is(i, '(')
	if grouped {
		end = r.close(i, hi)
		i++
	}
	for i < end {
		row := ImportRow{Module: module, Name: r.sym(i), Local: r.sym(i), Line: r.lineOf(i)}
		if r.is(i, '*') {
			row.Name = r.names.InternString("*")
		} else if r.tok(i).kind != tName {
			break
		}
		i++
		if r.word(i) == wAs {
			row.Local = r.sym(i + 1)
			i += 2
		}
		r.imported(row)
		if !r.is(i, ',') {
			break
		}
		i++
	}
	if grouped {
		return min(end+1, hi)
	}
	return i
}

// loop reads "x, y in xs:".
func (r *pythonReader) loop(i, hi int) int {
	from := i
	for i < hi && r.word(i) != wIn && !r.is(i, ':') {
		i++
	}
	if r.word(i) != wIn {
		return i
	}
	to := i
	start := len(r.expr)
	i = r.expression(i+1, hi, false)
	if r.known(start) {
		r.expr = append(r.expr, "[]"...)
	}
	t := r.pop(start)
	if to != from+1 {
		t = 0
	}
	r.targets(from, to, t)
	return r.list(i, hi)
}

// targets binds the names between lo and hi.
func (r *pythonReader) targets(lo, hi int, t Sym) {
	for k := lo; k < hi; k++ {
		if r.name(k) && !r.is(k+1, '.') && !r.is(k+1, '[') && !r.is(k+1, '(') && (k == lo || !r.is(k-1, '.')) {
			r.bind(r.sym(k), t)
		}
	}
}

// with reads "a() as b, c() as d:".
func (r *pythonReader) with(i, hi int) int {
	if r.is(i, '(') && r.is(r.after(i, hi), ':') {
		r.withItems(i+1, r.close(i, hi))
		return r.after(i, hi)
	}
	return r.withItems(i, hi)
}

func (r *pythonReader) withItems(i, hi int) int {
	for i < hi {
		start := len(r.expr)
		i = r.expression(i, hi, false)
		t := r.pop(start)
		if r.word(i) == wAs {
			if r.name(i + 1) {
				r.bind(r.sym(i+1), t)
				i += 2
			} else {
				i = r.discard(i+1, hi)
			}
		}
		if !r.is(i, ',') {
			break
		}
		i++
	}
	return i
}

func (r *pythonReader) except(i, hi int) int {
	if r.is(i, '*') {
		i++
	}
	start := len(r.expr)
	if !r.is(i, ':') {
		i = r.expression(i, hi, false)
	}
	t := r.pop(start)
	if r.word(i) == wAs && r.name(i+1) {
		r.bind(r.sym(i+1), t)
		i += 2
	}
	return i
}

// returned reads the value of a return: where no annotation says it, that is the result's type.
func (r *pythonReader) returned(i, hi int) int {
	if r.tok(i).nl || i >= hi {
		return i
	}
	start := len(r.expr)
	next := r.expression(i, hi, false)
	t := r.pop(start)
	if d := r.cur; d >= 0 && t != 0 && !r.is(next, ',') && r.word(i-1) == wReturn && string(r.text(i-1)) == "return" {
		if def := &r.rows.Defs[d]; def.Kind.Callable() && def.Type == 0 {
			def.Type = t
		}
	}
	return r.list(next, hi)
}
