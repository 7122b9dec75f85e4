package syntax

// chain reads a primary expression and what follows it. In an annotation, x[y] means a type with arguments.
func (r *pythonReader) chain(i, hi int, annotation bool) int {
	start := len(r.expr)
	t := r.tok(i)
	switch {
	case i >= hi:
		r.expr = append(r.expr, unknown...)
		return i
	case t.kind == tName && t.word == noWord:
		i = r.head(i, hi, start)
	case t.kind == tName && t.word == wValue:
		r.expr = append(r.expr, unknown...)
		i++
	case t.kind == tName:
		r.expr = append(r.expr, unknown...)
		return i
	case t.kind == tPunct && (t.ch == '(' || t.ch == '[' || t.ch == '{'):
		i = r.brackets(i, hi)
	case t.kind == tPunct && (t.ch == ')' || t.ch == ']' || t.ch == '}' || t.ch == ',' || t.ch == ':' || t.ch == '=' || t.ch == ';'):
		r.expr = append(r.expr, unknown...)
		return i
	default:
		r.expr = append(r.expr, unknown...)
		i++
	}
	for i < hi {
		t := r.tok(i)
		if t.kind != tPunct || t.nl && t.ch != '.' {
			return i
		}
		switch t.ch {
		case '.':
			if r.tok(i+1).kind != tName {
				return i + 1
			}
			use := Mention
			if r.is(i+2, '(') {
				use = Call
			}
			r.refer(i+1, start, use)
			r.expr = append(append(r.expr, '.'), r.text(i+1)...)
			i += 2
		case '(':
			end := r.close(i, hi)
			keep := len(r.expr)
			r.arguments(i+1, end)
			r.expr = append(r.expr[:keep], "()"...)
			i = min(end+1, hi)
		case '[':
			i = r.subscript(i, hi, start, annotation)
		default:
			return i
		}
	}
	return i
}

// head reads the name that begins a chain.
func (r *pythonReader) head(i, hi, start int) int {
	name := r.sym(i)
	if b, ok := r.local(name); ok && b != name { // a name bound to itself is a definition in this function
		r.push(b)
		return i + 1
	}
	if string(r.text(i)) == "super" && r.is(i+1, '(') {
		if r.class >= 0 {
			r.expr = append(append(r.expr, r.classPath(r.class)...), '^')
		} else {
			r.expr = append(r.expr, unknown...)
		}
		return r.after(i+1, hi)
	}
	use := Mention
	if r.is(i+1, '(') {
		use = Call
	}
	r.referTo(name, 0, use, i)
	r.expr = append(r.expr, r.text(i)...)
	return i + 1
}

// brackets reads (a, b), [a, b] and {a: b} and pushes the type of (a), or a list of the first element.
func (r *pythonReader) brackets(i, hi int) int {
	start := len(r.expr)
	end := r.close(i, hi)
	list := !r.is(i, '(')
	if list {
		r.expr = append(r.expr, '[')
	}
	inner := len(r.expr)
	mark := len(r.binds)
	r.comprehension(i+1, end)
	k := i + 1
	if k < end {
		k = r.expression(k, end, true)
	}
	switch {
	case !r.known(inner) || r.is(i, '{') || r.is(i, '(') && k < end:
		r.expr = append(r.expr[:start], unknown...)
	case list:
		r.expr = append(r.expr, ']')
	}
	keep := len(r.expr)
	r.arguments(k, end)
	r.expr = r.expr[:keep]
	r.unbind(mark)
	return min(end+1, hi)
}

// comprehension binds the variables of "for x in" between lo and hi.
func (r *pythonReader) comprehension(lo, hi int) {
	for k := lo; k < hi; k++ {
		if t := r.tok(k); t.kind == tPunct && (t.ch == '(' || t.ch == '[' || t.ch == '{') {
			k = r.close(k, hi)
			continue
		}
		if r.word(k) == wFor {
			from := k + 1
			for k < hi && r.word(k) != wIn {
				k++
			}
			r.targets(from, k, 0)
		}
	}
}

// arguments reads what stands between brackets.
func (r *pythonReader) arguments(lo, hi int) {
	start, mark := len(r.expr), len(r.binds)
	r.comprehension(lo, hi)
	for i := lo; i < hi; {
		if r.name(i) && r.is(i+1, '=') && i+1 < hi {
			i += 2
			continue
		}
		if t := r.tok(i); t.kind == tPunct && (t.ch == ',' || t.ch == ':' || t.ch == '=') || t.word == wFor || t.word == wIn || t.word == wIf || t.word == wElse || t.word == wAsync {
			i++
			continue
		}
		i = max(r.expression(i, hi, true), i+1)
		r.expr = r.expr[:start]
	}
	r.unbind(mark)
}

// subscript reads [index]; in an annotation, the arguments of a type.
func (r *pythonReader) subscript(i, hi, start int, annotation bool) int {
	end := r.close(i, hi)
	keep := len(r.expr)
	if !annotation {
		slice := r.slices(i+1, end)
		r.arguments(i+1, end)
		if r.expr = r.expr[:keep]; !slice {
			r.expr = append(r.expr, "[]"...)
		}
		return min(end+1, hi)
	}
	generic := lastName(r.expr[start:])
	first := keep
	for k := i + 1; k < end; {
		if r.is(k, ',') {
			k++
			if generic != "Dict" && generic != "dict" && generic != "Mapping" && generic != "Callable" && generic != "DefaultDict" {
				first = len(r.expr) // only the first argument counts
				k = max(r.annotation(k, end), k+1)
				r.expr = r.expr[:first]
				continue
			}
			r.expr = r.expr[:keep]
			continue
		}
		k = max(r.annotation(k, end), k+1)
	}
	argument := string(r.expr[keep:])
	r.expr = r.expr[:keep]
	r.generic(generic, argument, start)
	return min(end+1, hi)
}

func (r *pythonReader) slices(lo, hi int) bool {
	for k := lo; k < hi; k++ {
		if r.is(k, ':') {
			return true
		}
		if r.is(k, '(') || r.is(k, '[') || r.is(k, '{') {
			k = r.close(k, hi)
		}
	}
	return false
}

// generic replaces the expression from start on, a generic type, by what it means.
func (r *pythonReader) generic(name, argument string, start int) {
	if argument == "" || argument == unknown {
		return
	}
	switch name {
	case "Optional", "Union", "Annotated", "Final", "ClassVar", "Type", "type", "Required", "NotRequired", "Awaitable":
		r.expr = append(r.expr[:start], argument...)
	case "List", "list", "Sequence", "MutableSequence", "Iterable", "Iterator", "Set", "set", "FrozenSet", "frozenset", "Tuple", "tuple",
		"Dict", "dict", "Mapping", "DefaultDict", "Deque", "deque", "Generator", "AsyncIterator", "AsyncIterable", "Collection":
		r.expr = append(append(append(r.expr[:start], '['), argument...), ']')
	case "Callable":
		r.expr = append(append(append(r.expr[:start], '{'), argument...), '}')
	}
}
