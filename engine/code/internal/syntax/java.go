package syntax

// javaReader reads Java and C#.
type javaReader struct {
	legacyCurly
	sharp bool
	class int32
}

var (
	javaDialect  = *newJavaDialect()
	sharpDialect = *newSharpDialect()
)

const javaShared = "public private protected static final abstract synchronized volatile transient native strictfp"

func newJavaDialect() *dialect {
	d := newDialect(words(map[word]string{
		wPackage: "package", wImport: "import", wClass: "class", wInterface: "interface", wEnum: "enum", wExtends: "extends", wImplements: "implements",
		wIf: "if", wElse: "else", wFor: "for", wWhile: "while", wDo: "do", wSwitch: "switch", wCase: "case", wDefault: "default",
		wReturn: "return", wBreak: "break continue", wNew: "new", wThis: "this", wSuper: "super", wTry: "try", wCatch: "catch", wFinally: "finally",
		wThrow: "throw assert", wThrows: "throws", wIs: "instanceof", wValue: "null true false",
		wDecl: javaShared, wPrim: "void boolean byte short int long char float double",
	}), "'", "\"")
	d.special = tripleSpecial("")
	return d
}

func newSharpDialect() *dialect {
	d := newDialect(words(map[word]string{
		wModule: "namespace", wUsing: "using", wClass: "class", wInterface: "interface", wEnum: "enum", wStruct: "struct",
		wIf: "if", wElse: "else", wFor: "for foreach", wWhile: "while", wDo: "do", wSwitch: "switch", wCase: "case", wDefault: "default",
		wReturn: "return", wBreak: "break continue goto", wNew: "new", wThis: "this", wSuper: "base", wTry: "try", wCatch: "catch", wFinally: "finally",
		wThrow: "throw", wIs: "is", wAs: "as", wAwait: "await", wIn: "in", wValue: "null true false", wOperator: "operator",
		wDecl: "public private protected internal static readonly sealed abstract virtual override partial async extern unsafe volatile const event implicit explicit ref out params fixed",
		wPrim: "void bool byte sbyte short ushort int uint long ulong char float double decimal string object",
		wSkip: "typeof nameof sizeof checked unchecked lock stackalloc",
	}), "'", "\"#@$")
	d.special = csharpSpecial
	d.class['$'] = cSpecial
	return d
}

func (r *legacy) readJava(sharp bool) {
	d := &javaDialect
	if sharp {
		d = &sharpDialect
	}
	r.lex(d)
	j := &javaReader{legacyCurly: legacyCurly{legacy: r, angles: true}, sharp: sharp, class: -1}
	j.local, j.nested, j.closure = j.localDeclaration, j.insideBody, j.closureAt
	if !sharp {
		j.classBody = j.anonymous
	}
	j.members(0, len(r.toks)-1)
}

// members reads what stands in a file, a namespace or a type.
func (r *javaReader) members(lo, hi int) {
	if !r.enter() {
		r.flat(lo, hi)
		return
	}
	defer r.leave()
	for i := lo; i < hi; {
		i = max(r.member(i, hi), i+1)
	}
}

func (r *javaReader) member(i, hi int) int {
	from := i
	i = r.modifiers(i, hi)
	switch r.word(i) {
	case wPackage:
		k := i + 1
		r.rows.Package = r.dottedName(&k, hi)
		return k
	case wImport:
		return r.imports(i+1, hi)
	case wUsing:
		return r.usingAt(i+1, hi)
	case wModule:
		return r.namespace(i, hi)
	case wClass, wInterface, wEnum, wStruct:
		return r.typeAt(i, from, hi)
	}
	if r.is(i, '{') { // an initialiser
		return r.body(i, hi)
	}
	if r.name(i) && r.tok(i+1).kind == tName && (r.soft(i, "record") || r.soft(i, "delegate")) {
		return r.softType(i, from, hi)
	}
	return r.declared(i, from, hi)
}

// modifiers passes annotations, attributes and words such as public.
func (r *javaReader) modifiers(i, hi int) int {
	for i < hi {
		switch {
		case r.is(i, '@') && r.tok(i+1).kind == tName && r.word(i+1) != wInterface:
			i = r.annotation(i+1, hi)
		case r.is(i, '@'):
			i++
		case r.is(i, '[') && r.sharp:
			r.scan(i+1, r.close(i, hi), false)
			i = r.after(i, hi)
		case r.word(i) == wDecl, r.word(i) == wDefault, r.word(i) == wNew && r.sharp:
			i++
		case r.soft(i, "non") && r.is(i+1, '-'):
			i += 2
		case r.name(i) && (r.soft(i, "sealed") || r.soft(i, "required") || r.soft(i, "file")) && r.tok(i+1).kind == tName:
			i++
		case r.is(i, '<') && !r.sharp: // type parameters of a method
			i = r.typeParams(i, hi)
		default:
			return i
		}
	}
	return i
}

func (r *javaReader) annotation(i, hi int) int {
	start := len(r.expr)
	i = r.typeName(i, hi)
	r.expr = r.expr[:start]
	if r.is(i, '(') && i < hi {
		r.scan(i+1, r.close(i, hi), false)
		i = r.after(i, hi)
	}
	return i
}

// typeParams binds the type parameters at i to their bounds, up to the end of what they stand in.
func (r *javaReader) typeParams(i, hi int) int {
	end := r.angle(i, hi)
	if end == i {
		return i + 1
	}
	for k := i + 1; k < end-1; k++ {
		if r.name(k) && (k == i+1 || r.is(k-1, ',')) {
			bound, start := Sym(0), len(r.expr)
			name := r.sym(k)
			if r.word(k+1) == wExtends {
				r.typeName(k+2, end)
				bound = r.pop(start)
			}
			r.bind(name, bound)
		}
	}
	return end
}

// dottedName reads a.b.c.
func (r *legacy) dottedName(i *int, hi int) Sym {
	start := len(r.expr)
	for *i < hi && r.tok(*i).kind == tName {
		r.expr = append(r.expr, r.text(*i)...)
		*i++
		if !(r.is(*i, '.') || r.is(*i, opScope)) || r.tok(*i+1).kind != tName {
			break
		}
		r.expr = append(r.expr, '.')
		*i++
	}
	s := r.names.Intern(r.expr[start:])
	r.expr = r.expr[:start]
	return s
}

// imports reads "static a.b.C;" and "a.b.*;".
func (r *javaReader) imports(i, hi int) int {
	if r.word(i) == wDecl {
		i++
	}
	at := i
	module := r.names.Text(r.dottedName(&i, hi))
	row := ImportRow{Line: r.lineOf(at)}
	if r.is(i, '.') && r.is(i+1, '*') {
		row.Module, row.Name = r.names.InternString(module), r.names.InternString("*")
		i += 2
	} else {
		row.Module, row.Name = r.split(module)
		row.Local = row.Name
	}
	r.rows.Imports = append(r.rows.Imports, row)
	return i + 1
}

// split cuts a dotted name before its last part.
func (r *reader) split(name string) (module, last Sym) {
	for k := len(name) - 1; k > 0; k-- {
		if name[k] == '.' {
			return r.names.InternString(name[:k]), r.names.InternString(name[k+1:])
		}
	}
	return r.names.InternString(name), r.names.InternString(name)
}

// usingAt reads "System.Text;", "static X;" and "A = B.C;".
func (r *javaReader) usingAt(i, hi int) int {
	if r.word(i) == wDecl {
		i++
	}
	at := i
	row := ImportRow{Line: r.lineOf(i)}
	if r.name(i) && r.is(i+1, '=') {
		k := i + 2
		row.Module, row.Name = r.split(r.names.Text(r.dottedName(&k, hi)))
		row.Local = r.sym(at)
		i = k
	} else {
		row.Module, row.Name = r.dottedName(&i, hi), r.names.InternString("*")
	}
	r.rows.Imports = append(r.rows.Imports, row)
	return max(i, at+1)
}

func (r *javaReader) namespace(i, hi int) int {
	at := i + 1
	i = at
	name := r.dottedName(&i, hi)
	if r.rows.Package == 0 {
		r.rows.Package = name
	}
	if !r.is(i, '{') {
		return i + 1
	}
	d := r.defineNamed(Module, name, at, at-1)
	end := r.after(i, hi)
	r.signature(d, i)
	r.within(d, func() { r.members(i+1, end-1) })
	r.finish(d, end)
	return end
}

var javaKinds = map[word]Kind{wClass: Class, wInterface: Interface, wEnum: Enum, wStruct: Struct}

// typeAt reads a type whose keyword stands at i.
func (r *javaReader) typeAt(i, from, hi int) int {
	if r.tok(i+1).kind != tName {
		return i + 1
	}
	return r.typeNamed(javaKinds[r.word(i)], i+1, from, hi)
}

// softType reads a record or a delegate.
func (r *javaReader) softType(i, from, hi int) int {
	if r.soft(i, "delegate") {
		for k := i + 1; k < hi && !r.is(k, ';') && !r.is(k, '{'); k++ {
			if r.is(k, '(') && r.name(k-1) {
				d := r.define(Alias, k-1, from)
				end := r.after(k, hi)
				r.finish(d, end)
				return end
			}
		}
		return i + 1
	}
	kind := Class
	if r.word(i+1) == wStruct {
		kind = Struct
		i++
	} else if r.word(i+1) == wClass {
		i++
	}
	if !r.is(i+2, '(') && !r.is(i+2, '<') && !r.is(i+2, '{') && !r.is(i+2, ':') && !r.is(i+2, ';') {
		return r.declared(i, from, hi)
	}
	return r.typeNamed(kind, i+1, from, hi)
}

func (r *javaReader) typeNamed(kind Kind, name, from, hi int) int {
	d := r.define(kind, name, from)
	was, class, this, mark := r.cur, r.class, r.this, len(r.binds)
	r.cur, r.class, r.this = d, d, r.classPath(d)
	i := name + 1
	if r.is(i, '<') {
		i = r.typeParams(i, hi)
	}
	if r.is(i, '(') { // the components of a record
		r.components(i, hi)
		i = r.after(i, hi)
	}
	i = r.heritage(i, hi)
	r.signature(d, i)
	if r.is(i, '{') {
		end := r.close(i, hi)
		k := i + 1
		if kind == Enum {
			k = r.constants(k, end)
		}
		r.members(k, end)
		i = min(end+1, hi)
	}
	r.cur, r.class, r.this = was, class, this
	r.unbind(mark)
	r.finish(d, i)
	return i
}

// components defines the components of a record as fields.
func (r *javaReader) components(i, hi int) {
	end := r.close(i, hi)
	for k := i + 1; k < end; {
		at := r.modifiers(k, end)
		start := len(r.expr)
		k = max(r.typeName(at, end), at)
		t := r.pop(start)
		k = r.dimensions(k, end)
		if r.name(k) {
			d := r.define(Field, k, k)
			r.rows.Defs[d].Type = t
		}
		for k < end && !r.is(k, ',') {
			k++
		}
		k++
	}
}
