package syntax

import (
	"strings"
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// goReader reads Go. Package go/parser would do, at three times the time and far more garbage; it is the oracle of
// this reader's tests instead.
type goReader struct {
	*reader
	// switched is the variable of the type switch around the cursor, which has a type of its own in each case; 0:
	// there is none.
	switched Sym
	// pending are the names read before their type is known, of all declarations that the cursor is in.
	pending []Sym
}

var goDialect = sync.OnceValue(newGoDialect)

func newGoDialect() *lex.Dialect {
	d := lex.NewDialect(lex.NewKeywords(map[lex.Word]string{
		lex.Package: "package", lex.Import: "import",
		lex.Func: "func", lex.Type: "type", lex.Var: "var", lex.Const: "const",
		lex.Map: "map", lex.Chan: "chan", lex.Struct: "struct", lex.Interface: "interface",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.Range: "range",
		lex.Switch: "switch", lex.Select: "select", lex.Case: "case", lex.Default: "default",
		lex.Return: "return", lex.Go: "go", lex.Defer: "defer",
		lex.Break: "break", lex.Continue: "continue", lex.Goto: "goto", lex.Fallthrough: "fallthrough",
		lex.Prim: "bool string byte rune any comparable uintptr float32 float64 complex64 complex128 " +
			"int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64",
		lex.Value:   "nil true false iota",
		lex.Builtin: "error",
		lex.Make:    "make new",
		lex.Append:  "append",
		lex.Skip:    "len cap panic",
	}), "\"'", "`")
	d.Special = func(l *lex.Lexer, i int) int { return l.Raw(i, i+1, "`", '`') }
	d.Outer = [2]lex.Word{lex.Func, lex.Type}
	return d
}

// group reads what the keyword at the cursor declares: one spec or, in brackets, several.
func (r *goReader) group(spec func()) {
	r.next()
	if !r.is('(') {
		spec()
		return
	}
	outer := r.open()
	for r.more() {
		at := r.at
		spec()
		r.past(at)
	}
	r.shut(outer)
}

// importSpec reads
//
//	"a/b"    name "a/b"    . "a/b"    _ "a/b"
func (r *goReader) importSpec() {
	var row ImportRow
	switch {
	case r.skip('.'):
		row.Name = r.star()
	case r.sym() != 0:
		row.Local = r.sym()
		r.next()
	}
	at := r.at
	row.Module = r.quoted()
	r.next()
	if row.Module == 0 {
		return
	}
	if row.Name == 0 && row.Local == 0 {
		row.Local = r.names.InternString(importName(r.names.Text(row.Module)))
	}
	r.imported(at, row)
}

// importName guesses the name of the package at an import path: gopkg.in/yaml.v3 is yaml, x/y/v2 is y, go-z is z.
func importName(path string) string {
	rest, last := cutLast(path, '/')
	if isVersion(last) && rest != "" {
		_, last = cutLast(rest, '/')
	}
	if i := strings.IndexByte(last, '.'); i > 0 {
		last = last[:i]
	}
	if len(last) > 3 {
		last = strings.TrimPrefix(last, "go-")
	}
	if len(last) > 3 {
		last = strings.TrimSuffix(last, "-go")
	}
	return last
}

// cutLast cuts a path at its last separator. Without one, all of it is the last part.
func cutLast(path string, separator byte) (rest, last string) {
	i := strings.LastIndexByte(path, separator)
	return path[:max(i, 0)], path[i+1:]
}

// isVersion reports whether s is v and a number.
func isVersion(s string) bool {
	digits, ok := strings.CutPrefix(s, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// bindNames binds the names in the brackets at the cursor.
func (r *goReader) bindNames() {
	outer := r.open()
	for ; r.more(); r.next() {
		if r.name() {
			r.bind(r.sym(), 0)
		}
	}
	r.shut(outer)
}

// maxNames bounds the names that one declaration may have for one type: what nobody writes is not remembered.
const maxNames = 64

// typeParams binds the type parameters at the cursor, if any, to their constraints:
//
//	[K comparable, V, W ~int | ~string]
func (r *goReader) typeParams() {
	if !r.is('[') {
		return
	}
	outer := r.open()
	base := len(r.pending)
	for r.more() {
		if r.name() && len(r.pending)-base < maxNames {
			r.pending = append(r.pending, r.sym())
			r.bind(r.sym(), 0)
		}
		r.next()
		if r.skip(',') { // V has the constraint of W
			continue
		}
		m := r.top()
		r.union()
		constraint := r.pop(m)
		for _, name := range r.pending[base:] {
			r.rebind(name, constraint)
		}
		r.pending = r.pending[:base]
		r.skip(',')
	}
	r.pending = r.pending[:base]
	r.shut(outer)
}

// union reads the types of a constraint, ~A | B, and pushes the first one; of several of them no methods are known.
func (r *goReader) union() {
	m := r.top()
	for n := 0; r.more() && !r.is(',') && !r.is(';'); n++ {
		at, next := r.at, r.top()
		r.typ()
		if n > 0 {
			r.drop(next)
		}
		r.past(at)
		if !r.skip('|') {
			break
		}
		r.forget(m)
	}
}

// generic tells type T[P any] from type T [N]int: whether type parameters stand in the brackets at the cursor.
func (r *goReader) generic() bool {
	if !r.peekName(1) {
		return false
	}
	after := r.peek(2)
	if after.Is(',') || after.Word == lex.Prim || after.Word == lex.Interface {
		return true
	}
	look := r.cursor
	look.skipBrackets()
	return r.closing() > r.at+2 && beginsGoType(after) && beginsGoType(look.tok())
}

// beginsGoType reports whether a type can begin with t.
func beginsGoType(t *lex.Token) bool {
	if t.Kind == lex.Punct {
		switch t.Char {
		case '*', '[', '(', lex.OpRecv, lex.OpDots, '~':
			return true
		}
		return false
	}
	if t.Kind != lex.Name {
		return false
	}
	switch t.Word {
	case lex.NoWord, lex.Prim, lex.Builtin, lex.Func, lex.Map, lex.Chan,
		lex.Struct, lex.Interface, lex.Make, lex.Append:
		return true
	}
	return false
}
