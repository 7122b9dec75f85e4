package syntax

import "sync"

// swiftReader reads Swift.
type swiftReader struct{ colon }

var swiftDialect = sync.OnceValue(newSwiftDialect)

func newSwiftDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "func", wInit: "init deinit subscript", wClass: "class", wStruct: "struct", wEnum: "enum",
		wInterface: "protocol", wExtension: "extension", wImport: "import", wType: "typealias associatedtype",
		wVar: "let var", wIf: "if", wElse: "else", wFor: "for", wWhile: "while repeat",
		wSwitch: "switch", wCase: "case", wDefault: "default", wReturn: "return", wBreak: "break continue fallthrough",
		wThis: "self Self", wSuper: "super", wTry: "try do", wCatch: "catch", wThrow: "throw",
		wThrows: "throws rethrows", wAs: "as", wIn: "in", wIs: "is", wGuard: "guard", wAwait: "await",
		wWhere: "where", wValue: "nil true false", wDecl: "static public private fileprivate internal inout",
	}), "", "\"`#")
	d.special = tripleSpecial("\\(")
	d.nested = true
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
	case noWord:
		r.lambdaParams(func(t *token) bool { return t.word == wIn })
	case wVar:
		r.property()
	case wIf, wWhile, wGuard:
		if r.peekWord(1) == wVar {
			r.next()
			r.property()
		}
	case wFor:
		r.loop()
	}
}

// definition reads definitions and annotations wherever they stand.
func (r *swiftReader) definition() {
	t := r.tok()
	switch {
	case t.kind == tString:
		r.holes(r.at, r.this)
		return
	case t.is('@'):
		r.annotation()
		return
	}
	if kind := swiftTypes[t.word]; kind != Other {
		r.typeDefinition(kind)
		return
	}
	r.otherDefinition(t.word)
}

// swiftTypes are the keywords before the name of a type.
var swiftTypes = [256]Kind{wClass: Class, wStruct: Struct, wEnum: Enum, wInterface: Interface}

// otherDefinition reads all definitions but those of types.
func (r *swiftReader) otherDefinition(w word) {
	switch w {
	case wFunc:
		r.functionDefinition()
	case wInit:
		if r.inClass() || r.owner != 0 {
			r.initialiser()
		}
	case wExtension:
		r.extension()
	case wImport:
		r.importStatement()
	case wType:
		r.alias(func() {})
	case wCase:
		if r.inClass() && r.def(r.class).Kind == Enum {
			r.cases()
		}
	case wVar:
		if r.defines() {
			r.property()
		}
	case wDecl:
		if r.peekIs(1, '(') && r.peekSoft(2, "set") { // private(set)
			r.next()
			r.skipBrackets()
		}
	case noWord:
		r.softDefinition()
	}
}

// softDefinition reads actor A, whose keyword is one here only, and passes modifiers.
func (r *swiftReader) softDefinition() {
	if r.tok().kind != tName || r.peek(1).kind != tName {
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
	if r.tok().kind == tString {
		r.holes(r.at, r.this)
	}
}

// importStatement reads import A.B and import struct A.B.
func (r *swiftReader) importStatement() {
	r.next()
	switch r.word() {
	case wStruct, wClass, wFunc, wEnum, wInterface, wVar, wType:
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
		symbol = r.names.Intern(r.src[r.token(name).start:r.token(r.at-1).end])
	}
	r.function(callable{from: from, name: name, symbol: symbol, generics: noPos})
}

// beginsGenerics tells the < before type parameters from one in an operator.
func (r *swiftReader) beginsGenerics() bool {
	return r.is('<') && (r.tok().start != r.peek(-1).end || r.peekName(1))
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
