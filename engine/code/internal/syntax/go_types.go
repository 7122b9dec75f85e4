package syntax

// typ reads the type at i and pushes its expression. It answers the position behind it.
func (r *goReader) typ(i, hi int) int {
	if i >= hi || !r.enter() {
		r.expr = append(r.expr, unknown...)
		return i
	}
	defer r.leave()
	t := r.tok(i)
	if t.kind == tPunct {
		return r.typeOperator(i, hi, t.ch)
	}
	switch t.word {
	case wMap:
		if !r.is(i+1, '[') {
			break
		}
		start := len(r.expr)
		r.typ(i+2, r.close(i+1, hi))
		r.expr = r.expr[:start]
		return r.element(r.after(i+1, hi), hi)
	case wChan:
		i++
		if r.is(i, opRecv) {
			i++
		}
		return r.element(i, hi)
	case wFunc:
		return r.funcType(i+1, hi)
	case wStruct:
		r.expr = append(r.expr, unknown...)
		if !r.is(i+1, '{') {
			return i + 1
		}
		r.structBody(i+1, hi, false)
		return r.after(i+1, hi)
	case wInterface:
		r.expr = append(r.expr, unknown...)
		if !r.is(i+1, '{') {
			return i + 1
		}
		r.interfaceBody(i+1, hi, false)
		return r.after(i+1, hi)
	}
	if t.kind == tName {
		return r.typeName(i, hi)
	}
	r.expr = append(r.expr, unknown...)
	return i
}

func (r *goReader) typeOperator(i, hi int, ch byte) int {
	switch ch {
	case '*', '~', opRecv:
		if ch == opRecv && r.word(i+1) == wChan {
			return r.element(i+2, hi)
		}
		return r.typ(i+1, hi)
	case opDots:
		return r.element(i+1, hi)
	case '[':
		start := len(r.expr)
		if !r.is(i+1, ']') {
			r.expr0(i+1, r.close(i, hi), false)
			r.expr = r.expr[:start]
		}
		return r.element(r.after(i, hi), hi)
	case '(':
		r.typ(i+1, r.close(i, hi))
		return r.after(i, hi)
	}
	r.expr = append(r.expr, unknown...)
	return i
}

// element reads the type at i and pushes a list of it.
func (r *goReader) element(i, hi int) int {
	start := len(r.expr)
	r.expr = append(r.expr, '[')
	i = r.typ(i, hi)
	if len(r.expr) == start+1 || r.expr[start+1] == '?' {
		r.expr = append(r.expr[:start], unknown...)
		return i
	}
	r.expr = append(r.expr, ']')
	return i
}

// funcType reads the signature at i of a function type and pushes {results}.
func (r *goReader) funcType(i, hi int) int {
	mark := len(r.binds)
	i, results := r.signatureAt(i, hi)
	r.unbind(mark)
	r.pushFunc(results)
	return i
}

func (r *goReader) pushFunc(results Sym) {
	r.expr = append(r.expr, '{')
	r.expr = append(r.expr, r.names.Text(results)...)
	r.expr = append(r.expr, '}')
}

// typeName reads a type's name, possibly qualified and with type arguments.
func (r *goReader) typeName(i, hi int) int {
	t := r.tok(i)
	if t.word == wPrim {
		r.expr = append(r.expr, unknown...)
		return i + 1
	}
	if t.word == wBuiltin { // error: a type with a method that stands in no file
		r.expr = append(r.expr, r.text(i)...)
		return i + 1
	}
	start := len(r.expr)
	name := r.sym(i)
	if b, ok := r.local(name); ok {
		r.push(b)
		i++
	} else {
		r.expr = append(r.expr, r.text(i)...)
		if r.is(i+1, '.') && r.tok(i+2).kind == tName {
			r.refer(i+2, start, Mention)
			r.expr = append(append(r.expr, '.'), r.text(i+2)...)
			i += 2
		} else {
			r.referTo(name, 0, Mention, i)
		}
		i++
	}
	if r.is(i, '[') && !r.tok(i).nl && i < hi && !r.is(i+1, ']') {
		return r.typeArgs(i, hi)
	}
	return i
}
