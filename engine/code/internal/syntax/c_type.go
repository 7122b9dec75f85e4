package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// shaped reads a struct, union, enum or class with a body, and what it declares behind that:
//
//	struct A : B {…} a, *b;    typedef struct {…} A;
func (r *cReader) shaped(f found) {
	from := r.at
	name := r.shapeName(f)
	typedef := r.word() == lex.Typedef
	kind := cKinds[r.token(f.shape).Word]
	r.at = f.members
	end := r.closing()
	d := noDef
	switch {
	case name != noPos:
		d = r.define(kind, name, from)
		r.def(d).Owner = r.ownerBefore(name, from) // struct A::B
	case typedef && r.token(end+1).Name():
		d = r.define(kind, end+1, from)
	}
	r.members(d, f)
	if d >= 0 {
		r.finish(d)
	}
	r.declarators(d, typedef, name == noPos)
}

// shapeName is the place of the last name between the keyword and the body or bases of a type: annotations may stand
// before it.
func (r *cReader) shapeName(f found) pos {
	look := r.between(f.shape+1, f.members)
	name := noPos
	for ; look.more() && !look.is(':'); look.next() {
		switch {
		case look.word() == lex.Attribute && look.peekIs(1, '('):
			look.next()
			look.at = look.closing()
		case look.name() && !look.peekIs(1, '('):
			name = look.at
		case look.is('<'):
			look.at = r.lastAngle(look.at, f.members)
		case look.is('(') || look.is('['):
			look.at = look.closing()
		}
	}
	return name
}

// members reads the bases and the body of a type, which the cursor stands before.
func (r *cReader) members(d int32, f found) {
	was, class := r.cur, r.class
	if d >= 0 {
		r.cur = d
		r.signature(d)
	}
	if r.token(f.shape).Word == lex.Enum {
		r.enumerators()
	} else {
		r.at = f.shape
		r.bases(f.members)
		r.at = f.members
		if d >= 0 {
			r.class = d
		}
		r.inside()
	}
	r.cur, r.class = was, class
}

// bases refers to the base classes before end: : public A, private detail::B<T>.
func (r *cReader) bases(end pos) {
	outer := r.until(end)
	r.skipUntil(':', end)
	for r.next(); r.more(); {
		if !r.name() {
			r.next()
			continue
		}
		r.qualified(Inherit)
		r.typeArguments()
	}
	r.widen(outer)
}

// enumerators defines the constants in the brackets at the cursor: {A, B = x}.
func (r *cReader) enumerators() {
	outer := r.open()
	for r.more() {
		switch {
		case r.tok().Kind == lex.Directive:
			r.directive()
			r.next()
		case r.name():
			d := r.define(Member, r.at, r.at)
			r.next()
			value := r.at
			for r.more() && !r.is(',') && r.tok().Kind != lex.Directive {
				r.skipOne()
			}
			end := r.at
			r.at = value
			r.exprsUntil(end)
			r.at = end
			r.finish(d)
		default:
			r.next()
		}
	}
	r.shut(outer)
}

// declarators reads the names behind the body of the type d, up to the semicolon.
func (r *cReader) declarators(d int32, typedef, anonymous bool) {
	kind := r.variableKind(typedef)
	named := typedef && anonymous && d >= 0 // the first name is the type's own
	for r.more() && !r.is(';') {
		switch {
		case r.is('}') || r.tok().Kind == lex.Directive:
			return
		case r.word() == lex.Attribute || r.macroCall():
			r.next()
			r.skipBrackets()
		case r.name() && named:
			named = false
			r.next()
		case r.name() && !r.macroWord():
			def := r.define(kind, r.at, r.at)
			if d >= 0 {
				r.def(def).Type = r.def(d).Name
			}
			r.next()
		case r.is('='):
			end := r.statementEnd()
			r.next()
			r.exprsUntil(end)
			return
		default:
			r.skipOne()
		}
	}
	if r.more() {
		r.next()
	}
}

// variableKind is what a declaration that is no function declares here.
func (r *cReader) variableKind(typedef bool) Kind {
	switch {
	case typedef:
		return Alias
	case r.class >= 0:
		return Field
	}
	return Variable
}

// macroCall reports whether a macro with arguments stands at the cursor, such as __aligned(8).
func (r *cReader) macroCall() bool { return r.name() && r.peekIs(1, '(') && r.macroLike(r.at) }

// macroWord reports whether the name at the cursor is an annotation such as __packed.
func (r *cReader) macroWord() bool { return isMacroWord(&r.cursor) }

func isMacroWord(c *cursor) bool {
	text := c.text()
	return len(text) > 2 && text[0] == '_' && text[1] == '_' && !c.peekIs(1, ';') && !c.peekIs(1, ',')
}

// variables reads a declaration of variables, fields or a typedef, of which f was found out:
//
//	static T *a = x, b[3];    typedef T A;    extern T a;    struct A;
func (r *cReader) variables(f found) {
	from := r.at
	if from == f.end {
		r.next()
		return
	}
	typedef := r.word() == lex.Typedef
	end := r.declarationEnd(f)
	if r.isForward(f) {
		m := r.top()
		r.specifiers(f.end)
		r.drop(m)
		r.at = end
		return
	}
	name := f.pointer
	if name == noPos {
		name = r.declaredName(f.end)
	}
	if name <= from {
		r.loneName(f.end)
		r.at = end
		return
	}
	m := r.top()
	r.specifiers(name)
	t := r.pop(m)
	kind := r.variableKind(typedef)
	owner := Sym(0)
	if kind == Variable {
		owner = r.ownerBefore(name, from)
	}
	if owner != 0 { // const int A::limit = 1;
		kind = Field
	}
	d := r.define(kind, name, from)
	r.def(d).Type, r.def(d).Owner = t, owner
	r.at = f.end
	if r.skip('=') {
		value := r.find(',', r.at, end)
		r.within(d, func() { r.exprsUntil(value) })
	}
	r.at = end
	r.finish(d)
	r.at = f.end
	r.moreNames(end, kind, t)
	r.at = end
}

// declarationEnd is the place behind the declaration at the cursor.
func (r *cReader) declarationEnd(f found) pos {
	from := r.at
	r.at = f.end
	if !r.more() || r.is('}') || r.is(')') {
		r.at = from
		return max(f.end, from+1)
	}
	end := r.statementEnd()
	r.at = from
	return end
}

// isForward reports whether something is declared that is defined elsewhere: struct A; and extern T a;
func (r *cReader) isForward(f found) bool {
	if f.shape != noPos && r.token(f.shape+1).Name() && r.token(f.shape+2).Is(';') {
		return true
	}
	return r.word() == lex.Extern && r.class < 0 && !r.token(f.end).Is('=')
}

// loneName reads the call of a macro that stands alone.
func (r *cReader) loneName(end pos) {
	if r.name() {
		r.referName(r.sym(), Mention)
		r.next()
		r.exprsUntil(end)
	}
}

// declaredName is the last name before end that is not an annotation or inside brackets, or the cursor when there is
// none.
func (r *cReader) declaredName(end pos) pos {
	look := r.between(r.at, end)
	last := r.at
	for ; look.more(); look.next() {
		switch t := look.tok(); {
		case t.Opens():
			look.at = look.closing()
		case t.Is('<') && r.plus:
			look.at = r.lastAngle(look.at, end)
		case t.Is(':') && look.at > r.at && look.peekName(-1): // a bit field
			return look.at - 1
		case t.Name() && !(last > r.at && r.isAnnotation(look.at)):
			last = look.at
		}
	}
	return last
}

// isAnnotation reports whether the name at p, behind that of a variable, is an annotation: __packed or GUARDED_BY(m).
func (r *cReader) isAnnotation(p pos) bool {
	look := r.cursor
	look.at = p
	return isMacroWord(&look) || look.peekIs(1, '(') && r.macroLike(p)
}

// moreNames defines the second and later names of a declaration, up to end.
func (r *cReader) moreNames(end pos, kind Kind, t Sym) {
	for r.at = r.find(',', r.at, end); r.at < end; {
		r.next()
		next := r.find(',', r.at, end)
		name := noPos
		for r.at < next && !r.is('=') && !r.is(';') && !r.is(':') && !r.is('[') {
			if name == noPos && r.name() {
				name = r.at
			}
			r.next()
		}
		if name != noPos {
			d := r.define(kind, name, name)
			r.def(d).Type = t
			if r.at < next && r.skip('=') {
				r.within(d, func() { r.exprsUntil(next) })
			}
		}
		r.at = next
	}
}
