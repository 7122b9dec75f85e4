package syntax

import (
	"strings"

	"helve/engine/code/internal/syntax/internal/lex"
)

func (r *reader) readECMA(path string) {
	d, angles := elementDialect(), strings.HasSuffix(path, "x")
	for _, plain := range []string{".ts", ".mts", ".cts"} {
		if strings.HasSuffix(path, plain) {
			d, angles = ecmaDialect(), true
		}
	}
	r.lex(d)
	e := &ecmaReader{curly: curly{reader: r, angles: angles, lines: true}, class: noDef, fields: map[member]int32{}}
	e.language = e
	if r.rows.Language == JavaScript {
		e.documented = true
		e.typedefs()
	}
	e.statements()
}

// declaration reads const, let, var, import and export, and assignments that define something.
func (r *ecmaReader) declaration() {
	switch r.word() {
	case lex.Const, lex.Let, lex.Var:
		r.variableStatement(r.at)
	case lex.Import:
		r.importStatement()
	case lex.Export:
		r.export()
	case lex.This:
		r.fieldAssigned()
	case lex.NoWord:
		if r.cur < 0 && r.name() && r.peekIs(1, '.') {
			r.memberAssigned()
		}
	}
}

// definition reads definitions wherever they stand: functions, classes, interfaces, arrow functions, methods of
// objects.
func (r *ecmaReader) definition() {
	t := r.tok()
	switch {
	case t.Is('(') || t.Is('<'):
		if r.isArrow() {
			r.function(noDef)
		}
		return
	case t.Is('@') && r.peek(1).Kind == lex.Name:
		r.decorator()
		return
	case t.Kind != lex.Name:
		return
	}
	switch t.Word {
	case lex.Func:
		r.functionDefinition(r.at)
	case lex.Class:
		r.classDefinition(r.at)
	case lex.Enum:
		r.enum(r.at)
	case lex.Catch:
		if r.peekIs(1, '(') {
			r.catch()
		}
	case lex.NoWord:
		r.softDefinition()
	}
}

// softDefinition reads what begins with a word that is a keyword here only: type, interface, namespace, async …
func (r *ecmaReader) softDefinition() {
	if r.peekIs(1, lex.OpFat) {
		r.function(noDef)
		return
	}
	if r.peekIs(-1, '.') {
		return
	}
	at := r.at
	if next := r.peek(1); !next.First && (next.Kind == lex.Name || next.Kind == lex.String || next.Is('(') || next.Is('<')) {
		r.softKeyword(next)
	}
	if r.at == at {
		r.property()
	}
}

// softKeyword reads a definition that begins with the name at the cursor, behind which next stands on the same line.
func (r *ecmaReader) softKeyword(next *lex.Token) {
	from, second := r.at, r.peek(2)
	switch string(r.text()) {
	case "async":
		r.async(next)
	case "interface":
		if next.Kind == lex.Name && (second.Is('{') || second.Is('<') || second.Word == lex.Extends) {
			r.interfaceDefinition()
		}
	case "type":
		if next.Kind == lex.Name && (second.Is('=') || second.Is('<')) {
			r.alias()
		}
	case "namespace", "module":
		if (next.Kind == lex.Name || next.Kind == lex.String) && (second.Is('{') || second.Is('.')) {
			r.namespace()
		}
	case "abstract", "declare":
		switch next.Word {
		case lex.Class:
			r.next()
			r.classDefinition(from)
		case lex.Const, lex.Let, lex.Var:
			r.next()
			r.variableStatement(from)
		}
	}
}

// async reads a function that begins with async.
func (r *ecmaReader) async(next *lex.Token) {
	from := r.at
	if next.Word == lex.Func {
		r.next()
		r.functionDefinition(from)
		return
	}
	r.next()
	arrow := r.isArrow()
	r.at = from
	if arrow {
		r.function(noDef)
	}
}

// catch reads catch (e) {…} and binds what is caught for the block.
func (r *ecmaReader) catch() {
	begin := r.beginScope()
	r.next()
	r.paramList(nil)
	if r.is('{') {
		r.body()
	}
	r.endScope(begin)
}

// property reads name: value and name() {…} inside an object.
func (r *ecmaReader) property() {
	if !r.beginsProperty() {
		return
	}
	at := r.at
	switch {
	case r.isAccessor() && r.peek(1).Kind == lex.Name:
		r.next() // the name follows
	case r.peekIs(1, ':'):
		r.next()
		r.next()
		if r.isFunction() {
			r.objectMethod(at)
		}
	case r.peekIs(1, '('):
		look := r.cursor
		look.next()
		look.skipBrackets()
		if look.is('{') && !look.tok().First {
			r.next()
			r.objectMethod(at)
		}
	}
}

// beginsProperty reports whether what stands before the name at the cursor may stand before a property.
func (r *ecmaReader) beginsProperty() bool {
	before := r.cursor
	before.at--
	if before.isAccessor() {
		before.at--
	}
	return before.is('{') || before.is(',')
}

// isAccessor reports whether a word stands at the cursor that goes before the name of a method.
func (c *cursor) isAccessor() bool { return c.soft("async") || c.soft("get") || c.soft("set") }

// maxImport bounds how far ahead the module of an import is looked for, in tokens.
const maxImport = 4096

// importStatement reads
//
//	import a, {b as c, type D} from "m"    import * as a from "m"    import "m"    import a = require("m")
//
// but no import("m") and no import.meta, which are expressions.
func (r *ecmaReader) importStatement() {
	if r.peekIs(1, '(') || r.peekIs(1, '.') {
		return
	}
	at := r.at
	r.next()
	if r.soft("type") && r.importsType() {
		r.next()
	}
	end := r.moduleAt()
	module := r.quotedOf(r.token(end))
	if module == 0 {
		r.at = at + 1
		return
	}
	add := func(name string, local Sym) {
		r.imported(at, ImportRow{Module: module, Name: r.names.InternString(name), Local: local})
	}
	if r.at == end {
		add("", 0)
	}
	for r.at < end {
		switch {
		case r.is('{'):
			r.importNames(module)
		case r.is('*'):
			add("*", r.peekSym(2))
			r.advance(3)
		case r.tok().Kind == lex.Name && !r.soft("from") && !r.soft("require"):
			name := "default"
			if r.peekIs(1, '=') {
				name = "*"
			}
			add(name, r.sym())
			r.next()
		default:
			r.next()
		}
	}
	r.at = end + 1
}

// importsType reports whether the type at the cursor is a word of the import, and not its name.
func (r *ecmaReader) importsType() bool {
	if r.peekName(1) {
		return !r.peekSoft(1, "from")
	}
	return r.peekIs(1, '{') || r.peekIs(1, '*')
}

// moduleAt is the place of the string that names the module, or of what ends an import without one.
func (r *ecmaReader) moduleAt() pos {
	look := r.cursor
	for look.more() && look.at < r.at+maxImport {
		t := look.tok()
		if t.Kind == lex.String || t.Is(';') || t.First && t.Word == lex.Import && look.at > r.at {
			break
		}
		look.next()
	}
	return look.at
}

// importNames reads {a, b as c, type D}.
func (r *ecmaReader) importNames(module Sym) {
	outer := r.open()
	for ; r.more(); r.next() {
		if r.soft("type") && r.peek(1).Kind == lex.Name {
			r.next()
		}
		if r.tok().Kind != lex.Name {
			continue
		}
		at := r.at
		row := ImportRow{Module: module, Name: r.sym(), Local: r.sym()}
		if r.peekSoft(1, "as") {
			row.Local = r.peekSym(2)
			r.advance(2)
		}
		r.imported(at, row)
	}
	r.shut(outer)
}

// export reads what is exported from elsewhere; else it passes the word, which says nothing about structure:
//
//	export * from "m"    export * as a from "m"    export {a as b} from "m"
func (r *ecmaReader) export() {
	at := r.at
	r.next()
	if r.soft("type") && r.peekIs(1, '{') {
		r.next()
	}
	switch {
	case r.skip('*'):
		row := ImportRow{Name: r.star()}
		if r.skipSoft("as") {
			row.Local = r.sym()
			r.next()
		}
		if r.skipSoft("from") {
			row.Module = r.quoted()
			r.next()
			r.imported(at, row)
			return
		}
	case r.is('{'):
		look := r.cursor
		look.skipBrackets()
		if look.skipSoft("from") {
			r.importNames(r.quotedOf(look.tok()))
			r.at = look.at + 1
			return
		}
	}
	r.at = at + 1
}
