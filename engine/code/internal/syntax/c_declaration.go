package syntax

import "helve/engine/code/internal/syntax/internal/lex"

func (r *reader) readC(plus bool) {
	d := cDialect()
	if plus {
		d = cPlusPlusDialect()
	}
	r.lex(d)
	c := &cReader{curly: curly{reader: r, angles: plus}, plus: plus, class: noDef}
	c.language = c
	c.declarations()
}

// declarations reads the declarations of a file, namespace or class, up to the limit.
func (r *cReader) declarations() {
	if !r.enter() {
		r.flat()
		return
	}
	begin := r.beginScope()
	for r.more() {
		at := r.at
		r.oneDeclaration()
		r.past(at)
	}
	r.endScope(begin)
	r.leave()
}

// inside reads the declarations in the brackets at the cursor.
func (r *cReader) inside() {
	outer := r.open()
	r.declarations()
	r.shut(outer)
}

// oneDeclaration reads one declaration outside functions.
func (r *cReader) oneDeclaration() {
	switch t := r.tok(); {
	case t.Kind == lex.Directive:
		r.directive()
		r.next()
		return
	case t.Is('{'):
		r.inside()
		return
	case t.Is('['): // an attribute
		r.skipBrackets()
		return
	case t.Kind == lex.Punct && !t.Is('~') && !t.Is(lex.OpScope) && !t.Is('*'):
		r.next()
		return
	}
	switch r.word() {
	case lex.Extern:
		r.extern()
	case lex.Module:
		r.namespace()
	case lex.Template:
		r.template()
	case lex.Using:
		r.using()
	case lex.Friend:
		r.skipDeclaration()
	case lex.Pub:
		r.next()
	default:
		r.general()
	}
}

// extern reads extern "C" {…} and what is declared elsewhere.
func (r *cReader) extern() {
	if r.peek(1).Kind != lex.String {
		r.general()
		return
	}
	r.advance(2)
	if r.is('{') {
		r.inside()
	}
}

// skipDeclaration passes the declaration at the cursor with its semicolon or its body.
func (r *cReader) skipDeclaration() {
	for r.more() && !r.skip(';') {
		body := r.is('{')
		r.skipOne()
		if body && !r.is(';') {
			return
		}
	}
}

// namespace reads namespace a::b {…}; without a name, what stands in it belongs to what is around.
func (r *cReader) namespace() {
	from, name := r.at, noPos
	for r.next(); r.more() && !r.is('{') && !r.is(';') && !r.is('='); r.next() {
		if r.name() {
			name = r.at
		}
	}
	switch {
	case !r.is('{'):
		r.skipDeclaration()
	case name == noPos:
		r.inside()
	default:
		d := r.define(Module, name, from)
		r.signature(d)
		r.within(d, r.inside)
		r.finish(d)
	}
}

// template binds the parameters in template <typename T, int N> and reads what they are for.
func (r *cReader) template() {
	r.next()
	if !r.is('<') {
		return
	}
	begin := r.beginScope()
	defer r.endScope(begin)
	if !r.templateParams() || !r.enter() {
		return
	}
	r.oneDeclaration()
	r.leave()
}

// templateParams binds the names between the angle brackets at the cursor, and reports whether they are closed.
func (r *cReader) templateParams() bool {
	for depth := 0; r.more(); r.next() {
		switch {
		case r.is('<'):
			depth++
		case r.is('>'):
			if depth--; depth == 0 {
				r.next()
				return true
			}
		case r.is('{') || r.is(';'):
			return false
		case depth == 1 && r.name() && !r.peekIs(-1, '=') && (r.peekIs(1, ',') || r.peekIs(1, '>') || r.peekIs(1, '=')):
			r.bind(r.sym(), 0)
		case r.name() && !r.peekIs(-1, lex.OpScope) && !r.isLocal(r.sym()): // the type or default of one
			r.referName(r.sym(), Mention)
		}
	}
	r.next()
	return true
}

// using reads
//
//	using X = Y;    using namespace a::b;    using a::b::X;
func (r *cReader) using() {
	from := r.at
	if r.peekName(1) && r.peekIs(2, '=') {
		r.usingAlias(from)
		return
	}
	whole := r.peekWord(1) == lex.Module
	r.skipDeclaration()
	m, last := r.top(), noPos
	for p := from + 1; p < r.at; p++ {
		if !r.token(p).Name() {
			continue
		}
		if last != noPos {
			r.pushString(".")
		}
		r.pushText(r.textAt(p))
		last = p
	}
	row := ImportRow{Module: r.whole(m), Name: r.star()}
	if !whole {
		row.Name = r.symAt(last)
		row.Local = row.Name
	}
	r.drop(m)
	r.imported(from, row)
}

func (r *cReader) usingAlias(from pos) {
	r.next()
	d := r.define(Alias, r.at, from)
	r.advance(2)
	r.skipTypename()
	m := r.top()
	r.within(d, r.typeName)
	r.def(d).Type = r.pop(m)
	r.at = from
	r.skipDeclaration()
	r.finish(d)
}

// skipTypename passes words such as typename, const and struct before a type.
func (r *cReader) skipTypename() {
	for r.word() == lex.Typename || r.word() == lex.Decl || isShape(r.word()) {
		r.next()
	}
}

// general reads a declaration that begins with neither a keyword nor a bracket of its own.
func (r *cReader) general() {
	f := r.survey()
	switch {
	case f.macro:
		r.referAt(f.function, Call)
		r.at = f.params
		r.inBrackets()
	case f.members != noPos:
		r.shaped(f)
	case f.body != noPos:
		r.function(f)
	case f.function != noPos:
		r.prototype(f)
	default:
		r.variables(f)
	}
}
