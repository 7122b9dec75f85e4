package syntax

// colonReader reads the languages that write a type behind its name: Rust, Kotlin and Swift.
type colonReader struct {
	legacyCurly
	lang  Language
	class int32 // the type whose body is read, or -1
	owner Sym   // the type that an impl or extension adds to, or 0
}

var (
	rustDialect   = *newRustDialect()
	kotlinDialect = *newKotlinDialect()
	swiftDialect  = *newSwiftDialect()
)

func newRustDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "fn", wStruct: "struct", wEnum: "enum", wUnion: "", wInterface: "trait", wImpl: "impl", wModule: "mod", wUse: "use", wType: "type",
		wConst: "const static", wLet: "let", wMut: "mut", wRef: "ref", wPub: "pub", wIf: "if", wElse: "else", wFor: "for", wWhile: "while loop", wMatch: "match",
		wReturn: "return", wBreak: "break continue", wThis: "self Self", wWhere: "where", wAs: "as", wIn: "in", wAwait: "await",
		wDecl: "unsafe async extern move dyn", wValue: "true false",
		wPrim: "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
	}), "", "\"'#")
	d.special = rustSpecial
	d.nested = true
	return d
}

func newKotlinDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "fun", wClass: "class", wInterface: "interface", wObject: "object", wPackage: "package", wImport: "import", wType: "typealias",
		wVar: "val var", wIf: "if", wElse: "else", wFor: "for", wWhile: "while", wDo: "do", wSwitch: "when", wReturn: "return", wBreak: "break continue",
		wThis: "this", wSuper: "super", wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw", wAs: "as", wIn: "in", wIs: "is",
		wValue: "null true false", wDecl: "private public internal protected override abstract lateinit suspend sealed",
	}), "'", "\"`")
	d.special = tripleSpecial("${")
	d.nested = true
	return d
}

func newSwiftDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "func", wInit: "init deinit subscript", wClass: "class", wStruct: "struct", wEnum: "enum", wInterface: "protocol", wExtension: "extension",
		wImport: "import", wType: "typealias associatedtype", wVar: "let var", wIf: "if", wElse: "else", wFor: "for", wWhile: "while repeat", wSwitch: "switch",
		wCase: "case", wDefault: "default", wReturn: "return", wBreak: "break continue fallthrough", wThis: "self Self", wSuper: "super",
		wTry: "try do", wCatch: "catch", wThrow: "throw", wThrows: "throws rethrows", wAs: "as", wIn: "in", wIs: "is", wGuard: "guard", wAwait: "await",
		wWhere: "where", wValue: "nil true false", wDecl: "static public private fileprivate internal inout",
	}), "", "\"`#")
	d.special = tripleSpecial("\\(")
	d.nested = true
	return d
}

func (r *legacy) readColon(lang Language) {
	c := &colonReader{legacyCurly: legacyCurly{legacy: r, angles: true, lines: lang != Rust}, lang: lang, class: -1}
	r.bounds = lang == Rust
	switch lang {
	case Rust:
		r.lex(&rustDialect)
	case Kotlin:
		r.lex(&kotlinDialect)
	default:
		r.lex(&swiftDialect)
	}
	c.local, c.nested = c.localDeclaration, c.insideBody
	if lang == Rust {
		c.closure = c.bars
	}
	c.scan(0, len(r.toks)-1, true)
}

// insideBody reads definitions wherever they stand.
func (r *colonReader) insideBody(i, hi int) int {
	t := r.tok(i)
	if t.kind != tName {
		if t.kind == tPunct && (t.ch == '#' || t.ch == '@') {
			return r.attribute(i, hi)
		}
		if t.kind == tPunct && t.ch == '|' && r.lang == Rust {
			return r.bars(i, hi)
		}
		return i
	}
	switch t.word {
	case wFunc:
		if r.word(i+1) == wInterface { // Kotlin's fun interface
			return r.typeAt(i+1, hi)
		}
		return r.function(i, hi)
	case wInit:
		if r.class >= 0 && r.cur == r.class || r.owner != 0 {
			return r.initialiser(i, hi)
		}
	case wClass, wStruct, wEnum, wInterface, wObject, wUnion:
		return r.typeAt(i, hi)
	case wImpl, wExtension:
		return r.extension(i, hi)
	case wModule:
		return r.module(i, hi)
	case wUse:
		return r.use(i, hi)
	case wImport, wPackage:
		return r.imports(i, hi)
	case wType:
		return r.alias(i, hi)
	case wCase:
		if r.class >= 0 && r.cur == r.class && r.rows.Defs[r.class].Kind == Enum {
			return r.swiftCases(i+1, hi)
		}
	case wVar:
		if r.defines() {
			return r.variable(i, hi) // whatever modifiers stand before it
		}
	case noWord:
		return r.softKeyword(i, hi)
	}
	return i
}

// softKeyword reads what begins with a word that is a keyword here only.
func (r *colonReader) softKeyword(i, hi int) int {
	switch {
	case r.lang == Rust && r.soft(i, "macro_rules") && r.is(i+1, '!') && r.name(i+2):
		d := r.define(Macro, i+2, i)
		end := r.after(i+3, hi)
		r.finish(d, end)
		return end
	case r.lang == Rust && r.soft(i, "union") && r.name(i+1) && (r.is(i+2, '{') || r.is(i+2, '<')):
		return r.typeAt(i, hi)
	case r.lang == Rust && r.is(i+1, '!') && (r.is(i+2, '(') || r.is(i+2, '[') || r.is(i+2, '{')) && !r.is(i-1, '.'):
		r.referTo(r.sym(i), 0, Call, i) // a macro; its arguments are read as expressions
		return i + 2
	case r.lang == Swift && r.soft(i, "actor") && r.name(i+1) && (r.is(i+2, '{') || r.is(i+2, ':')):
		return r.typeAt(i, hi)
	case r.lang == Kotlin && r.soft(i, "constructor") && r.is(i+1, '(') && r.cur == r.class && r.class >= 0:
		return r.initialiser(i, hi)
	case r.lang == Kotlin && r.soft(i, "init") && r.is(i+1, '{'):
		return r.body(i+1, hi)
	}
	return i
}

// attribute passes #[…], @name and @name(…).
func (r *colonReader) attribute(i, hi int) int {
	k := i + 1
	if r.is(k, '!') {
		k++
	}
	if r.is(k, '[') {
		return r.after(k, hi)
	}
	if r.is(i, '@') && r.tok(k).kind == tName {
		start := len(r.expr)
		k = r.typeName(k, hi)
		r.expr = r.expr[:start]
		if r.is(k, '(') && !r.tok(k).nl {
			r.scan(k+1, r.close(k, hi), false)
			return r.after(k, hi)
		}
		return k
	}
	return i
}

// bars reads |a, b: T| body.
func (r *colonReader) bars(i, hi int) int {
	if !r.is(i, '|') {
		return i
	}
	before := r.tok(i - 1)
	if before.kind == tName && before.word == noWord || before.kind == tNumber || r.is(i-1, ')') || r.is(i-1, ']') {
		return i // the operator
	}
	k := i + 1
	for k < hi && k < i+64 && !r.is(k, '|') {
		if r.is(k, ';') || r.is(k, '{') || r.is(k, '}') {
			return i
		}
		k++
	}
	if !r.is(k, '|') || k >= hi {
		return i
	}
	mark := len(r.binds)
	r.params(i+1, k)
	start := len(r.expr)
	k++
	if r.is(k, opArrow) {
		k = r.typ(k+1, hi)
	}
	if r.is(k, '{') && k < hi {
		k = r.body(k, hi)
	} else {
		k = r.value(k, hi)
	}
	r.expr = r.expr[:start]
	r.unbind(mark)
	return k
}

// typeParams binds the type parameters at i to their bounds.
func (r *colonReader) typeParams(i, hi int) int {
	if !r.is(i, '<') {
		return i
	}
	end := r.angle(i, hi)
	if end == i {
		return i
	}
	for k := i + 1; k < end-1; k++ {
		if r.name(k) && (r.is(k-1, '<') || r.is(k-1, ',')) {
			bound, start := Sym(0), len(r.expr)
			name := r.sym(k)
			if r.is(k+1, ':') && r.name(k+2) {
				r.typeName(k+2, end)
				bound = r.pop(start)
			}
			r.bind(name, bound)
		}
	}
	return end
}

// function reads fn, fun or func at i.
func (r *colonReader) function(i, hi int) int {
	from, mark := r.start(i), len(r.binds)
	k := r.typeParams(i+1, hi)
	name, receiver := k, Sym(0)
	if r.lang == Kotlin { // fun A.B<C>.name(…)
		start := len(r.expr)
		for r.tok(k).kind == tName && k < hi {
			next := k + 1
			if r.is(next, '<') {
				next = max(r.angle(next, hi), next)
			}
			for r.is(next, '?') || r.is(next, '!') {
				next++
			}
			if r.is(next, opOptional) || r.is(next, '.') {
				if len(r.expr) > start {
					r.expr = append(r.expr, '.')
				}
				r.expr = append(r.expr, r.text(k)...)
				k = next + 1
				name = k
				continue
			}
			break
		}
		receiver = r.pop(start)
	}
	if r.tok(name).kind != tName && r.lang != Swift || r.is(name, '(') {
		r.unbind(mark)
		return i + 1
	}
	kind := Function
	member := r.class >= 0 && r.cur == r.class
	if member || r.owner != 0 && r.cur < 0 || receiver != 0 {
		kind = Method
	}
	symbol := r.sym(name)
	k = name + 1
	if symbol == 0 { // an operator: static func <= (a: A), prefix func ~ <T>(…)
		for k < hi && !r.is(k, '(') && (!r.is(k, '<') || r.tok(k).start == r.tok(k-1).end && !r.name(k+1)) {
			k++
		}
		symbol = r.names.Intern(r.src[r.tok(name).start:r.tok(k-1).end])
	}
	d := r.defineNamed(kind, symbol, name, from)
	if kind == Method && !member {
		r.rows.Defs[d].Owner = r.owner
	}
	if receiver != 0 {
		r.rows.Defs[d].Owner = receiver
	}
	if kind == Function && r.cur >= 0 && r.rows.Defs[r.cur].Kind.Callable() {
		r.bind(symbol, symbol)
		mark++
	}
	this := r.this
	if receiver != 0 {
		r.this = r.names.Text(receiver)
	}
	r.within(d, func() { k = r.functionRest(d, k, hi) })
	r.this = this
	r.unbind(mark)
	r.finish(d, k)
	return k
}

// start is where the definition whose keyword stands at i begins: with the modifiers before it on its line.
func (r *colonReader) start(i int) int {
	for i > 0 && !r.tok(i).nl {
		w := r.tok(i - 1)
		if w.kind != tName || w.word != wPub && w.word != wDecl && w.word != wConst && w.word != noWord {
			break
		}
		i--
	}
	return i
}
