package syntax

// classAt reads the class keyword at i. A class without a name in an expression is read for what it refers to.
func (r *scriptReader) classAt(i, from, hi int) int {
	k := i + 1
	d := int32(-1)
	if r.name(k) && !r.soft(k, "implements") {
		d = r.define(Class, k, from)
		if r.cur >= 0 {
			r.bind(r.sym(k), r.sym(k))
		}
		k++
	} else if (r.is(i-1, '=') || r.is(i-1, ':')) && r.tok(i-2).kind == tName {
		d = r.define(Class, i-2, from)
	}
	class, this, mark, was := r.class, r.this, len(r.binds), r.cur
	if d >= 0 {
		r.cur = d
	}
	if r.is(k, '<') {
		k = r.typeParams(k, hi)
	}
	k = r.heritage(k, hi)
	if d >= 0 {
		r.signature(d, k)
		r.class, r.this = d, r.classPath(d)
	}
	if r.is(k, '{') {
		r.classBody(k, hi)
		k = r.after(k, hi)
	}
	r.class, r.this, r.cur = class, this, was
	r.unbind(mark)
	if d >= 0 {
		r.finish(d, k)
	}
	return k
}

func (r *scriptReader) classBody(i, hi int) {
	end := r.close(i, hi)
	if !r.enter() {
		r.flat(i, end)
		return
	}
	defer r.leave()
	for k := i + 1; k < end; {
		k = max(r.classMember(k, end), k+1)
	}
}

// classMember reads one member of a class.
func (r *scriptReader) classMember(i, hi int) int {
	from := i
	for r.is(i, '@') {
		i = r.decorator(i, hi)
	}
	for i+1 < hi && r.tok(i).kind == tName && r.memberFollows(i+1) && !r.is(i+1, '(') {
		if r.soft(i, "static") && r.is(i+1, '{') {
			return r.body(i+1, hi)
		}
		i++
	}
	if r.is(i, '*') {
		i++
	}
	name := i
	switch {
	case r.tok(i).kind == tName:
		i++
	case r.is(i, '[') || r.tok(i).kind == tString || r.tok(i).kind == tNumber:
		if r.is(i, '[') {
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		} else {
			i++
		}
		name = -1
	default:
		return i + 1
	}
	if r.is(i, '?') || r.is(i, '!') {
		i++
	}
	if r.is(i, '(') || r.is(i, '<') {
		return r.method(name, from, i, hi)
	}
	return r.classField(name, from, i, hi)
}

// memberFollows reports whether what stands at i makes the word before it a modifier and not a name.
func (r *scriptReader) memberFollows(i int) bool {
	t := r.tok(i)
	return t.kind == tName && !t.nl || t.kind == tPunct && (t.ch == '[' || t.ch == '*' || t.ch == '{') && !t.nl || t.kind == tString && !t.nl
}

func (r *scriptReader) method(name, from, i, hi int) int {
	if name < 0 {
		return r.functionAt(-1, i, hi)
	}
	kind := Method
	if r.soft(name, "constructor") {
		kind = Constructor
	}
	d := r.define(kind, name, from)
	r.within(d, func() { i = r.functionAt(d, i, hi) })
	r.finish(d, i)
	return i
}

// classField reads a field with its type and value.
func (r *scriptReader) classField(name, from, i, hi int) int {
	start := len(r.expr)
	if r.is(i, ':') {
		i = r.typ(i+1, hi)
	}
	t := r.pop(start)
	if r.is(i, '=') && name >= 0 && r.functionValue(i+1, hi) {
		return r.namedFunction(Method, name, from, i+1, hi)
	}
	var d int32 = -1
	if name >= 0 && r.class >= 0 {
		d = r.field(name, from, t)
	}
	if r.is(i, '=') {
		was := r.cur
		if d >= 0 {
			r.cur = d
		}
		i = r.expression(i+1, hi)
		r.cur = was
		if v := r.pop(start); d >= 0 && r.rows.Defs[d].Type == 0 {
			r.rows.Defs[d].Type = v
		}
	}
	if d >= 0 {
		r.finish(d, i)
	}
	return i
}

// field defines a field of the class around, once.
func (r *scriptReader) field(i, from int, t Sym) int32 {
	name := r.sym(i)
	key := int64(r.class)<<32 | int64(name)
	if d, ok := r.members[key]; ok {
		return d
	}
	was := r.cur
	r.cur = r.class
	d := r.define(Field, i, from)
	r.cur = was
	r.rows.Defs[d].Type = t
	r.members[key] = d
	return d
}

// fieldAssigned reads this.name = value.
func (r *scriptReader) fieldAssigned(i, hi int) int {
	if r.class < 0 || !r.is(i+1, '.') || !r.name(i+2) || !r.is(i+3, '=') || i+3 >= hi {
		return i
	}
	start := len(r.expr)
	k := r.expression(i+4, hi)
	v := r.pop(start)
	d := r.field(i+2, i, v)
	if r.rows.Defs[d].Type == 0 {
		r.rows.Defs[d].Type = v
	}
	return k
}

// memberAssigned reads X.prototype.f = function…, exports.f = … and X.f = function… at the top of a file.
func (r *scriptReader) memberAssigned(i, hi int) int {
	last, owner := i, i
	for r.is(last+1, '.') && r.tok(last+2).kind == tName {
		if !r.soft(last, "prototype") {
			owner = last
		}
		last += 2
	}
	if !r.is(last+1, '=') || last+1 >= hi || !r.functionValue(last+2, hi) {
		return i
	}
	kind := Method
	if r.soft(owner, "exports") {
		kind = Function
	}
	at := len(r.rows.Defs)
	k := r.namedFunction(kind, last, i, last+2, hi)
	if kind == Method && at < len(r.rows.Defs) {
		r.rows.Defs[at].Owner = r.sym(owner)
	}
	return k
}

// expression reads a whole expression and pushes the type of its first operand, where operators do not change it.
func (r *scriptReader) expression(i, hi int) int {
	start := len(r.expr)
	if !r.enter() {
		r.expr = append(r.expr, unknown...)
		return r.flat(i, hi)
	}
	defer r.leave()
	i = r.operand(i, hi)
	for i < hi {
		t := r.tok(i)
		if t.kind == tName {
			switch {
			case t.nl && t.word != wIn:
				return i
			case r.soft(i, "as") || r.soft(i, "satisfies"):
				keep := len(r.expr)
				next := r.typ(i+1, hi)
				if r.soft(i, "satisfies") || r.soft(i+1, "const") || r.word(i+1) == wConst {
					r.expr = r.expr[:keep]
				} else {
					cast := r.pop(keep)
					r.expr = r.expr[:start]
					r.push(cast)
				}
				i = max(next, i+1)
				continue
			case t.word == wIn:
			default:
				return i
			}
		} else if t.kind == tString && t.ch == '`' {
			i++
			continue
		} else if t.kind != tPunct || !scriptBinary(t.ch) || t.nl && r.lines && (t.ch == '[' || t.ch == '(') {
			return i
		}
		if t.ch == '?' {
			i = r.ternary(i, hi, start)
			continue
		}
		keep := len(r.expr)
		i = max(r.operand(i+1, hi), i+1)
		r.expr = r.expr[:keep]
		if t.ch != opLogic {
			r.expr = append(r.expr[:start], unknown...)
		}
	}
	return i
}

// ternary reads "? a : b" and keeps the type of a.
func (r *scriptReader) ternary(i, hi, start int) int {
	r.expr = r.expr[:start]
	i = r.expression(i+1, hi)
	if r.is(i, ':') && i < hi {
		keep := len(r.expr)
		i = r.expression(i+1, hi)
		r.expr = r.expr[:keep]
	}
	return i
}

func scriptBinary(ch byte) bool {
	switch ch {
	case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', opCompare, opLogic, '?', opAssign, '=':
		return true
	}
	return false
}

// operand reads one operand of an expression.
func (r *scriptReader) operand(i, hi int) int {
	for i < hi && (r.word(i) == wAwait || r.word(i) == wDel || r.is(i, '!') || r.is(i, '-') || r.is(i, '+') || r.is(i, '~') || r.is(i, opDots)) {
		i++
	}
	start := len(r.expr)
	t := r.tok(i)
	switch {
	case i >= hi || t.kind == tPunct && (t.ch == ')' || t.ch == ']' || t.ch == '}' || t.ch == ',' || t.ch == ';' || t.ch == ':'):
		r.expr = append(r.expr, unknown...)
		return i
	case r.functionValue(i, hi):
		i = r.functionAt(-1, i, hi)
		r.expr = append(r.expr, "{}"...)
		return i
	case t.word == wClass:
		i = r.classAt(i, i, hi)
		r.expr = append(r.expr[:start], unknown...)
		return i
	case t.kind == tPunct && t.ch == '<' && r.angles: // <T>x
		return r.value(max(r.angle(i, hi), i+1), hi)
	case t.kind == tName && t.word != noWord && t.word != wThis && t.word != wSuper && t.word != wNew && t.word != wValue && t.word != wImport:
		r.expr = append(r.expr, unknown...)
		if t.word == wReturn || t.word == wThrow {
			return i + 1
		}
		return i
	}
	return r.value(i, hi)
}
