package syntax

import "sync"

// phpReader reads PHP. Variables are names that begin with $.
type phpReader struct {
	curly
	class int32      // the class whose body is read, or noDef
	doc   docComment // before the function that is read next
}

var phpDialect = sync.OnceValue(newPHPDialect)

func newPHPDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function fn", wClass: "class", wInterface: "interface trait", wEnum: "enum", wModule: "namespace", wUse: "use",
		wExtends: "extends", wImplements: "implements", wConst: "const", wNew: "new", wThis: "self static", wSuper: "parent",
		wIf: "if elseif", wElse: "else", wFor: "for", wWhile: "while", wDo: "do", wSwitch: "switch match", wCase: "case",
		wDefault: "default", wReturn: "return yield", wBreak: "break continue goto", wIn: "foreach", wAs: "as",
		wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw", wIs: "instanceof", wGlobal: "global",
		wDecl:  "public private protected abstract final readonly var",
		wSkip:  "echo print isset unset empty list array include include_once require require_once and or xor",
		wValue: "null true false NULL TRUE FALSE",
	}), "", "'\"#?<`")
	d.special = phpSpecial
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
	r.lexer.start(r.src, phpDialect())
	r.lexer.scan(r.lexer.phpText(0))
	r.lexer.finish()
	for i := range r.lexer.toks { // a dot joins texts, where those of other languages lead to members
		if t := &r.lexer.toks[i]; t.is('.') {
			t.ch = '+'
		}
	}
	r.cursor = newCursor(r.src, r.lexer.toks)
}

// variable reports whether a name that begins with $ stands at the cursor.
func (r *phpReader) variable() bool {
	t := r.tok()
	return t.kind == tName && r.src[t.start] == '$'
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
	case noWord:
		if r.is('#') && r.peekIs(1, '[') { // an attribute
			r.next()
			r.skipBrackets()
			return
		}
		r.plainVariable()
	case wFunc:
		r.function()
	case wClass, wInterface, wEnum:
		if r.definesType() {
			r.typeAt()
		}
	case wModule:
		r.next()
		r.rows.Package = r.backslashed()
	case wUse:
		r.next()
		r.use()
	case wIn:
		r.foreach()
	case wConst:
		r.constants()
	case wCase:
		if r.inClass() && r.peekName(1) {
			r.define(Member, r.at+1, r.at)
			r.advance(2)
		}
	case wCatch:
		if r.peekIs(1, '(') {
			r.next()
			r.catch()
		}
	case wDecl:
		if r.inClass() {
			r.property()
		}
	}
}

// definesType tells class X, and new class, from X::class.
func (r *phpReader) definesType() bool {
	if r.peekName(1) {
		return !r.peekIs(-1, opScope)
	}
	return r.peekWord(-1) == wNew && (r.peekIs(1, '{') || r.peekIs(1, '('))
}

// closure reads a function without a name, or a pair that names a method.
func (r *phpReader) closure() {
	switch {
	case r.word() == wFunc && (r.peekIs(1, '(') || r.peekIs(1, '&')):
		r.function()
	case r.word() == wNew && r.peekWord(1) == wClass && !r.peekName(2):
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
	if r.word() != wAs {
		r.drop(m)
		r.cursor = before
		return
	}
	r.element(m)
	t := r.pop(m)
	r.next()
	r.skip('&')
	if r.variable() && r.peekIs(1, opFat) {
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
		case r.tok().kind == tName && (r.empty(m) || r.peekIs(-1, '\\')):
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
	case r.word() == wFunc || r.word() == wConst:
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
	if r.word() == wAs {
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
