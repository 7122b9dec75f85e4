package syntax

// What C# has and Java has not: namespaces, using, delegates, accessors.

var csharpDialect = *newCSharpDialect()

func newCSharpDialect() *dialect {
	d := newDialect(words(map[word]string{
		wModule: "namespace", wUsing: "using",
		wClass: "class", wInterface: "interface", wEnum: "enum", wStruct: "struct", wOperator: "operator",
		wIf: "if", wElse: "else", wFor: "for foreach", wWhile: "while", wDo: "do", wSwitch: "switch", wCase: "case",
		wDefault: "default", wReturn: "return", wBreak: "break continue goto", wIn: "in",
		wNew: "new", wThis: "this", wSuper: "base", wIs: "is", wAs: "as", wAwait: "await",
		wTry: "try", wCatch: "catch", wFinally: "finally", wThrow: "throw", wValue: "null true false",
		wDecl: "public private protected internal static readonly sealed abstract virtual override partial async " +
			"extern unsafe volatile const event implicit explicit ref out params fixed",
		wPrim: "void bool byte sbyte short ushort int uint long ulong char float double decimal string object",
		wSkip: "typeof nameof sizeof checked unchecked lock stackalloc",
	}), "'", "\"#@$")
	d.special = csharpSpecial
	d.class['$'] = cSpecial
	return d
}

func (r *reader) readCSharp() { r.readClasses(&csharpDialect, true) }

// usingName reads "System.Text;", "static X;" and "A = B.C;".
func (r *javaReader) usingName() {
	r.skipWord(wDecl)
	at := r.at
	if !r.name() || !r.peekIs(1, '=') {
		r.imported(at, ImportRow{Module: r.dotted(), Name: r.star()})
		return
	}
	local := r.sym()
	r.advance(2)
	module, name := r.split(r.names.Text(r.dotted()))
	r.imported(at, ImportRow{Module: module, Name: name, Local: local})
}

// namespace reads a namespace: one with a body is a definition, one without holds all of the file.
func (r *javaReader) namespace() {
	from := r.at
	r.next()
	at := r.at
	name := r.dotted()
	if r.rows.Package == 0 {
		r.rows.Package = name
	}
	if !r.is('{') {
		r.next()
		return
	}
	d := r.defineAs(Module, name, at, from)
	r.signature(d)
	r.within(d, func() {
		outer := r.open()
		r.members()
		r.shut(outer)
	})
	r.finish(d)
}

// delegate reads a type of functions: delegate R F(A a);
func (r *javaReader) delegate(from pos) {
	look := r.cursor
	for look.next(); look.more() && !look.is(';') && !look.is('{'); look.next() {
		if look.is('(') && look.peekName(-1) {
			r.at = look.at
			d := r.define(Alias, r.at-1, from)
			r.skipBrackets()
			r.finish(d)
			return
		}
	}
	r.next()
}
