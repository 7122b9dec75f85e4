package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// kotlinReader reads Kotlin.
type kotlinReader struct{ colon }

var kotlinDialect = sync.OnceValue(newKotlinDialect)

func newKotlinDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "fun", lex.Class: "class", lex.Interface: "interface", lex.Object: "object", lex.Type: "typealias",
		lex.Package: "package", lex.Import: "import", lex.Var: "val var",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while", lex.Do: "do", lex.Switch: "when",
		lex.Return: "return", lex.Break: "break continue", lex.This: "this", lex.Super: "super",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw",
		lex.As: "as", lex.In: "in", lex.Is: "is", lex.Value: "null true false",
		lex.Decl: "private public internal protected override abstract lateinit suspend sealed",
	}), "'", "\"`")
	d.Special = lex.TripleSpecial("${")
	d.Nested = true
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
	case lex.NoWord:
		r.lambdaParams(func(t *lex.Token) bool { return t.Is(lex.OpArrow) })
	case lex.Var:
		r.property()
	}
}

// definition reads definitions, annotations and loops wherever they stand.
func (r *kotlinReader) definition() {
	t := r.tok()
	switch {
	case t.Kind == lex.String:
		r.holes(r.at, r.this)
		return
	case t.Is('@'):
		r.annotation()
		return
	}
	switch t.Word {
	case lex.Func:
		if r.peekWord(1) == lex.Interface { // fun interface
			r.next()
			r.typeDefinition(Interface)
			return
		}
		r.functionDefinition()
	case lex.Class:
		r.typeDefinition(Class)
	case lex.Interface:
		r.typeDefinition(Interface)
	case lex.Object:
		r.object()
	case lex.Package:
		r.next()
		r.rows.Package = r.path()
	case lex.Import:
		r.importStatement()
	case lex.Type:
		r.alias(func() {})
	case lex.Var:
		if r.defines() {
			r.property()
		}
	case lex.For:
		if r.peekIs(1, '(') {
			r.loopInBrackets()
		}
	case lex.NoWord:
		r.softDefinition()
	}
}

// softDefinition reads what begins with a word that is a keyword here only.
func (r *kotlinReader) softDefinition() {
	switch {
	case r.tok().Kind != lex.Name:
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
	case r.tok().Kind == lex.String:
		r.holes(r.at, r.this)
	case r.word() == lex.Object && !r.peekName(1):
		r.object()
	}
}

// path passes a.b.c and answers it.
func (r *colon) path() Sym {
	m := r.top()
	for r.tok().Kind == lex.Name {
		r.pushText(r.text())
		r.next()
		if !r.is('.') || r.peek(1).Kind != lex.Name {
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
	if r.word() == lex.As {
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
	if r.tok().Kind != lex.Name {
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
	for r.tok().Kind == lex.Name {
		look := r.cursor
		r.next()
		r.skipAngles()
		for r.is('?') || r.is('!') {
			r.next()
		}
		if !r.is('.') && !r.is(lex.OpOptional) {
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

// typeDefinition reads class and interface.
func (r *kotlinReader) typeDefinition(kind Kind) {
	from := r.start()
	if kind == Class && r.peekSoft(-1, "enum") {
		kind = Enum
	}
	r.next()
	if r.name() {
		r.typeNamed(kind, from, func(d int32) { r.typeRest(d, kind) })
	}
}

// typeRest reads the primary constructor, the bases and the body of a type.
func (r *kotlinReader) typeRest(d int32, kind Kind) {
	r.constructorWord()
	if r.is('(') {
		r.params()
	}
	r.heritage()
	r.signature(d)
	if !r.is('{') {
		r.skip(';')
		return
	}
	outer := r.open()
	if kind == Enum {
		r.entries()
	}
	r.statements()
	r.shut(outer)
}

// constructorWord passes @Inject internal constructor before the parameters of a class, which may stand on lines of
// their own. Without that word, annotations and modifiers belong to what comes next.
func (r *kotlinReader) constructorWord() {
	look := r.cursor
	for look.is('@') || look.word() == lex.Decl {
		if !look.skip('@') {
			look.next()
			continue
		}
		look.next()
		for look.is('.') {
			look.advance(2)
		}
		if look.is('(') && !look.tok().First {
			look.skipBrackets()
		}
	}
	if !look.soft("constructor") {
		return
	}
	for r.at < look.at {
		at := r.at
		if r.is('@') {
			r.annotation()
		}
		r.past(at)
	}
	r.next()
}

// object reads object Name, whose members a companion shares with the class around, and object: Base {…}, a
// value.
func (r *kotlinReader) object() {
	from, companion := r.start(), r.peekSoft(-1, "companion")
	r.next()
	switch {
	case r.name():
		r.typeNamed(Class, from, func(d int32) { r.typeRest(d, Class) })
	case companion:
		r.heritage()
		if r.is('{') {
			r.body()
		}
	default:
		from := r.at
		r.heritage()
		if r.is('{') {
			r.withoutName(r.basesBetween(from, r.at), func() { r.nested("") })
		}
	}
}

// nested reads the body at the cursor, of what is no type that has a name. this is what that word means in it.
func (r *kotlinReader) nested(this string) {
	class, owner, outer := r.class, r.owner, r.this
	r.class, r.owner, r.this = noDef, 0, this
	r.body()
	r.class, r.owner, r.this = class, owner, outer
}

// entries defines the entries of an enum: A, B(1), C { fun f() {} }. The cursor then stands before its members.
func (r *kotlinReader) entries() {
	for r.more() && !r.is(';') {
		if at := r.at; r.is('@') {
			r.annotation()
			r.past(at)
			continue
		}
		if !r.name() {
			return
		}
		d := r.define(Member, r.at, r.at)
		r.next()
		if r.is('(') {
			r.inBrackets()
		}
		if r.is('{') {
			enum := r.def(r.cur).Name
			r.within(d, func() { r.withoutName(enum, func() { r.nested(r.this) }) })
		}
		r.finish(d)
		if !r.skip(',') {
			return
		}
	}
}

// constructor reads constructor(a: A) : this(a) {…}.
func (r *kotlinReader) constructor() {
	d := r.define(Constructor, r.at, r.at)
	r.next()
	begin, m := r.beginScope(), r.top()
	r.within(d, func() {
		r.params()
		if r.skip(':') {
			r.value()
			r.drop(m)
		}
		if r.is('{') {
			r.body()
		}
	})
	r.endScope(begin)
	r.finish(d)
}

// property reads val a: T = x, val (a, b) = x, val A.b: T get() = x, and such variables.
func (r *kotlinReader) property() {
	from := r.start()
	r.next()
	switch {
	case r.is('('):
		pattern := r.at
		r.skipBrackets()
		r.variable(from, noPos, pattern, r.noMore)
	case r.tok().Kind == lex.Name:
		for r.peekIs(1, '.') && r.peek(2).Kind == lex.Name { // of an extension
			r.advance(2)
		}
		r.next()
		r.variable(from, r.at-1, noPos, r.noMore)
	}
}

func (r *colon) noMore(int32) {}

// loopInBrackets reads for (x in xs) {…}.
func (r *kotlinReader) loopInBrackets() {
	begin := r.beginScope()
	r.next()
	outer := r.open()
	r.loopHead()
	r.shut(outer)
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}
