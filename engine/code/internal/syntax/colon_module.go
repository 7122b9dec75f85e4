package syntax

// extension reads "impl<T> Trait for Type" and "extension Type: P".
func (r *colonReader) extension(i, hi int) int {
	mark := len(r.binds)
	k := r.typeParams(i+1, hi)
	open := k
	for open < hi && open < k+maxHead && !r.is(open, '{') && !r.is(open, ';') {
		open++
	}
	if !r.is(open, '{') || open >= hi {
		return i + 1
	}
	target, trait := k, 0
	for n := k; n < open; n++ {
		if r.word(n) == wFor && !r.is(n+1, '<') {
			target, trait = n+1, k
		}
	}
	start := len(r.expr)
	if r.is(target, '!') {
		target++
	}
	r.typ(target, open)
	path := string(r.expr[start:])
	r.expr = r.expr[:start]
	owner, this := r.owner, r.this
	r.owner = r.names.InternString(lastName([]byte(path)))
	r.this = path
	if path == unknown || path == "" || path[0] == '[' || path[0] == '{' {
		r.owner, r.this = r.names.InternString(unknown), ""
	}
	r.implements(trait, target, open)
	class, was := r.class, r.cur
	r.class, r.cur = -1, -1
	if was >= 0 && r.rows.Defs[was].Kind == Module {
		r.cur = was
	}
	r.members(open, hi)
	r.owner, r.this, r.class, r.cur = owner, this, class, was
	r.unbind(mark)
	return r.after(open, hi)
}

// members reads the body of an extension.
func (r *colonReader) members(open, hi int) {
	was := r.cur
	r.cur = -1
	r.scan(open+1, r.close(open, hi), true)
	r.cur = was
}

// implements refers from the type to the trait at token trait: when the type is defined in this file, as a base.
func (r *colonReader) implements(trait, target, open int) {
	if trait == 0 {
		return
	}
	from := int32(-1)
	for d := range r.rows.Defs {
		if r.rows.Defs[d].Name == r.owner && r.rows.Defs[d].Kind.Type() {
			from = int32(d)
		}
	}
	r.within(from, func() {
		if r.is(trait, '!') {
			return
		}
		for trait < open && !r.name(trait) {
			trait++
		}
		if r.name(trait) && trait < target {
			r.base(trait, open)
		}
	})
}

func (r *colonReader) module(i, hi int) int {
	if !r.name(i + 1) {
		return i + 1
	}
	if !r.is(i+2, '{') {
		r.rows.Imports = append(r.rows.Imports, ImportRow{Module: r.names.InternString("self." + string(r.text(i+1))), Local: r.sym(i + 1), Line: r.lineOf(i)})
		return i + 2
	}
	d := r.define(Module, i+1, r.start(i))
	end := r.after(i+2, hi)
	r.signature(d, i+2)
	r.within(d, func() { r.body(i+2, hi) })
	r.finish(d, end)
	return end
}

// use reads a::b::{c, d as e, f::*}.
func (r *colonReader) use(i, hi int) int {
	end := i
	for end < hi && !r.is(end, ';') {
		end++
	}
	r.useTree(i+1, end, "", 0)
	return min(end+1, hi)
}

// useTree reads one tree of names behind prefix.
func (r *colonReader) useTree(i, hi int, prefix string, level int) {
	if level > 16 {
		return
	}
	path, at := prefix, i
	for i < hi {
		switch {
		case r.tok(i).kind == tName && r.word(i) != wAs:
			if path != "" {
				path += "."
			}
			path += string(r.text(i))
			at = i
		case r.is(i, '{'):
			end := r.close(i, hi)
			for k := i + 1; k < end; {
				next := k
				for next < end && !r.is(next, ',') {
					if r.is(next, '{') {
						next = r.close(next, end)
					}
					next++
				}
				r.useTree(k, next, path, level+1)
				k = next + 1
			}
			return
		case r.is(i, '*'):
			r.rows.Imports = append(r.rows.Imports, ImportRow{Module: r.names.InternString(path), Name: r.names.InternString("*"), Line: r.lineOf(i)})
			return
		case r.word(i) == wAs:
			r.useName(path, r.sym(i+1), at)
			return
		}
		i++
	}
	if at < hi {
		r.useName(path, r.sym(at), at)
	}
}

func (r *colonReader) useName(path string, local Sym, at int) {
	module, name := r.split(path)
	if r.soft(at, "self") {
		module, name = r.split(r.names.Text(module))
		local = name
	}
	r.rows.Imports = append(r.rows.Imports, ImportRow{Module: module, Name: name, Local: local, Line: r.lineOf(at)})
}

func (r *colonReader) imports(i, hi int) int {
	k := i + 1
	if r.word(i) == wPackage {
		r.rows.Package = r.dottedName(&k, hi)
		return k
	}
	if r.lang == Swift {
		for r.word(k) == wStruct || r.word(k) == wClass || r.word(k) == wFunc || r.word(k) == wEnum {
			k++
		}
		row := ImportRow{Line: r.lineOf(k)}
		row.Module = r.dottedName(&k, hi)
		r.rows.Imports = append(r.rows.Imports, row)
		return k
	}
	module := r.names.Text(r.dottedName(&k, hi))
	row := ImportRow{Line: r.lineOf(i)}
	if r.is(k, '.') && r.is(k+1, '*') {
		row.Module, row.Name = r.names.InternString(module), r.names.InternString("*")
		k += 2
	} else {
		row.Module, row.Name = r.split(module)
		row.Local = row.Name
		if r.word(k) == wAs {
			row.Local = r.sym(k + 1)
			k += 2
		}
	}
	r.rows.Imports = append(r.rows.Imports, row)
	return k
}

func (r *colonReader) alias(i, hi int) int {
	if r.tok(i+1).kind != tName {
		return i + 1
	}
	d := r.define(Alias, i+1, r.start(i))
	if r.owner != 0 && r.cur < 0 {
		r.rows.Defs[d].Owner = r.owner
	}
	mark := len(r.binds)
	k := r.typeParams(i+2, hi)
	start := len(r.expr)
	r.within(d, func() {
		if r.is(k, '=') && k < hi {
			k = r.typ(k+1, hi)
		}
	})
	r.rows.Defs[d].Type = r.pop(start)
	r.unbind(mark)
	for r.lang == Rust && k < hi && !r.is(k, ';') {
		k++
	}
	r.finish(d, k)
	return k
}
