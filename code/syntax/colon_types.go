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
