package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// function reads function and fn, with a name or without.
func (r *phpReader) function() {
	from := r.at
	r.next()
	r.skip('&')
	begin := r.beginScope()
	defer r.endScope(begin)
	if r.tok().Kind != lex.Name {
		r.functionRest(noDef)
		return
	}
	kind := Function
	nameless := r.inNameless()
	if r.inClass() || nameless {
		kind = Method
		if r.soft("__construct") {
			kind = Constructor
		}
	}
	for from > 0 && (r.token(from-1).Word == lex.Decl || string(r.textAt(from-1)) == "static") {
		from--
	}
	d := r.define(kind, r.at, from)
	if nameless {
		r.standsIn(d, r.nameless.bases)
	}
	r.next()
	r.doc = r.docBefore(from)
	r.within(d, func() { r.functionRest(d) })
	r.finish(d)
}

// functionRest reads parameters, result and body of a function.
func (r *phpReader) functionRest(d int32) {
	doc := r.doc
	r.doc = nil // that of others inside is theirs
	if r.is('(') {
		outer := r.open()
		for r.more() {
			r.param(doc)
		}
		r.shut(outer)
	}
	if r.word() == lex.Use && r.peekIs(1, '(') {
		r.next()
		r.skipBrackets()
	}
	m := r.top()
	if r.skip(':') {
		r.typ()
	}
	t := r.pop(m)
	if t == 0 && doc != nil {
		t = r.docType(doc.tag("", "return", "returns"), phpDocTypes(), r.this)
	}
	if d != noDef {
		r.def(d).Type = t
		r.signature(d)
	}
	class := r.class
	r.class = noDef
	switch {
	case r.is('{'):
		r.body()
	case r.is(lex.OpFat):
		r.next()
		r.value()
		r.drop(m)
	case r.is(';'):
		r.next()
	}
	r.class = class
}

// param reads a parameter up to its comma, and binds it. One with a modifier is a field of the class, too.
func (r *phpReader) param(doc docComment) {
	field := false
	for r.skipWord(lex.Decl) {
		field = true
	}
	if r.is('#') && r.peekIs(1, '[') {
		r.next()
		r.skipBrackets()
		return
	}
	m := r.top()
	r.typ()
	t := r.pop(m)
	for r.more() && !r.variable() && !r.is(',') {
		r.next()
	}
	if r.variable() {
		if t == 0 && doc != nil {
			t = r.docType(doc.tag(string(r.text()), "param"), phpDocTypes(), r.this)
		}
		r.bind(r.sym(), t)
		if field && r.cur != noDef {
			r.field(r.at, t, r.def(r.cur).Parent)
		}
		r.next()
		r.exprsUntil(r.find(',', r.at, pos(len(r.view))))
	}
	r.next() // the comma
}

// typ reads a type: the first class that it names.
func (r *phpReader) typ() {
	m := r.top()
	for r.inType() {
		rest := r.top()
		r.typePart()
		if rest > m {
			r.drop(rest)
		}
	}
}

// inType reports whether a part of a type stands at the cursor.
func (r *phpReader) inType() bool {
	t := r.tok()
	if t.Kind == lex.Name {
		return !r.variable()
	}
	return t.Is('?') || t.Is('|') || t.Is('&') || t.Is('\\') || t.Is('(')
}

// typePart reads a name in a type, or what stands between two.
func (r *phpReader) typePart() {
	switch w := r.word(); {
	case w == lex.This:
		r.pushThis("")
		r.next()
	case r.tok().Kind != lex.Name, w != lex.NoWord, phpPrimitives()[string(r.text())]:
		r.next()
	default:
		r.typeName()
	}
}

var phpPrimitives = sync.OnceValue(func() map[string]bool {
	return nameSet("int string bool float array mixed void object callable iterable never null false true")
})

// isMethodPair reports whether [$this, 'name'] stands at the cursor, or array(X::class, 'name'): to what calls
// functions it is the method of that name.
func (r *phpReader) isMethodPair() bool {
	look := r.cursor
	if look.soft("array") {
		look.next()
	}
	if !look.is('[') && (look.at == r.at || !look.is('(')) {
		return false
	}
	look.open()
	last := pos(len(look.view)) - 1
	return last >= look.at+2 && look.view[last].Kind == lex.String && look.find(',', look.at, last) == last-1
}

// methodPair reads the pair at the cursor.
func (r *phpReader) methodPair() {
	r.skipSoft("array")
	outer, m := r.open(), r.top()
	r.value()
	if text := r.peekText(1); r.is(',') && r.known(m) && isQuotedName(text) {
		r.referTo(r.names.Intern(text[1:len(text)-1]), r.whole(m), Mention, r.at+1)
	}
	r.exprs()
	r.drop(m)
	r.shut(outer)
}

// isQuotedName reports whether text is a name between quotes.
func isQuotedName(text []byte) bool {
	if len(text) < 3 || text[0] != text[len(text)-1] {
		return false
	}
	for i, c := range text[1 : len(text)-1] {
		if c >= '0' && c <= '9' && i > 0 || c >= 0x80 || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			continue
		}
		return false
	}
	return true
}
