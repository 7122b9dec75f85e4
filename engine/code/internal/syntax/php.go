package syntax

// phpReader reads PHP. Variables are names that begin with $.
type phpReader struct {
	legacyCurly
	class int32
	doc   docComment // before the function that is read next
}

var phpDialect = *newPHPDialect()

func newPHPDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function fn", wClass: "class", wInterface: "interface trait", wEnum: "enum", wModule: "namespace", wUse: "use", wExtends: "extends",
		wImplements: "implements", wConst: "const", wNew: "new", wThis: "self static", wSuper: "parent", wIf: "if elseif", wElse: "else", wFor: "for",
		wWhile: "while", wDo: "do", wSwitch: "switch match", wCase: "case", wDefault: "default", wReturn: "return yield", wBreak: "break continue goto",
		wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw", wIn: "foreach", wAs: "as", wIs: "instanceof", wGlobal: "global",
		wDecl: "public private protected abstract final readonly var", wSkip: "echo print isset unset empty list array include include_once require require_once and or xor",
		wValue: "null true false NULL TRUE FALSE",
	}), "", "'\"#?<`")
	d.special = phpSpecial
	return d
}

func (r *legacy) readPHP() {
	p := &phpReader{legacyCurly: legacyCurly{legacy: r}, class: -1}
	r.lexPHP()
	p.local, p.nested, p.closure = p.localDeclaration, p.insideBody, p.closureAt
	p.scan(0, len(r.toks)-1, true)
}

// lexPHP cuts a file, whose code begins behind the first <?php.
func (r *legacy) lexPHP() {
	r.lexer.start(r.src, &phpDialect)
	r.lexer.scan(r.lexer.phpText(0))
	r.lexer.finish()
	r.toks = r.lexer.toks
}

// variable reports whether token i is a name that begins with $.
func (r *phpReader) variable(i int) bool {
	t := r.tok(i)
	return t.kind == tName && r.src[t.start] == '$'
}

// localDeclaration binds $x = value.
func (r *phpReader) localDeclaration(i, hi int) int {
	if r.variable(i) && r.is(i+1, '=') && i+1 < hi {
		name := r.sym(i)
		documented := r.documented(i, string(r.text(i)), "var")
		k, t := r.assigned(i+2, hi)
		if documented != 0 {
			t = documented
		}
		if _, ok := r.legacy.local(name); ok {
			r.rebind(name, t)
		} else {
			r.bind(name, t)
		}
		return k
	}
	return i
}

func (r *phpReader) insideBody(i, hi int) int {
	t := r.tok(i)
	if t.kind == tPunct && t.ch == '#' && r.is(i+1, '[') {
		return r.after(i+1, hi)
	}
	if t.kind != tName {
		return i
	}
	switch t.word {
	case wFunc:
		return r.function(i, hi)
	case wClass, wInterface, wEnum:
		if r.name(i+1) && !r.is(i-1, opScope) || r.is(i+1, '{') && r.word(i-1) == wNew || r.is(i+1, '(') && r.word(i-1) == wNew {
			return r.typeAt(i, hi)
		}
		return i
	case wModule:
		k := i + 1
		r.rows.Package = r.backslashed(&k, hi)
		return k
	case wUse:
		return r.use(i+1, hi)
	case wIn:
		return r.foreach(i, hi)
	case wConst:
		return r.constant(i, hi)
	case wCase:
		if r.class >= 0 && r.cur == r.class && r.name(i+1) {
			r.define(Member, i+1, i)
			return i + 2
		}
	case wCatch:
		if r.is(i+1, '(') {
			return r.catch(i+1, hi)
		}
	case wDecl:
		if r.class >= 0 && r.cur == r.class {
			return r.property(i, hi)
		}
	case noWord:
		return r.plainVariable(i, hi)
	}
	return i
}

// closureAt reads a function without a name.
func (r *phpReader) closureAt(i, hi int) int {
	if r.word(i) == wFunc && (r.is(i+1, '(') || r.is(i+1, '&')) && i < hi {
		return r.function(i, hi)
	}
	return r.plainVariable(i, hi)
}

// foreach reads foreach (value as $key => $element) and binds the variables.
func (r *phpReader) foreach(i, hi int) int {
	if !r.is(i+1, '(') {
		return i
	}
	end := r.close(i+1, hi)
	start := len(r.expr)
	k := r.value(i+2, end)
	if r.word(k) != wAs || k >= end {
		r.expr = r.expr[:start]
		return i
	}
	r.element(mark(start))
	t := r.pop(start)
	k = r.plainReference(k+1, end)
	if r.variable(k) && r.is(k+1, opFat) {
		r.bind(r.sym(k), 0)
		k = r.plainReference(k+2, end)
	}
	if r.variable(k) && k < end {
		r.bind(r.sym(k), t)
		k++
	}
	r.scan(min(k, end), end, false)
	return min(end+1, hi)
}

// plainReference is the position behind a & at i, if there is one.
func (r *phpReader) plainReference(i, end int) int {
	if r.is(i, '&') && i < end {
		return i + 1
	}
	return i
}

// plainVariable binds variables as they appear, so that none is taken for a function.
func (r *phpReader) plainVariable(i, hi int) int {
	if !r.variable(i) {
		return i
	}
	name := r.sym(i)
	if r.soft(i, "$this") && r.this != "" {
		if _, ok := r.legacy.local(name); !ok {
			start := len(r.expr)
			r.expr = append(r.expr, r.this...)
			r.bind(name, r.pop(start))
		}
		return i
	}
	if _, ok := r.legacy.local(name); !ok {
		r.bind(name, 0)
	}
	return i
}

// backslashed reads A\B\C as a.b.c with dots.
func (r *phpReader) backslashed(i *int, hi int) Sym {
	start := len(r.expr)
	for ; *i < hi; *i++ {
		switch {
		case r.is(*i, '\\') && len(r.expr) > start:
			r.expr = append(r.expr, '.')
		case r.is(*i, '\\'):
		case r.tok(*i).kind == tName && (len(r.expr) == start || r.is(*i-1, '\\')):
			r.expr = append(r.expr, r.text(*i)...)
		default:
			s := r.names.Intern(r.expr[start:])
			r.expr = r.expr[:start]
			return s
		}
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
}

// use reads imports at the top and traits inside a class.
func (r *phpReader) use(i, hi int) int {
	if r.class >= 0 && r.cur == r.class {
		for i < hi && !r.is(i, ';') && !r.is(i, '{') {
			if r.name(i) {
				i = r.base(i, hi)
				continue
			}
			i++
		}
		if r.is(i, '{') {
			return r.after(i, hi)
		}
		return i
	}
	if r.is(i, '(') {
		return r.after(i, hi) // what a closure captures
	}
	if r.word(i) == wFunc || r.word(i) == wConst {
		i++
	}
	for i < hi && !r.is(i, ';') {
		at := i
		path := r.names.Text(r.backslashed(&i, hi))
		switch {
		case r.is(i, '{'):
			end := r.close(i, hi)
			for k := i + 1; k < end; k++ {
				if r.name(k) {
					r.useName(path+r.names.Text(r.backslashed(&k, end)), 0, at)
				}
			}
			i = min(end+1, hi)
		case r.word(i) == wAs:
			r.useName(path, r.sym(i+1), at)
			i += 2
		default:
			r.useName(path, 0, at)
		}
		if !r.is(i, ',') {
			return max(i, at+1)
		}
		i++
	}
	return i
}

func (r *phpReader) useName(path string, local Sym, at int) {
	module, name := r.split(path)
	if local == 0 {
		local = name
	}
	r.rows.Imports = append(r.rows.Imports, ImportRow{Module: module, Name: name, Local: local, Line: r.lineOf(at)})
}

func (r *phpReader) function(i, hi int) int {
	name := i + 1
	if r.is(name, '&') {
		name++
	}
	if r.tok(name).kind != tName {
		mark := len(r.binds)
		k := r.rest(-1, name, hi)
		r.unbind(mark)
		return k
	}
	kind := Function
	if r.class >= 0 && r.cur == r.class {
		kind = Method
		if r.soft(name, "__construct") {
			kind = Constructor
		}
	}
	from := i
	for from > 0 && (r.word(from-1) == wDecl || r.soft(from-1, "static")) {
		from--
	}
	d := r.define(kind, name, from)
	mark := len(r.binds)
	k := name + 1
	r.doc = r.docBefore(pos(from))
	r.within(d, func() { k = r.rest(d, k, hi) })
	r.unbind(mark)
	r.finish(d, k)
	return k
}

// rest reads parameters, result and body of a function.
func (r *phpReader) rest(d int32, i, hi int) int {
	doc := r.doc
	r.doc = nil // that of others inside is theirs
	if r.is(i, '(') {
		r.paramList(i, hi, doc)
		i = r.after(i, hi)
	}
	if r.word(i) == wUse && r.is(i+1, '(') {
		i = r.after(i+1, hi)
	}
	start := len(r.expr)
	if r.is(i, ':') && i < hi {
		i = r.typ(i+1, hi)
	}
	t := r.pop(start)
	if t == 0 && doc != nil {
		t = r.docType(doc.tag("", "return", "returns"), &phpDocTypes, r.this)
	}
	if d >= 0 {
		r.rows.Defs[d].Type = t
		r.signature(d, i)
	}
	class := r.class
	r.class = -1
	switch {
	case i >= hi:
	case r.is(i, '{'):
		i = r.body(i, hi)
	case r.is(i, opFat):
		i = r.value(i+1, hi)
		r.expr = r.expr[:start]
	case r.is(i, ';'):
		i++
	}
	r.class = class
	return i
}

// typ reads a type: the first class it names.
func (r *phpReader) typ(i, hi int) int {
	start := len(r.expr)
	for i < hi && (r.is(i, '?') || r.is(i, '|') || r.is(i, '&') || r.is(i, '\\') || r.tok(i).kind == tName && !r.variable(i) || r.is(i, '(')) {
		if r.tok(i).kind != tName || r.variable(i) {
			i++
			continue
		}
		keep := len(r.expr)
		if w := r.word(i); w == wThis {
			r.pushThis("")
			i++
		} else if phpPrimitives[string(r.text(i))] || w != noWord {
			i++
		} else {
			for r.is(i+1, '\\') && r.tok(i+2).kind == tName {
				i += 2
			}
			i = r.typeName(i, hi)
		}
		if keep > start {
			r.expr = r.expr[:keep]
		}
	}
	return i
}

var phpPrimitives = map[string]bool{"int": true, "string": true, "bool": true, "float": true, "array": true, "mixed": true, "void": true,
	"object": true, "callable": true, "iterable": true, "never": true, "null": true, "false": true, "true": true}

func (r *phpReader) paramList(i, hi int, doc docComment) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		field := false
		for r.word(k) == wDecl && k < end {
			field = true
			k++
		}
		if r.is(k, '#') && r.is(k+1, '[') {
			k = r.after(k+1, end)
			continue
		}
		start := len(r.expr)
		k = r.typ(k, end)
		t := r.pop(start)
		for k < end && !r.variable(k) && !r.is(k, ',') {
			k++
		}
		if r.variable(k) && k < end {
			if t == 0 && doc != nil {
				t = r.docType(doc.tag(string(r.text(k)), "param"), &phpDocTypes, r.this)
			}
			r.bind(r.sym(k), t)
			if field && r.cur >= 0 {
				r.field(k, k, t, r.rows.Defs[r.cur].Parent)
			}
		}
		from := k + 1
		for k < end && !r.is(k, ',') {
			if r.is(k, '(') || r.is(k, '[') {
				k = r.close(k, end)
			}
			k++
		}
		r.scan(min(from, k), min(k, end), false)
		k++
	}
}
