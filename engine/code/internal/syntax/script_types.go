package syntax

// typ reads the type at i and pushes what members it has: those of its first alternative.
func (r *scriptReader) typ(i, hi int) int {
	start := len(r.expr)
	if !r.enter() {
		r.expr = append(r.expr, unknown...)
		return hi
	}
	defer r.leave()
	if r.is(i, '|') || r.is(i, '&') {
		i++
	}
	i = r.typePart(i, hi)
	for i < hi {
		t := r.tok(i)
		switch {
		case r.is(i, '|') || r.is(i, '&') || r.word(i) == wExtends && !t.nl || r.soft(i, "is") && !t.nl:
			keep := len(r.expr)
			if !r.known(start) {
				keep = start
				r.expr = r.expr[:start]
			}
			next := r.typePart(i+1, hi)
			if keep > start {
				r.expr = r.expr[:keep]
			}
			i = max(next, i+1)
		case r.is(i, '?') && !t.nl: // a conditional type
			keep := len(r.expr)
			i = r.typ(i+1, hi)
			if r.is(i, ':') {
				i = r.typ(i+1, hi)
			}
			r.expr = r.expr[:keep]
			return i
		default:
			return i
		}
	}
	return i
}

var scriptPrimitives = map[string]bool{"any": true, "unknown": true, "number": true, "string": true, "boolean": true, "never": true,
	"object": true, "symbol": true, "bigint": true}

func (r *scriptReader) typePart(i, hi int) int {
	start := len(r.expr)
	for i < hi && r.tok(i).kind == tName && (r.soft(i, "readonly") || r.soft(i, "keyof") || r.soft(i, "unique") || r.soft(i, "infer") ||
		r.soft(i, "asserts") || r.soft(i, "abstract") || r.word(i) == wNew || r.word(i) == wDel) && (r.tok(i+1).kind == tName || r.is(i+1, '(')) {
		i++
	}
	t := r.tok(i)
	switch {
	case i >= hi:
		r.expr = append(r.expr, unknown...)
		return i
	case t.kind == tName && scriptPrimitives[string(r.text(i))]:
		r.expr = append(r.expr, unknown...)
		i++
	case t.kind == tName:
		i = r.typeName(i, hi)
	case t.kind == tPunct && (t.ch == '(' || t.ch == '<'):
		return r.functionType(i, hi)
	case t.kind == tPunct && (t.ch == '{' || t.ch == '['):
		r.typeRefs(i+1, r.close(i, hi))
		r.expr = append(r.expr, unknown...)
		i = r.after(i, hi)
	case t.kind == tString || t.kind == tNumber:
		r.expr = append(r.expr, unknown...)
		i++
	default:
		r.expr = append(r.expr, unknown...)
		return i
	}
	for r.is(i, '[') && !r.tok(i).nl && i < hi {
		if r.is(i+1, ']') && r.known(start) {
			r.expr = append(r.expr, "[]"...)
			copy(r.expr[start+1:len(r.expr)-1], r.expr[start:])
			r.expr[start] = '['
		} else {
			r.expr = append(r.expr[:start], unknown...)
		}
		i = r.after(i, hi)
	}
	return i
}

// functionType reads (a: A) => R, or a type in brackets.
func (r *scriptReader) functionType(i, hi int) int {
	start := len(r.expr)
	open := i
	if r.is(i, '<') {
		i = max(r.angle(i, hi), i+1)
		open = i
	}
	end := r.after(i, hi)
	if !r.is(end, opFat) {
		r.typ(open+1, r.close(open, hi))
		if r.is(end, '[') && r.is(end+1, ']') {
			return end + 2
		}
		return end
	}
	r.typeRefs(open+1, r.close(open, hi))
	r.expr = append(r.expr[:start], '{')
	i = r.typ(end+1, hi)
	if !r.known(start + 1) {
		r.expr = r.expr[:start+1]
	}
	r.expr = append(r.expr, '}')
	return i
}

// typeRefs refers to the types behind the colons between lo and hi.
func (r *scriptReader) typeRefs(lo, hi int) {
	for k := lo; k < hi; k++ {
		if !r.name(k) || r.is(k+1, ':') || r.is(k+1, '?') && r.is(k+2, ':') || r.is(k+1, '(') || r.is(k-1, '.') {
			continue
		}
		if _, ok := r.legacy.local(r.sym(k)); !ok {
			r.referTo(r.sym(k), 0, Mention, k)
		}
	}
}

// insideBody reads definitions wherever they stand: functions, classes, interfaces, arrow functions, methods of objects.
func (r *scriptReader) insideBody(i, hi int) int {
	t := r.tok(i)
	if t.kind == tPunct {
		switch t.ch {
		case '(', '<':
			if r.arrow(i, hi) > 0 {
				return r.functionAt(-1, i, hi)
			}
		case '@':
			if r.tok(i+1).kind == tName {
				return r.decorator(i, hi)
			}
		}
		return i
	}
	if t.kind != tName {
		return i
	}
	switch t.word {
	case wFunc:
		return r.functionDefinition(i, i, hi)
	case wClass:
		return r.classAt(i, i, hi)
	case wEnum:
		return r.enum(i, i, hi)
	case noWord:
		return r.softDefinition(i, hi)
	}
	return i
}

// functionDefinition reads the function keyword at i.
func (r *scriptReader) functionDefinition(i, from, hi int) int {
	name := i + 1
	if r.is(name, '*') {
		name++
	}
	if !r.name(name) {
		return r.functionAt(-1, i, hi)
	}
	if r.is(i-1, '=') || r.is(i-1, '(') || r.is(i-1, ',') || r.is(i-1, ':') {
		return r.functionAt(-1, i, hi) // its name is seen by itself only
	}
	return r.namedFunction(Function, name, from, i, hi)
}

// softDefinition reads what begins with a word that is a keyword here only: type, interface, namespace, async …
func (r *scriptReader) softDefinition(i, hi int) int {
	if r.is(i+1, opFat) {
		return r.functionAt(-1, i, hi)
	}
	if r.is(i-1, '.') {
		return i
	}
	next := r.tok(i + 1)
	switch string(r.text(i)) {
	case "async":
		if r.word(i+1) == wFunc {
			return r.functionDefinition(i+1, i, hi)
		}
		if !next.nl && r.arrow(i+1, hi) > 0 {
			return r.functionAt(-1, i, hi)
		}
	case "interface":
		if next.kind == tName && !next.nl && (r.is(i+2, '{') || r.is(i+2, '<') || r.word(i+2) == wExtends) {
			return r.interfaceAt(i, hi)
		}
	case "type":
		if next.kind == tName && !next.nl && (r.is(i+2, '=') || r.is(i+2, '<')) {
			return r.alias(i, hi)
		}
	case "namespace", "module":
		if (next.kind == tName || next.kind == tString) && !next.nl && (r.is(i+2, '{') || r.is(i+2, '.')) {
			return r.namespace(i, hi)
		}
	case "abstract", "declare":
		switch {
		case next.kind != tName || next.nl:
		case next.word == wClass:
			return r.classAt(i+1, i, hi)
		case next.word == wConst || next.word == wLet || next.word == wVar:
			return r.declaration(i+1, i, hi)
		}
	}
	return r.property(i, hi)
}

// property reads "name: value" and "name() {…}" inside an object.
func (r *scriptReader) property(i, hi int) int {
	if !r.is(i-1, '{') && !r.is(i-1, ',') {
		if !(r.tok(i-1).kind == tName && (r.soft(i-1, "async") || r.soft(i-1, "get") || r.soft(i-1, "set")) && (r.is(i-2, '{') || r.is(i-2, ','))) {
			return i
		}
	}
	switch {
	case r.is(i+1, ':') && i+1 < hi:
		if r.functionValue(i+2, hi) {
			return r.namedFunction(Method, i, i, i+2, hi)
		}
		return i + 2
	case r.is(i+1, '('):
		k := r.after(i+1, hi)
		if r.is(k, '{') && !r.tok(k).nl && k < hi {
			return r.namedFunction(Method, i, i, i+1, hi)
		}
	}
	return i
}

func (r *scriptReader) namespace(i, hi int) int {
	k := i + 1
	for r.is(k+1, '.') {
		k += 2
	}
	if !r.is(k+1, '{') {
		return i + 2
	}
	name := r.sym(k)
	if r.tok(k).kind == tString {
		name = r.quoted(k)
	}
	d := r.defineNamed(Module, name, k, i)
	end := r.after(k+1, hi)
	r.signature(d, k+1)
	r.within(d, func() { r.body(k+1, hi) })
	r.finish(d, end)
	return end
}

func (r *scriptReader) alias(i, hi int) int {
	d := r.define(Alias, i+1, i)
	mark := len(r.binds)
	start := len(r.expr)
	k := i + 2
	r.within(d, func() {
		if r.is(k, '<') {
			k = r.typeParams(k, hi)
		}
		if r.is(k, '=') {
			if r.is(k+1, '{') {
				r.interfaceBody(d, k+1, hi)
			}
			k = r.typ(k+1, hi)
		}
	})
	r.rows.Defs[d].Type = r.pop(start)
	r.unbind(mark)
	r.finish(d, k)
	return k
}

func (r *scriptReader) interfaceAt(i, hi int) int {
	d := r.define(Interface, i+1, i)
	mark := len(r.binds)
	k := i + 2
	r.within(d, func() {
		if r.is(k, '<') {
			k = r.typeParams(k, hi)
		}
		k = r.heritage(k, hi)
		r.signature(d, k)
		if r.is(k, '{') {
			r.interfaceBody(d, k, hi)
			k = r.after(k, hi)
		}
	})
	r.unbind(mark)
	r.finish(d, k)
	return k
}

// heritage reads extends and implements up to the body.
func (r *scriptReader) heritage(i, hi int) int {
	for i < hi && !r.is(i, '{') {
		if !r.name(i) || r.soft(i, "implements") {
			if r.is(i, '(') || r.is(i, '[') {
				r.scan(i+1, r.close(i, hi), false)
				i = r.close(i, hi)
			}
			i++
			continue
		}
		start := len(r.expr)
		for r.is(i+1, '.') && r.name(i+2) {
			if len(r.expr) > start {
				r.expr = append(r.expr, '.')
			}
			r.expr = append(r.expr, r.text(i)...)
			i += 2
		}
		use := Inherit
		if r.is(i+1, '(') {
			use = Call // a mixin
		}
		r.refer(i, start, use)
		r.expr = r.expr[:start]
		i++
		if r.is(i, '<') {
			if k := r.angle(i, hi); k > i {
				r.angleTypes(i, k)
				i = k
			}
		}
	}
	return i
}
