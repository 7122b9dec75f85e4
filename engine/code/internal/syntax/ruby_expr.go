package syntax

// expression reads a chain of names and calls, or one token.
func (r *rubyReader) expression(i, hi int) int {
	t := r.tok(i)
	switch {
	case t.kind == tPunct && (t.ch == '(' || t.ch == '[' || t.ch == '{'):
		return r.inside(i, hi)
	case t.kind == tPunct && (t.ch == '.' || t.ch == opOptional || t.ch == opScope || t.ch == '&' && r.is(i+1, '.')):
		start := len(r.expr)
		r.expr = append(r.expr, unknown...)
		k := r.suffixes(i, hi, start)
		r.expr = r.expr[:start]
		return k
	case t.kind != tName:
		return i + 1
	}
	start := len(r.expr)
	k := r.head(i, hi)
	k = r.suffixes(k, hi, start)
	r.expr = r.expr[:start]
	if k == i+1 && r.is(k, '=') && t.word == noWord && k < hi {
		return r.assignment(i, hi)
	}
	return k
}

// assignment binds a local variable or defines a constant.
func (r *rubyReader) assignment(i, hi int) int {
	name, c := r.sym(i), r.src[r.tok(i).start]
	start := len(r.expr)
	k := i + 2
	if w := r.word(k); r.tok(k).kind == tName && (w == noWord || w == wThis || w == wSuper || w == wValue) { // not x = if …
		k = r.suffixes(r.head(k, hi), hi, start)
	}
	t := r.pop(start)
	switch {
	case c >= 'A' && c <= 'Z':
		if r.cur < 0 || r.cur == r.class {
			d := r.define(Constant, i, i)
			r.rows.Defs[d].Type = t
			r.finish(d, k)
		}
	case c == '@':
		key := int64(r.class)<<32 | int64(name)
		if r.class >= 0 && !r.fields[key] {
			r.fields[key] = true
			was := r.cur
			r.cur = r.class
			d := r.define(Field, i, i)
			r.cur = was
			r.rows.Defs[d].Type = t
		}
	case t != name:
		r.bind(name, t)
	default:
		r.bind(name, 0)
	}
	return k
}

func (r *rubyReader) head(i, hi int) int {
	t := r.tok(i)
	switch t.word {
	case noWord:
	case wThis:
		if r.this == "" {
			r.expr = append(r.expr, unknown...)
		} else {
			r.expr = append(r.expr, r.this...)
		}
		return i + 1
	default:
		r.expr = append(r.expr, unknown...)
		return i + 1
	}
	name := r.sym(i)
	if b, ok := r.local(name); ok {
		r.push(b)
		return i + 1
	}
	switch string(r.text(i)) {
	case "require", "require_relative", "load":
		if module := r.quoted(i + 1); module != 0 {
			r.rows.Imports = append(r.rows.Imports, ImportRow{Module: module, Name: r.names.InternString("*"), Line: r.lineOf(i)})
		}
		r.expr = append(r.expr, unknown...)
		return i + 1
	case "attr_reader", "attr_accessor", "attr_writer":
		return r.accessors(i, hi)
	case "include", "extend", "prepend":
		if r.cur == r.class && r.class >= 0 && r.name(i+1) {
			r.expr = append(r.expr, unknown...)
			return r.base(i+1, hi)
		}
	}
	if r.is(i+1, ':') && !r.is(i+2, ':') && r.tok(i+1).start == t.end { // a: in a hash or call
		r.expr = append(r.expr, unknown...)
		return i + 2
	}
	use, c := Call, r.src[t.start]
	if (c >= 'A' && c <= 'Z' || c == '@') && !r.is(i+1, '(') {
		use = Mention
	}
	if c == '@' {
		if r.this != "" {
			at := len(r.expr)
			r.expr = append(r.expr, r.this...)
			r.refer(i, at, use)
			r.expr = append(append(r.expr, '.'), r.text(i)...)
			return i + 1
		}
		r.expr = append(r.expr, unknown...)
		return i + 1
	}
	if !r.is(i+1, '=') {
		r.referTo(name, 0, use, i)
	}
	r.expr = append(r.expr, r.text(i)...)
	if use == Call && !r.is(i+1, '(') {
		r.expr = append(r.expr, "()"...)
	}
	return i + 1
}

// accessors defines the names behind attr_reader and its kin as fields.
func (r *rubyReader) accessors(i, hi int) int {
	k := i + 1
	for k < hi && r.is(k, ':') && r.tok(k+1).kind == tName {
		if r.class >= 0 {
			r.define(Field, k+1, k)
		}
		k += 2
		if !r.is(k, ',') {
			break
		}
		k++
	}
	r.expr = append(r.expr, unknown...)
	return k
}

func (r *rubyReader) suffixes(i, hi, start int) int {
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct {
			return i
		}
		switch {
		case t.ch == '.' || t.ch == opOptional || t.ch == opScope || t.ch == '&' && r.is(i+1, '.'):
			if t.ch == '&' {
				i++
			}
			if r.tok(i+1).kind != tName {
				return i + 1
			}
			use := Call
			if c := r.src[r.tok(i+1).start]; t.ch == opScope && c >= 'A' && c <= 'Z' {
				use = Mention
			}
			if r.soft(i+1, "new") { // X.new is a value of X
				i += 2
				continue
			}
			r.refer(i+1, start, use)
			r.expr = append(append(r.expr, '.'), r.text(i+1)...)
			if use == Call && !r.is(i+2, '(') {
				r.expr = append(r.expr, "()"...)
			}
			i += 2
		case t.ch == '(' && !t.nl:
			keep := len(r.expr)
			i = r.inside(i, hi)
			r.expr = append(r.expr[:keep], "()"...)
		case t.ch == '[' && !t.nl && r.tok(i-1).end == t.start:
			keep := len(r.expr)
			i = r.inside(i, hi)
			r.expr = append(r.expr[:keep], "[]"...)
		default:
			return i
		}
	}
	return i
}

// inside reads what stands between brackets.
func (r *rubyReader) inside(i, hi int) int {
	end := r.close(i, hi)
	if !r.enter() {
		return max(r.flat(i+1, end), i+1)
	}
	mark, start := len(r.binds), len(r.expr)
	k := i + 1
	if r.is(i, '{') {
		k = r.blockParams(k)
	}
	for k < end {
		switch r.word(k) {
		case wFunc, wBegin, wSwitch, wIf, wDo, wWhile, wFor, wClass, wModule:
			k = max(r.blockOne(k, end), k+1)
		default:
			k = max(r.expression(k, end), k+1)
		}
		r.expr = r.expr[:start]
	}
	r.unbind(mark)
	r.leave()
	return min(end+1, hi)
}

// blockOne reads one block that begins with the keyword at i.
func (r *rubyReader) blockOne(i, hi int) int {
	switch r.word(i) {
	case wFunc:
		return r.function(i, hi)
	case wClass, wModule:
		return r.typeAt(i, hi)
	case wIf, wWhile, wFor:
		return r.conditional(i, hi)
	case wDo:
		mark := len(r.binds)
		k := r.ended(r.block(r.blockParams(i+1), hi), hi)
		r.unbind(mark)
		return k
	}
	return r.ended(r.block(i+1, hi), hi)
}
