package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// javaReader reads Java and C#, whose types, members and bodies have one shape. What only one of them has is asked for
// by sharp; the larger parts of C# stand in files of its name.
type javaReader struct {
	curly
	sharp bool
	class int32 // the type whose members are read, or noDef
}

var javaDialect = sync.OnceValue(newJavaDialect)

func newJavaDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Package: "package", lex.Import: "import", lex.Class: "class", lex.Interface: "interface", lex.Enum: "enum",
		lex.Extends: "extends", lex.Implements: "implements", lex.Throws: "throws",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while",
		lex.Do: "do", lex.Switch: "switch", lex.Case: "case",
		lex.Default: "default", lex.Return: "return", lex.Break: "break continue",
		lex.New: "new", lex.This: "this", lex.Super: "super",
		lex.Try: "try", lex.Catch: "catch", lex.Finally: "finally", lex.Throw: "throw assert", lex.Is: "instanceof",
		lex.Value: "null true false", lex.Prim: "void boolean byte short int long char float double",
		lex.Decl: "public private protected static final abstract synchronized volatile transient native strictfp",
	}), "'", "\"")
	d.Special = lex.TripleSpecial("")
	return d
}

// dotted passes a.b.c and answers it.
func (r *javaReader) dotted() Sym {
	m := r.top()
	for r.tok().Kind == lex.Name {
		r.pushText(r.text())
		r.next()
		if !r.is('.') && !r.is(lex.OpScope) || r.peek(1).Kind != lex.Name {
			break
		}
		r.pushString(".")
		r.next()
	}
	return r.popText(m)
}

// importName reads "static a.b.C;" and "a.b.*;".
func (r *javaReader) importName() {
	r.skipWord(lex.Decl)
	path := r.dotted()
	at := r.at - 1
	if r.is('.') && r.peekIs(1, '*') {
		r.imported(at, ImportRow{Module: path, Name: r.star()})
		r.advance(2)
	} else {
		module, name := r.split(r.names.Text(path))
		r.imported(at, ImportRow{Module: module, Name: name, Local: name})
	}
	for r.more() && !r.skip(';') && !r.tok().First { // what no import has
		r.next()
	}
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
