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

func (r *reader) readJava() { r.readClasses(javaDialect(), false) }

// readClasses reads a file of Java or C#.
func (r *reader) readClasses(d *lex.Dialect, sharp bool) {
	r.lex(d)
	j := &javaReader{curly: curly{reader: r, angles: true}, sharp: sharp, class: noDef}
	j.language = j
	j.members()
}

// members reads what stands in a file, a namespace or a type, up to the limit.
func (r *javaReader) members() {
	if !r.enter() {
		r.flat()
		return
	}
	for r.more() {
		at := r.at
		r.oneMember()
		r.past(at)
	}
	r.leave()
}

// oneMember reads an import, a type, a member of a type or an initialiser, with the modifiers before it. The type
// parameters among these hold up to its end.
func (r *javaReader) oneMember() {
	begin := r.beginScope()
	from := r.at
	r.modifiers()
	r.afterModifiers(from)
	r.endScope(begin)
}

// afterModifiers reads what the modifiers from the token from on belong to.
func (r *javaReader) afterModifiers(from pos) {
	switch r.word() {
	case lex.Package:
		r.next()
		r.rows.Package = r.dotted()
	case lex.Import:
		r.next()
		r.importName()
	case lex.Using:
		r.next()
		r.usingName()
	case lex.Module:
		r.namespace()
	case lex.Class, lex.Interface, lex.Enum, lex.Struct:
		r.typeAt(from)
	default:
		switch {
		case r.is('{'): // an initialiser
			r.body()
		case r.beginsSoftType():
			r.softType(from)
		default:
			r.declared(from)
		}
	}
}

// modifiers passes annotations, attributes, words such as public, and the type parameters before a method of Java.
func (r *javaReader) modifiers() {
	for r.more() {
		switch {
		case r.is('@'):
			r.next()
			if r.tok().Kind == lex.Name && r.word() != lex.Interface {
				r.annotation()
			}
		case r.is('[') && r.sharp:
			r.inBrackets()
		case r.is('<') && !r.sharp:
			r.typeParams()
		case r.soft("non") && r.peekIs(1, '-'): // non-sealed
			r.advance(2)
		case r.isModifier():
			r.next()
		default:
			return
		}
	}
}

// isModifier reports whether a word that says more of the declaration behind it stands at the cursor.
func (r *javaReader) isModifier() bool {
	switch r.word() {
	case lex.Decl, lex.Default:
		return true
	case lex.New:
		return r.sharp
	case lex.NoWord:
		return r.peek(1).Kind == lex.Name && (r.soft("sealed") || r.soft("required") || r.soft("file") || r.soft("global"))
	}
	return false
}

// annotation reads the name behind @, and what stands in brackets behind it. Type parameters behind it are a method's.
func (r *javaReader) annotation() {
	m := r.top()
	r.qualifier()
	r.referMember(m, Mention)
	r.drop(m)
	r.next()
	if r.is('(') {
		r.inBrackets()
	}
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
