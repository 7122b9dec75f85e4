package syntax

// interfaceBody defines the members of the interface d.
func (r *scriptReader) interfaceBody(d int32, i, hi int) {
	end := r.close(i, hi)
	if !r.enter() {
		r.flat(i, end)
		return
	}
	defer r.leave()
	for k := i + 1; k < end; {
		k = max(r.signatureMember(k, end), k+1)
	}
}

// signatureMember reads one line of an interface.
func (r *scriptReader) signatureMember(i, hi int) int {
	for r.tok(i).kind == tName && r.tok(i+1).kind == tName && !r.tok(i+1).nl && i+1 < hi {
		i++ // readonly, get, set
	}
	if r.word(i) == wNew && (r.is(i+1, '(') || r.is(i+1, '<')) {
		return r.callSignature(i+1, hi)
	}
	name := i
	if r.tok(i).kind != tName {
		if r.is(i, '<') || r.is(i, '(') {
			return r.callSignature(i, hi)
		}
		if r.is(i, '[') || r.is(i, '{') {
			return r.after(i, hi)
		}
		return i + 1
	}
	i++
	if r.is(i, '?') {
		i++
	}
	kind := Field
	mark, start := len(r.binds), len(r.expr)
	if r.is(i, '(') || r.is(i, '<') {
		kind = Method
	} else if !r.is(i, ':') {
		return i
	}
	d := r.define(kind, name, name)
	r.within(d, func() {
		if r.is(i, '<') {
			i = r.typeParams(i, hi)
		}
		if r.is(i, '(') {
			r.paramList(i, hi)
			i = r.after(i, hi)
		}
		if r.is(i, ':') && i < hi {
			i = r.typ(i+1, hi)
		}
	})
	r.rows.Defs[d].Type = r.pop(start)
	r.unbind(mark)
	r.finish(d, i)
	return i
}

// callSignature reads a member without a name: <T>(x: T): U.
func (r *scriptReader) callSignature(i, hi int) int {
	mark, start := len(r.binds), len(r.expr)
	if r.is(i, '<') {
		i = r.typeParams(i, hi)
	}
	if r.is(i, '(') {
		r.paramList(i, hi)
		i = r.after(i, hi)
	}
	if r.is(i, ':') && i < hi {
		i = r.typ(i+1, hi)
	}
	r.expr = r.expr[:start]
	r.unbind(mark)
	return i
}

func (r *scriptReader) enum(i, from, hi int) int {
	if !r.name(i+1) || !r.is(i+2, '{') {
		return i + 1
	}
	d := r.define(Enum, i+1, from)
	end := r.close(i+2, hi)
	r.signature(d, i+2)
	was := r.cur
	r.cur = d
	for k := i + 3; k < end; k++ {
		if r.tok(k).kind == tName && (r.is(k-1, '{') || r.is(k-1, ',')) {
			r.define(Member, k, k)
		} else if r.is(k, '(') || r.is(k, '{') || r.is(k, '[') {
			k = r.close(k, end)
		}
	}
	r.cur = was
	end = min(end+1, hi)
	r.finish(d, end)
	return end
}
