package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// swiftReader reads Swift.
type swiftReader struct{ colon }

var swiftDialect = sync.OnceValue(newSwiftDialect)

func newSwiftDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "func", lex.Init: "init deinit subscript", lex.Class: "class", lex.Struct: "struct", lex.Enum: "enum",
		lex.Interface: "protocol", lex.Extension: "extension", lex.Import: "import",
		lex.Type: "typealias associatedtype",
		lex.Var:  "let var", lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while repeat",
		lex.Switch: "switch", lex.Case: "case", lex.Default: "default", lex.Return: "return",
		lex.Break: "break continue fallthrough",
		lex.This:  "self Self", lex.Super: "super", lex.Try: "try do", lex.Catch: "catch", lex.Throw: "throw",
		lex.Throws: "throws rethrows", lex.As: "as", lex.In: "in", lex.Is: "is", lex.Guard: "guard", lex.Await: "await",
		lex.Where: "where", lex.Value: "nil true false", lex.Decl: "static public private fileprivate internal inout",
	}), "", "\"`#")
	d.Special = lex.TripleSpecial("\\(")
	d.Nested = true
	return d
}

// swiftModifiers are modifiers that are names where no definition follows.
var swiftModifiers = sync.OnceValue(func() map[string]bool {
	return nameSet("borrowing consuming convenience distributed dynamic final indirect infix isolated lazy mutating " +
		"nonisolated nonmutating open optional override package postfix prefix required unowned weak")
})

func (r *reader) readSwift() {
	r.lex(swiftDialect())
	c := &swiftReader{newColon(r, true)}
	c.language = c
	c.statements()
}

// declaration reads local variables, loops and the parameters of functions without a name.
func (r *swiftReader) declaration() {
	switch r.word() {
	case lex.NoWord:
		r.lambdaParams(func(t *lex.Token) bool { return t.Word == lex.In })
	case lex.Var:
		r.property()
	case lex.If, lex.While, lex.Guard:
		if r.peekWord(1) == lex.Var {
			r.next()
			r.property()
		}
	case lex.For:
		r.loop()
	}
}

// definition reads definitions and annotations wherever they stand.
func (r *swiftReader) definition() {
	t := r.tok()
	switch {
	case t.Kind == lex.String:
		r.holes(r.at, r.this)
		return
	case t.Is('@'):
		r.annotation()
		return
	}
	if kind := swiftTypes[t.Word]; kind != Other {
		r.typeDefinition(kind)
		return
	}
	r.otherDefinition(t.Word)
}

// swiftTypes are the keywords before the name of a type.
var swiftTypes = [256]Kind{lex.Class: Class, lex.Struct: Struct, lex.Enum: Enum, lex.Interface: Interface}

// otherDefinition reads all definitions but those of types.
func (r *swiftReader) otherDefinition(w lex.Word) {
	switch w {
	case lex.Func:
		r.functionDefinition()
	case lex.Init:
		if r.inClass() || r.owner != 0 {
			r.initialiser()
		}
	case lex.Extension:
		r.extension()
	case lex.Import:
		r.importStatement()
	case lex.Type:
		r.alias(func() {})
	case lex.Case:
		if r.inClass() && r.def(r.class).Kind == Enum {
			r.cases()
		}
	case lex.Var:
		if r.defines() {
			r.property()
		}
	case lex.Decl:
		if r.peekIs(1, '(') && r.peekSoft(2, "set") { // private(set)
			r.next()
			r.skipBrackets()
		}
	case lex.NoWord:
		r.softDefinition()
	}
}

// softDefinition reads actor A, whose keyword is one here only, and passes modifiers.
func (r *swiftReader) softDefinition() {
	if r.tok().Kind != lex.Name || r.peek(1).Kind != lex.Name {
		return
	}
	switch {
	case r.soft("actor") && r.peekName(1) && (r.peekIs(2, '{') || r.peekIs(2, ':')):
		r.typeDefinition(Class)
	case r.isModifier(swiftModifiers()):
		r.next()
	}
}

// closure notes the expressions in a string at the cursor, which it leaves to be read.
func (r *swiftReader) closure() {
	if r.tok().Kind == lex.String {
		r.holes(r.at, r.this)
	}
}

// importStatement reads import A.B and import struct A.B.
func (r *swiftReader) importStatement() {
	r.next()
	switch r.word() {
	case lex.Struct, lex.Class, lex.Func, lex.Enum, lex.Interface, lex.Var, lex.Type:
		r.next()
	}
	at := r.at
	r.imported(at, ImportRow{Module: r.path()})
}

// functionDefinition reads func name, and func with an operator for a name.
func (r *swiftReader) functionDefinition() {
	from := r.start()
	r.next()
	if r.is('(') || !r.more() {
		return
	}
	name, symbol := r.at, r.sym()
	r.next()
	if symbol == 0 { // static func <= (a: A), prefix func ~ <T>(…)
		for r.more() && !r.is('(') && !r.beginsGenerics() {
			r.next()
		}
		symbol = r.names.Intern(r.src[r.token(name).Start:r.token(r.at-1).End])
	}
	r.function(callable{from: from, name: name, symbol: symbol, generics: noPos})
}

// beginsGenerics tells the < before type parameters from one in an operator.
func (r *swiftReader) beginsGenerics() bool {
	return r.is('<') && (r.tok().Start != r.peek(-1).End || r.peekName(1))
}

// initialiser reads init?(a: A) {…}, deinit and subscript.
func (r *swiftReader) initialiser() {
	at := r.at
	r.next()
	for r.is('?') || r.is('!') {
		r.next()
	}
	if !r.is('(') && !r.is('<') && !r.is('{') {
		r.at = at
		return
	}
	d := r.define(Constructor, at, at)
	r.owned(d)
	begin := r.beginScope()
	r.within(d, func() { r.functionRest(d) })
	r.endScope(begin)
	r.finish(d)
}

// typeDefinition reads class, struct, enum, protocol and actor. class func and class var are no types.
func (r *swiftReader) typeDefinition(kind Kind) {
	from := r.start()
	r.next()
	if r.name() {
		r.typeNamed(kind, from, r.typeRest)
	}
}

// typeRest reads the bases and the body of a type.
func (r *swiftReader) typeRest(d int32) {
	r.heritage()
	r.signature(d)
	if r.is('{') {
		r.body()
	}
}

// extension reads extension Type: P where … {…}, which adds to Type; P is a base of it.
func (r *swiftReader) extension() {
	r.next()
	open := r.bodyAhead()
	if open == noPos {
		return
	}
	outer := r.until(open)
	path, name := r.typePath()
	r.within(r.typeHere(name), r.heritage)
	r.widen(outer)
	r.at = open
	r.members(path, name)
}

// cases defines the cases of an enum: case a, b(T), c = 1.
func (r *swiftReader) cases() {
	r.next()
	for r.tok().Kind == lex.Name {
		r.define(Member, r.at, r.at)
		r.next()
		if r.is('(') {
			m := r.top()
			r.tuple()
			r.drop(m)
		}
		if r.is('=') {
			r.advance(2)
		}
		if !r.skip(',') {
			return
		}
	}
}

// property reads let a: T = x, var a: T {…}, let (a, b) = x, and such variables.
func (r *swiftReader) property() {
	from := r.start()
	r.next()
	switch {
	case r.is('('):
		pattern := r.at
		r.skipBrackets()
		r.variable(from, noPos, pattern, r.accessors)
	case r.tok().Kind == lex.Name:
		r.next()
		r.variable(from, r.at-1, noPos, r.accessors)
	}
}

// accessors reads the body of a computed property, or what watches one.
func (r *swiftReader) accessors(int32) {
	if r.is('{') {
		r.body()
	}
}
