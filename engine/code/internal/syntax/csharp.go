package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// What C# has and Java has not: namespaces, using, delegates, accessors.

var csharpDialect = sync.OnceValue(newCSharpDialect)

func newCSharpDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Module: "namespace", lex.Using: "using",
		lex.Class: "class", lex.Interface: "interface", lex.Enum: "enum",
		lex.Struct: "struct", lex.Operator: "operator",
		lex.If: "if", lex.Else: "else", lex.For: "for foreach", lex.While: "while",
		lex.Do: "do", lex.Switch: "switch", lex.Case: "case",
		lex.Default: "default", lex.Return: "return", lex.Break: "break continue goto", lex.In: "in",
		lex.New: "new", lex.This: "this", lex.Super: "base", lex.Is: "is", lex.As: "as", lex.Await: "await",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw", lex.Value: "null true false",
		lex.Decl: "public private protected internal static readonly sealed abstract virtual override partial async " +
			"extern unsafe volatile const event implicit explicit ref out params fixed",
		lex.Prim: "void bool byte sbyte short ushort int uint long ulong char float double decimal string object",
		lex.Skip: "typeof nameof sizeof checked unchecked lock stackalloc",
	}), "'", "\"#@$")
	d.Special = lex.CSharpSpecial
	d.Class['$'] = lex.BeginsSpecial
	return d
}

func (r *reader) readCSharp() { r.readClasses(csharpDialect(), true) }

// usingName reads "System.Text;", "static X;" and "A = B.C;".
func (r *javaReader) usingName() {
	r.skipWord(lex.Decl)
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

// delegate reads a type of functions: delegate R F<T>(A a);
func (r *javaReader) delegate(from pos) {
	r.next()
	name, behind := r.memberName()
	if name == noPos || !r.token(behind).Is('(') {
		return
	}
	d := r.define(Alias, name, from)
	begin := r.beginScope()
	r.within(d, func() { r.methodRest(d, name, behind) })
	r.def(d).Type = 0 // it is no other name for what its functions return
	r.endScope(begin)
	r.finish(d)
}

// promise refers to the interface between the type and the name of a member that only this interface shows: R I.F()
func (r *javaReader) promise(name pos) {
	if !r.sharp || !r.token(name-1).Is('.') || r.at >= name-1 {
		return
	}
	m, outer := r.top(), r.until(name-1)
	r.typeName()
	r.drop(m)
	r.widen(outer)
}

// tuple reads a type of several values with or without names: (A a, B)
func (r *javaReader) tuple() {
	m, outer := r.top(), r.open()
	if r.enter() {
		for r.more() {
			r.typ()
			r.drop(m)
			r.at = r.commaOrEnd()
			r.next()
		}
		r.leave()
	}
	r.shut(outer)
	r.pushUnknown()
}

// accessors reads the brackets of a property or an event: {get; private set {…} init => x = value;}
func (r *javaReader) accessors() {
	t := r.def(r.cur).Type
	outer := r.open()
	for r.more() {
		at := r.at
		r.modifiers()
		switch {
		case r.soft("get"):
			r.next()
		case r.soft("set") || r.soft("init") || r.soft("add") || r.soft("remove"):
			r.bind(r.names.InternString("value"), t)
			r.next()
		}
		switch {
		case r.is('{'):
			r.body()
		case r.skip(lex.OpFat):
			r.exprsUntil(r.find(';', r.at, pos(len(r.view))))
		}
		r.skip(';')
		r.past(at)
	}
	r.shut(outer)
}

// localFunction reads a function in a body. Its type begins at the cursor; name and params are where these stand.
func (r *javaReader) localFunction(name, params, from pos) {
	begin := r.beginScope()
	d := r.define(Function, name, from)
	r.within(d, func() { r.methodRest(d, name, params) })
	r.endScope(begin)
	r.finish(d)
	r.bind(r.symAt(name), r.symAt(name))
}

// localParams is the place of the parameters of the function that begins at the cursor, whose type has n tokens; noPos:
// none does.
func (r *javaReader) localParams(n int) pos {
	if !r.sharp {
		return noPos
	}
	look := r.cursor
	look.advance(n + 1)
	if look.is('<') {
		look.at = r.angleEndAt(look.at)
	}
	params := look.at
	if !look.is('(') {
		return noPos
	}
	look.skipBrackets()
	if look.is('{') || look.is(lex.OpFat) || look.soft("where") {
		return params
	}
	return noPos
}
