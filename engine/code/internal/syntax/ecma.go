package syntax

import (
	"strings"
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// ecmaReader reads JavaScript and TypeScript, with and without JSX.
type ecmaReader struct {
	curly
	class int32 // the class around the cursor, or noDef
	// fields are those of classes: one is defined where it is first assigned.
	fields map[member]int32

	typed  typedValue
	result Sym // of the function around the cursor, as it declares it

	documented bool            // comments say types
	doc        docComment      // before the function that is read next
	imports    map[string]bool // what comments took out of modules

	callback  callback // whose parameters are read
	callbacks string   // what parameters of the function that is read take
}

var (
	ecmaDialect = sync.OnceValue(func() *lex.Dialect { return newECMADialect("`#", lex.EcmaSpecial) })
	// elementDialect is for files that may hold JSX, where <T>x is an element and no type assertion.
	elementDialect = sync.OnceValue(func() *lex.Dialect { return newECMADialect("`#<", lex.ElementSpecial) })
)

func newECMADialect(special string, f func(*lex.Lexer, int) int) *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "function", lex.Class: "class", lex.Enum: "enum", lex.Var: "var", lex.Const: "const", lex.Let: "let",
		lex.Import: "import", lex.Export: "export", lex.Extends: "extends",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while", lex.Do: "do",
		lex.Switch: "switch", lex.Case: "case", lex.Default: "default",
		lex.Return: "return yield", lex.Break: "break continue debugger",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw",
		lex.New: "new", lex.This: "this", lex.Super: "super", lex.Await: "await",
		lex.In: "in instanceof", lex.Del: "delete typeof void",
		lex.Value: "null undefined true false NaN Infinity",
	}), "'\"", special)
	d.Regex = true
	d.Special = f
	return d
}

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
