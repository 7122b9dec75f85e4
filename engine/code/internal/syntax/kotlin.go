package syntax

import "sync"

// kotlinReader reads Kotlin.
type kotlinReader struct{ colon }

var kotlinDialect = sync.OnceValue(newKotlinDialect)

func newKotlinDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "fun", wClass: "class", wInterface: "interface", wObject: "object", wType: "typealias",
		wPackage: "package", wImport: "import", wVar: "val var",
		wIf: "if", wElse: "else", wFor: "for", wWhile: "while", wDo: "do", wSwitch: "when",
		wReturn: "return", wBreak: "break continue", wThis: "this", wSuper: "super",
		wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw",
		wAs: "as", wIn: "in", wIs: "is", wValue: "null true false",
		wDecl: "private public internal protected override abstract lateinit suspend sealed",
	}), "'", "\"`")
	d.special = tripleSpecial("${")
	d.nested = true
	return d
}

// kotlinModifiers are modifiers that are names where no definition follows.
var kotlinModifiers = sync.OnceValue(func() map[string]bool {
	return nameSet("actual annotation companion const data enum expect external final infix inline inner open operator " +
		"tailrec value vararg")
})

func (r *reader) readKotlin() {
	r.lex(kotlinDialect())
	c := &kotlinReader{newColon(r, true)}
	c.language = c
	c.statements()
}

// declaration reads local variables and the parameters of functions without a name.
func (r *kotlinReader) declaration() {
	switch r.word() {
	case noWord:
		r.lambdaParams(func(t *token) bool { return t.is(opArrow) })
	case wVar:
		r.property()
	}
}

// definition reads definitions, annotations and loops wherever they stand.
func (r *kotlinReader) definition() {
	t := r.tok()
	switch {
	case t.kind == tString:
		r.holes(r.at, r.this)
		return
	case t.is('@'):
		r.annotation()
		return
	}
	switch t.word {
	case wFunc:
		if r.peekWord(1) == wInterface { // fun interface
			r.next()
			r.typeDefinition(Interface)
			return
		}
		r.functionDefinition()
	case wClass:
		r.typeDefinition(Class)
	case wInterface:
		r.typeDefinition(Interface)
	case wObject:
		r.object()
	case wPackage:
		r.next()
		r.rows.Package = r.path()
	case wImport:
		r.importStatement()
	case wType:
		r.alias(func() {})
	case wVar:
		if r.defines() {
			r.property()
		}
	case wFor:
		if r.peekIs(1, '(') {
			r.loopInBrackets()
		}
	case noWord:
		r.softDefinition()
	}
}

// softDefinition reads what begins with a word that is a keyword here only.
func (r *kotlinReader) softDefinition() {
	switch {
	case r.tok().kind != tName:
	case r.peekIs(1, '('):
		if r.inClass() && r.soft("constructor") {
			r.constructor()
		}
	case r.peekIs(1, '{'):
		if r.soft("init") {
			r.next()
			r.body()
		}
	case r.isModifier(kotlinModifiers()):
		r.next()
	}
}

// closure notes the expressions in a string at the cursor, which it leaves to be read, and reads object: Base
// {…}.
func (r *kotlinReader) closure() {
	switch {
	case r.tok().kind == tString:
		r.holes(r.at, r.this)
	case r.word() == wObject && !r.peekName(1):
		r.object()
	}
}

// path passes a.b.c and answers it.
func (r *colon) path() Sym {
	m := r.top()
	for r.tok().kind == tName {
		r.pushText(r.text())
		r.next()
		if !r.is('.') || r.peek(1).kind != tName {
			break
		}
		r.pushString(".")
		r.next()
	}
	return r.popText(m)
}

// importStatement reads import a.b.C, import a.b.* and import a.b.C as D.
func (r *kotlinReader) importStatement() {
	r.next()
	path := r.names.Text(r.path())
	if path == "" {
		return
	}
	if r.is('.') && r.peekIs(1, '*') {
		r.imported(r.at, ImportRow{Module: r.names.InternString(path), Name: r.star()})
		r.advance(2)
		return
	}
	at := r.at - 1
	row := ImportRow{}
	row.Module, row.Name = r.split(path)
	row.Local = row.Name
	if r.word() == wAs {
		row.Local = r.peekSym(1)
		r.advance(2)
	}
	r.imported(at, row)
}

// functionDefinition reads fun <T> A.B<C>.name. Without a name it is a value.
func (r *kotlinReader) functionDefinition() {
	at := r.at
	f := callable{from: r.start(), generics: noPos}
	r.next()
	if r.is('<') {
		f.generics = r.at
		r.skipAngles()
	}
	f.receiver = r.receiver()
	if r.tok().kind != tName {
		r.at = at + 1
		return
	}
	f.name, f.symbol = r.at, r.sym()
	r.next()
	r.function(f)
}

// receiver passes the A.B<C>?. before the name of a function or property and answers A.B; 0: there is none.
func (r *kotlinReader) receiver() Sym {
	m := r.top()
	for r.tok().kind == tName {
		look := r.cursor
		r.next()
		r.skipAngles()
		for r.is('?') || r.is('!') {
			r.next()
		}
		if !r.is('.') && !r.is(opOptional) {
			r.cursor = look
			break
		}
		if !r.empty(m) {
			r.pushString(".")
		}
		r.pushText(look.text())
		r.next()
	}
	return r.pop(m)
}
