package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// phpReader reads PHP. Variables are names that begin with $.
type phpReader struct {
	curly
	class int32      // the class whose body is read, or noDef
	doc   docComment // before the function that is read next
}

var phpDialect = sync.OnceValue(newPHPDialect)

func newPHPDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Func: "function fn", lex.Class: "class", lex.Interface: "interface trait",
		lex.Enum: "enum", lex.Module: "namespace", lex.Use: "use",
		lex.Extends: "extends", lex.Implements: "implements", lex.Const: "const",
		lex.New: "new", lex.This: "self static", lex.Super: "parent",
		lex.If: "if elseif", lex.Else: "else", lex.For: "for", lex.While: "while",
		lex.Do: "do", lex.Switch: "switch match", lex.Case: "case",
		lex.Default: "default", lex.Return: "return yield", lex.Break: "break continue goto",
		lex.In: "foreach", lex.As: "as",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw",
		lex.Is: "instanceof", lex.Global: "global",
		lex.Decl:  "public private protected abstract final readonly var",
		lex.Skip:  "echo print isset unset empty list array include include_once require require_once and or xor",
		lex.Value: "null true false NULL TRUE FALSE",
	}), "", "'\"#?<`")
	d.Special = lex.PHPSpecial
	return d
}

func (r *reader) readPHP() {
	p := &phpReader{curly: curly{reader: r, sigils: true, used: map[string]string{}}, class: noDef}
	p.language = p
	r.lexPHP()
	p.statements()
}

// lexPHP cuts a file, whose code begins behind the first <?php.
func (r *reader) lexPHP() {
	r.lexer.Start(r.src, phpDialect())
	r.lexer.Scan(lex.PHPText(&r.lexer, 0))
	r.lexer.Finish()
	for i := range r.lexer.Tokens { // a dot joins texts, where those of other languages lead to members
		if t := &r.lexer.Tokens[i]; t.Is('.') {
			t.Char = '+'
		}
	}
	r.cursor = newCursor(r.src, r.lexer.Tokens)
}

// variable reports whether a name that begins with $ stands at the cursor.
func (r *phpReader) variable() bool {
	t := r.tok()
	return t.Kind == lex.Name && r.src[t.Start] == '$'
}

// inClass reports whether the cursor stands among the members of a class.
func (r *phpReader) inClass() bool { return r.class != noDef && r.cur == r.class }

// declaration binds $x = value.
func (r *phpReader) declaration() {
	if !r.variable() || !r.peekIs(1, '=') {
		return
	}
	name, t := r.sym(), r.documented(r.at, string(r.text()), "var")
	r.advance(2)
	if assigned := r.assigned(); t == 0 {
		t = assigned
	}
	if r.isLocal(name) {
		r.rebind(name, t)
		return
	}
	r.bind(name, t)
}

// definition reads definitions, imports, and statements that bind variables.
func (r *phpReader) definition() {
	switch r.word() {
	case lex.NoWord:
		if r.is('#') && r.peekIs(1, '[') { // an attribute
			r.next()
			r.skipBrackets()
			return
		}
		r.plainVariable()
	case lex.Func:
		r.function()
	case lex.Class, lex.Interface, lex.Enum:
		if r.definesType() {
			r.typeAt()
		}
	case lex.Module:
		r.next()
		r.rows.Package = r.backslashed()
	case lex.Use:
		r.next()
		r.use()
	case lex.In:
		r.foreach()
	case lex.Const:
		r.constants()
	case lex.Case:
		if r.inClass() && r.peekName(1) {
			r.define(Member, r.at+1, r.at)
			r.advance(2)
		}
	case lex.Catch:
		if r.peekIs(1, '(') {
			r.next()
			r.catch()
		}
	case lex.Decl:
		if r.inClass() {
			r.property()
		}
	}
}

// definesType tells class X, and new class, from X::class.
func (r *phpReader) definesType() bool {
	if r.peekName(1) {
		return !r.peekIs(-1, lex.OpScope)
	}
	return r.peekWord(-1) == lex.New && (r.peekIs(1, '{') || r.peekIs(1, '('))
}

// closure reads a function without a name, or a pair that names a method.
func (r *phpReader) closure() {
	switch {
	case r.word() == lex.Func && (r.peekIs(1, '(') || r.peekIs(1, '&')):
		r.function()
	case r.word() == lex.New && r.peekWord(1) == lex.Class && !r.peekName(2):
		r.advance(2)
		r.withoutNameHere()
	case r.isMethodPair():
		r.methodPair()
	default:
		r.plainVariable()
	}
}

// foreach reads the brackets of foreach (value as $key => $element), and binds the variables.
func (r *phpReader) foreach() {
	if !r.peekIs(1, '(') {
		return
	}
	before, m := r.cursor, r.top()
	r.next()
	outer := r.open()
	r.value()
	if r.word() != lex.As {
		r.drop(m)
		r.cursor = before
		return
	}
	r.element(m)
	t := r.pop(m)
	r.next()
	r.skip('&')
	if r.variable() && r.peekIs(1, lex.OpFat) {
		r.bind(r.sym(), 0)
		r.advance(2)
		r.skip('&')
	}
	if r.variable() {
		r.bind(r.sym(), t)
		r.next()
	}
	r.exprs()
	r.shut(outer)
}

// plainVariable binds variables as they appear, so that none is taken for a function.
func (r *phpReader) plainVariable() {
	if !r.variable() || r.isLocal(r.sym()) {
		return
	}
	if r.this == "" || !r.soft("$this") {
		r.bind(r.sym(), 0)
		return
	}
	m := r.top()
	r.pushString(r.this)
	r.bind(r.sym(), r.pop(m))
}

// backslashed passes A\B\C and answers A.B.C.
func (r *phpReader) backslashed() Sym {
	m := r.top()
	for r.more() {
		switch {
		case r.is('\\'):
			if !r.empty(m) {
				r.pushString(".")
			}
		case r.tok().Kind == lex.Name && (r.empty(m) || r.peekIs(-1, '\\')):
			r.pushText(r.text())
		default:
			return r.popText(m)
		}
		r.next()
	}
	return r.popText(m)
}

// use reads what stands behind use: traits in a class, what a closure captures, else imports.
func (r *phpReader) use() {
	switch {
	case r.inClass():
		r.traits()
		return
	case r.is('('):
		r.skipBrackets()
		return
	case r.word() == lex.Func || r.word() == lex.Const:
		r.next()
	}
	for r.more() && !r.is(';') {
		at := r.at
		r.oneImport()
		if !r.is(',') {
			r.past(at)
			return
		}
		r.next()
	}
}

// traits reads the traits of a class.
func (r *phpReader) traits() {
	for r.more() && !r.is(';') && !r.is('{') {
		if r.name() {
			r.heir()
			continue
		}
		r.next()
	}
	if r.is('{') {
		r.skipBrackets()
	}
}

// oneImport reads A\B, A\B as C and A\{B, C}.
func (r *phpReader) oneImport() {
	at := r.at
	path := r.names.Text(r.backslashed())
	if r.is('{') {
		outer := r.open()
		for ; r.more(); r.next() {
			if r.name() {
				r.namedImport(path+r.names.Text(r.backslashed()), at)
			}
		}
		r.shut(outer)
		return
	}
	r.namedImport(path, at)
}

// namedImport adds the import of path, with the "as C" at the cursor.
func (r *phpReader) namedImport(path string, at pos) {
	local := Sym(0)
	if r.word() == lex.As {
		local = r.peekSym(1)
		r.advance(2)
	}
	r.importName(path, local, at)
}

// importName adds the import at a place, under its own name if local is 0.
func (r *phpReader) importName(path string, local Sym, at pos) {
	module, name := r.split(path)
	if local == 0 {
		local = name
	}
	r.used[r.names.Text(local)] = path
	r.imported(at, ImportRow{Module: module, Name: name, Local: local})
}
