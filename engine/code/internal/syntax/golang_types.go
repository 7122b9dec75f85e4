package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// typ reads the type at the cursor and pushes its expression: the type's name, [T] for a list, map or channel of T,
// {A,B} for a function that returns A and B.
func (r *goReader) typ() {
	if !r.more() || !r.enter() {
		r.pushUnknown()
		return
	}
	defer r.leave()
	t := r.tok()
	switch {
	case t.Kind == lex.Punct:
		r.typeOperator(t.Char)
	case t.Word == lex.Map && r.peekIs(1, '['):
		r.next()
		m := r.top()
		outer := r.open()
		r.typ()
		r.drop(m) // the key
		r.shut(outer)
		r.listType()
	case t.Word == lex.Chan:
		r.next()
		r.skip(lex.OpRecv)
		r.listType()
	case t.Word == lex.Func:
		r.next()
		r.funcType()
	case t.Word == lex.Struct || t.Word == lex.Interface:
		r.pushUnknown() // its members have no type to belong to
		r.literalType(t.Word)
	case t.Kind == lex.Name:
		r.typeName()
	default:
		r.pushUnknown()
	}
}

// literalType reads a struct or interface type without a name.
func (r *goReader) literalType(keyword lex.Word) {
	r.next()
	if !r.is('{') {
		return
	}
	if keyword == lex.Struct {
		r.structBody(false)
	} else {
		r.interfaceBody(false)
	}
}

// typeOperator reads a type that begins with the operator or bracket ch.
func (r *goReader) typeOperator(ch byte) {
	switch ch {
	case '*', '~':
		r.next()
		r.typ()
	case lex.OpRecv:
		r.next()
		if r.skipWord(lex.Chan) {
			r.listType()
			return
		}
		r.typ()
	case lex.OpDots:
		r.next()
		r.listType()
	case '[':
		r.arrayType()
	case '(':
		outer := r.open()
		r.typ()
		r.shut(outer)
	default:
		r.pushUnknown()
	}
}

// arrayType reads []T and [N]T.
func (r *goReader) arrayType() {
	outer := r.open()
	if r.more() {
		m := r.top()
		r.expression(false)
		r.drop(m) // the length
	}
	r.shut(outer)
	r.listType()
}

// listType reads the type at the cursor and pushes a list of it: [?] where nothing is known of that. What it holds
// has no names then, but names may be its keys.
func (r *goReader) listType() {
	m := r.top()
	r.typ()
	if r.known(m) {
		r.listOf(m)
		return
	}
	r.drop(m)
	r.pushString("[" + unknown + "]")
}

// funcType reads the signature of a function type.
func (r *goReader) funcType() {
	begin := r.beginScope()
	results := r.parameters()
	r.endScope(begin)
	r.pushFunc(results)
}

// typeName reads a type's name, possibly qualified and with type arguments.
func (r *goReader) typeName() {
	switch r.word() {
	case lex.Prim:
		r.pushUnknown()
		r.next()
		return
	case lex.Builtin: // error: a type with a method that stands in no file
		r.pushText(r.text())
		r.next()
		return
	}
	name := r.sym()
	if b, ok := r.local(name); ok {
		r.pushType(b)
		r.next()
	} else {
		r.globalName(name, Mention)
	}
	if r.is('[') && !r.tok().First && !r.peekIs(1, ']') {
		r.typeArgs()
	}
}

// globalName pushes name or name.Other, which stands at the cursor, and refers to the last name. It answers where
// that stands.
func (r *goReader) globalName(name Sym, use Use) pos {
	m := r.top()
	at := r.at
	r.pushText(r.text())
	r.next()
	if r.is('.') && r.peek(1).Kind == lex.Name {
		r.next()
		at = r.at
		r.referMember(m, use)
		r.member(r.text())
		r.next()
		return at
	}
	r.referTo(name, 0, use, at)
	return at
}

// typeArgs reads the [K, V] behind a type's name. What the type holds is not known by its arguments.
func (r *goReader) typeArgs() {
	outer := r.open()
	m := r.top()
	for r.more() {
		at := r.at
		r.typ()
		r.past(at)
		r.drop(m)
	}
	r.shut(outer)
}

// typeBody reads the type that the definition d names.
func (r *goReader) typeBody(d int32) {
	keyword := r.word()
	literal := r.peekIs(1, '{')
	switch {
	case literal && keyword == lex.Struct:
		r.def(d).Kind = Struct
		r.next()
		r.signature(d)
		r.structBody(true)
	case literal && keyword == lex.Interface:
		r.def(d).Kind = Interface
		r.next()
		r.signature(d)
		r.interfaceBody(true)
	default:
		m := r.top()
		r.typ()
		r.def(d).Type = r.pop(m)
	}
}

// structBody reads the fields in the brackets at the cursor; as definitions when the type has a name.
func (r *goReader) structBody(named bool) {
	outer := r.open()
	if r.enter() {
		for r.more() {
			at := r.at
			r.field(named)
			r.past(at)
		}
		r.leave()
	} else {
		r.flat()
	}
	r.shut(outer)
}

// field reads one line of fields:
//
//	a, b int `tag`    *Embedded    pkg.Embedded[T]
func (r *goReader) field(named bool) {
	m, first, count := r.top(), r.at, 0
	if r.is('*') || r.is('(') || r.name() && r.endsTypeName() {
		r.embedded(named)
	} else {
		count = r.fieldNames()
		r.typ()
	}
	t := r.pop(m)
	if named {
		r.defineFields(first, count, t)
	} else {
		r.nameless(first, count)
	}
	for r.more() && !r.tok().First && !r.is(';') {
		r.next() // the tag
	}
	r.skip(';')
}

// fieldNames passes the names before a field's type and counts them.
func (r *goReader) fieldNames() int {
	count := 0
	for r.tok().Kind == lex.Name {
		count++
		r.next()
		if !r.skip(',') {
			break
		}
	}
	return count
}

// defineFields defines the first count names from first on, whose type has just been read.
func (r *goReader) defineFields(first pos, count int, t Sym) {
	for p := first; count > 0 && p < r.at; p++ {
		if r.token(p).Kind != lex.Name {
			continue
		}
		d := r.define(Field, p, p)
		r.def(d).Type = t
		r.finish(d)
		count--
	}
}

// nameless notes the first count names from first on as those of a type without a name.
func (r *goReader) nameless(first pos, count int) {
	for p := first; count > 0 && p < r.at; p++ {
		if r.token(p).Kind != lex.Name {
			continue
		}
		if s := r.site(p); s != nil {
			s.Nameless = true
		}
		count--
	}
}

// endsTypeName reports whether the line ends behind the possibly qualified type name at the cursor: whether the name
// is all of a field.
func (r *goReader) endsTypeName() bool {
	look := r.cursor
	look.next()
	if look.skip('.') {
		look.next()
	}
	if look.is('[') && !look.tok().First && !look.peekIs(1, ']') {
		args := look
		args.skipBrackets()
		if args.endsField() {
			return true
		}
	}
	return look.endsField()
}

// endsField reports whether a field of a struct ends before the cursor.
func (c *cursor) endsField() bool {
	t := c.tok()
	return t.First || t.Kind == lex.String || t.Is(';')
}

// embedded reads an embedded type, which is a base and a field at once.
func (r *goReader) embedded(named bool) {
	for r.is('*') || r.is('(') {
		r.next()
	}
	if r.tok().Kind != lex.Name {
		r.next()
		return
	}
	m, from := r.top(), r.at
	last := r.globalName(r.sym(), Inherit)
	if named {
		d := r.define(Field, last, from)
		r.def(d).Type = r.whole(m)
	}
	if r.is('[') && !r.tok().First {
		r.typeArgs()
	}
}

// interfaceBody reads the methods and embedded types in the brackets at the cursor.
func (r *goReader) interfaceBody(named bool) {
	outer := r.open()
	m := r.top()
	for r.more() {
		at := r.at
		switch {
		case r.tok().Kind == lex.Name && r.peekIs(1, '('):
			r.interfaceMethod(named)
		case named && r.name() && r.endsTypeName():
			r.embedded(false)
		default:
			r.union()
		}
		r.past(at)
		r.drop(m)
	}
	r.shut(outer)
}

// interfaceMethod reads Name(parameters) results.
func (r *goReader) interfaceMethod(named bool) {
	begin := r.beginScope()
	defer r.endScope(begin)
	at := r.at
	r.next()
	if !named {
		r.nameless(at, 1)
		r.parameters()
		return
	}
	d := r.define(Method, at, at)
	results := r.parameters()
	r.def(d).Type = results
	r.finish(d)
}
