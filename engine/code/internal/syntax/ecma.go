package syntax

import (
	"strings"
	"sync"
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
	ecmaDialect = sync.OnceValue(func() *dialect { return newECMADialect("`#", ecmaSpecial) })
	// elementDialect is for files that may hold JSX, where <T>x is an element and no type assertion.
	elementDialect = sync.OnceValue(func() *dialect { return newECMADialect("`#<", elementSpecial) })
)

func newECMADialect(special string, f func(*lexer, int) int) *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function", wClass: "class", wEnum: "enum", wVar: "var", wConst: "const", wLet: "let",
		wImport: "import", wExport: "export", wExtends: "extends",
		wIf: "if", wElse: "else", wFor: "for", wWhile: "while", wDo: "do",
		wSwitch: "switch", wCase: "case", wDefault: "default",
		wReturn: "return yield", wBreak: "break continue debugger",
		wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw",
		wNew: "new", wThis: "this", wSuper: "super", wAwait: "await",
		wIn: "in instanceof", wDel: "delete typeof void",
		wValue: "null undefined true false NaN Infinity",
	}), "'\"", special)
	d.regex = true
	d.special = f
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
	case wConst, wLet, wVar:
		r.variableStatement(r.at)
	case wImport:
		r.importStatement()
	case wExport:
		r.export()
	case wThis:
		r.fieldAssigned()
	case noWord:
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
	case t.is('(') || t.is('<'):
		if r.isArrow() {
			r.function(noDef)
		}
		return
	case t.is('@') && r.peek(1).kind == tName:
		r.decorator()
		return
	case t.kind != tName:
		return
	}
	switch t.word {
	case wFunc:
		r.functionDefinition(r.at)
	case wClass:
		r.classDefinition(r.at)
	case wEnum:
		r.enum(r.at)
	case wCatch:
		if r.peekIs(1, '(') {
			r.catch()
		}
	case noWord:
		r.softDefinition()
	}
}

// softDefinition reads what begins with a word that is a keyword here only: type, interface, namespace, async …
func (r *ecmaReader) softDefinition() {
	if r.peekIs(1, opFat) {
		r.function(noDef)
		return
	}
	if r.peekIs(-1, '.') {
		return
	}
	at := r.at
	if next := r.peek(1); !next.nl && (next.kind == tName || next.kind == tString || next.is('(') || next.is('<')) {
		r.softKeyword(next)
	}
	if r.at == at {
		r.property()
	}
}

// softKeyword reads a definition that begins with the name at the cursor, behind which next stands on the same line.
func (r *ecmaReader) softKeyword(next *token) {
	from, second := r.at, r.peek(2)
	switch string(r.text()) {
	case "async":
		r.async(next)
	case "interface":
		if next.kind == tName && (second.is('{') || second.is('<') || second.word == wExtends) {
			r.interfaceDefinition()
		}
	case "type":
		if next.kind == tName && (second.is('=') || second.is('<')) {
			r.alias()
		}
	case "namespace", "module":
		if (next.kind == tName || next.kind == tString) && (second.is('{') || second.is('.')) {
			r.namespace()
		}
	case "abstract", "declare":
		switch next.word {
		case wClass:
			r.next()
			r.classDefinition(from)
		case wConst, wLet, wVar:
			r.next()
			r.variableStatement(from)
		}
	}
}

// async reads a function that begins with async.
func (r *ecmaReader) async(next *token) {
	from := r.at
	if next.word == wFunc {
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
	case r.isAccessor() && r.peek(1).kind == tName:
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
		if look.is('{') && !look.tok().nl {
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
