package syntax

// field defines a property without the $ of its name.
func (r *phpReader) field(i, from int, t Sym, parent int32) {
	was := r.cur
	r.cur = parent
	tok := r.tok(i)
	d := r.defineNamed(Field, r.names.Intern(r.src[tok.start+1:tok.end]), i, from)
	r.cur = was
	r.rows.Defs[d].Type = t
}

// documented is the type that the comment before token i gives to what is called name; 0: none.
func (r *phpReader) documented(i int, name string, tags ...string) Sym {
	doc := r.docBefore(pos(i))
	if doc == nil {
		return 0
	}
	return r.docType(doc.tag(name, tags...), &phpDocTypes, r.this)
}

// property reads "private ?T $x = v;".
func (r *phpReader) property(i, hi int) int {
	from := i
	for r.word(i) == wDecl || r.soft(i, "static") {
		i++
	}
	if r.word(i) == wFunc || r.word(i) == wConst || r.word(i) == wClass || r.word(i) == wInterface {
		return i
	}
	start := len(r.expr)
	i = r.typ(i, hi)
	t := r.pop(start)
	if t == 0 {
		t = r.documented(from, "", "var")
	}
	for r.variable(i) && i < hi {
		r.field(i, from, t, r.class)
		i++
		if r.is(i, '=') {
			to := i + 1
			for to < hi && !r.is(to, ';') && !r.is(to, ',') {
				if r.is(to, '(') || r.is(to, '[') {
					to = r.close(to, hi)
				}
				to++
			}
			r.scan(i+1, min(to, hi), false)
			i = to
		}
		if !r.is(i, ',') {
			break
		}
		i++
	}
	return max(i, from+1)
}

func (r *phpReader) constant(i, hi int) int {
	for k := i + 1; k < hi && !r.is(k, ';'); k++ {
		if r.tok(k).kind == tName && r.is(k+1, '=') {
			d := r.define(Constant, k, i)
			to := k + 2
			for to < hi && !r.is(to, ';') && !r.is(to, ',') {
				if r.is(to, '(') || r.is(to, '[') {
					to = r.close(to, hi)
				}
				to++
			}
			r.within(d, func() { r.scan(k+2, min(to, hi), false) })
			r.finish(d, to)
			k = to
			if !r.is(to, ',') {
				return to
			}
		}
	}
	return i + 1
}

func (r *phpReader) typeAt(i, hi int) int {
	d := int32(-1)
	k := i + 1
	kinds := map[word]Kind{wClass: Class, wInterface: Interface, wEnum: Enum}
	from := i
	for from > 0 && r.word(from-1) == wDecl {
		from--
	}
	if r.name(k) {
		d = r.define(kinds[r.word(i)], k, from)
		k++
	}
	was, class, this := r.cur, r.class, r.this
	if d >= 0 {
		r.cur, r.class, r.this = d, d, r.classPath(d)
	}
	for k < hi && !r.is(k, '{') && !r.is(k, ';') {
		switch {
		case r.is(k, '('):
			r.scan(k+1, r.close(k, hi), false)
			k = r.after(k, hi)
		case r.name(k):
			k = r.base(k, hi)
		default:
			k++
		}
	}
	if d >= 0 {
		r.signature(d, k)
	}
	if r.is(k, '{') && k < hi {
		r.scan(k+1, r.close(k, hi), true)
		k = r.after(k, hi)
	}
	r.cur, r.class, r.this = was, class, this
	if d >= 0 {
		r.finish(d, k)
	}
	return k
}

func (r *phpReader) catch(i, hi int) int {
	end := r.close(i, hi)
	start := len(r.expr)
	k := r.typ(i+1, end)
	t := r.pop(start)
	if r.variable(k) && k < end {
		r.bind(r.sym(k), t)
	}
	return min(end+1, hi)
}
