package syntax

import "slices"

// Nameless reports whether definition i is a method of a class without a name: its Owner are the bases of that class
// then.
func (f *File) Nameless(i int) bool {
	d := &f.Definitions[i]
	return d.Owner != "" && Nameless(f.Language, d.Kind, d.Parent >= 0 && !f.Definitions[d.Parent].Kind.Type())
}

// Nameless is File.Nameless for a definition that has an owner; inside: it stands in another definition that is no
// type. In other languages, and places, the owner is the type that the definition belongs to.
func Nameless(l Language, k Kind, inside bool) bool {
	switch l {
	case PHP:
		return k == Method
	case Java, Kotlin, JavaScript, TypeScript:
		return k == Method && inside
	}
	return false
}

// Bounds on one file. Hand-written source stays far below each of them; generated and hostile files do not.
const (
	// MaxFileSize is the largest file that is read, in bytes. The largest header of a Linux kernel has 25 MB.
	MaxFileSize = 32 << 20
	// MaxDepth bounds recursion over nested brackets and blocks. Text nested deeper is read flat, without types.
	MaxDepth = 200
	// maxExpr bounds a symbolic expression in bytes: longer chains say less and cost more.
	maxExpr = 160
	// maxBindings bounds the local variables remembered at one time in one file.
	maxBindings = 4096
	// minifiedLine is the mean line length from which a large script counts as minified, not written by anyone.
	minifiedLine = 800
	// minifiedSize is the size in bytes below which a script is read whatever its lines look like.
	minifiedSize = 64 << 10
)

// Kind says what a definition defines.
type Kind uint8

// The kinds of definitions. Function to Constructor are callable, Class to Alias are types.
const (
	Other Kind = iota
	Function
	Method
	Constructor
	Class
	Struct
	Interface // also trait and protocol
	Enum
	Union
	Alias // a type of another form: typedef, type alias, Go's defined types
	Variable
	Constant
	Field
	Member // a constant of an enumeration
	Macro
	Module // namespace, module, package
	Section
	Key
)

var kindNames = [...]string{"other", "function", "method", "constructor", "class", "struct", "interface", "enum", "union",
	"type", "variable", "constant", "field", "member", "macro", "module", "section", "key"}

// String is the kind's name in lower case, for example "function".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

// Callable reports whether definitions of this kind have a body that runs when called.
func (k Kind) Callable() bool {
	return k == Function || k == Method || k == Constructor || k == Macro
}

// Type reports whether definitions of this kind have members.
func (k Kind) Type() bool { return k >= Class && k <= Alias }

// Use says how a reference uses its name.
type Use uint8

// The uses. Inherit links a type to a base, an interface or a trait.
const (
	Call Use = iota
	Mention
	Inherit

	// No reader finds these: they hold between methods, and between a Go type and an interface.

	Implement
	Override
)

var useNames = [...]string{"call", "use", "inherit", "implements", "overrides"}

// String is the use's name in lower case.
func (u Use) String() string {
	if int(u) < len(useNames) {
		return useNames[u]
	}
	return "use"
}

// Definition is one named thing that a file defines.
type Definition struct {
	Name string
	Kind Kind
	// Parent is the index of the definition that encloses this one, or -1.
	Parent int
	// Owner names the type that a definition belongs to when it does not stand inside it: the receiver of a Go
	// method, the X of X::f in C++, the type of a Rust impl. Of a method of a class without a name the bases of that
	// ("A,b.C", see Nameless). Empty otherwise.
	Owner string
	// Type is a symbolic expression: the type of a variable or field, the results of a function ("A,B").
	Type string
	// Start and End are byte offsets; src[Start:End] is the whole definition, decorators included.
	Start, End int
	// Body is the offset where the signature ends; Start <= Body <= End.
	Body int
	// Line and EndLine count from 1. Line is where the name stands.
	Line, EndLine int
}

// Reference is the first use of a name in one definition.
type Reference struct {
	Name string
	// Qualifier is the expression whose member Name is; empty: Name stands alone; "?": an expression of unknown type.
	// Behind the mark stands what such a receiver is called, if it has a name: ?b of a.b, ?b() of a.b(c).
	//
	//	a.b       the member b of a; the first name is looked up in the file: never a local variable
	//	f()  f()1 the first result of f; the second
	//	x[]       an element of x
	//	[T]       a list, array, map or channel of T
	//	{A,B}     a function that returns A and B
	Qualifier string
	Use       Use
	// From is the index of the innermost definition around the reference, or -1.
	From int
	Line int
}

// Import is one name that a file brings in from elsewhere.
type Import struct {
	Module string // as written: a path, a dotted name, a file
	Name   string // the one name that is imported, "*" for all, empty for the module itself
	Local  string // how it is called in this file; empty when it binds no name
	Line   int
}

// File is what one source file defines, refers to and imports.
type File struct {
	Language Language
	// Package is the declared package or namespace, in JavaScript the name that module.exports is; empty where there
	// is none.
	Package string
	// Definitions stand in the order of the text, so a parent precedes its children.
	Definitions []Definition
	References  []Reference
	Imports     []Import
	Lines       int
	// Generic says that nothing is known of this language and that the definitions are guessed from the text's shape.
	Generic bool
	// Skipped says why a file was read in part or not at all; empty when it was read entirely.
	Skipped string
}

// Rows is what one file holds, with numbers for names: the form that an index keeps.
type Rows struct {
	Language Language
	Package  Sym
	Defs     []Def
	Refs     []Ref
	Imports  []ImportRow
	Lines    int
	Generic  bool
	Skipped  string
}

// Def is a Definition. Owner and Type are 0 where empty.
type Def struct {
	Name, Owner, Type Sym
	Kind              Kind
	Parent            int32
	Start, End, Body  int32
	Line, EndLine     int32
}

// Ref is a Reference.
type Ref struct {
	Name, Qualifier Sym
	Use             Use
	From            int32
	Line            int32
}

// ImportRow is an Import.
type ImportRow struct {
	Module, Name, Local Sym
	Line                int32
}

// file turns numbers into names.
func (r *Rows) file(n *Names) File {
	f := File{Language: r.Language, Package: n.Text(r.Package), Lines: r.Lines, Generic: r.Generic, Skipped: r.Skipped}
	for _, d := range r.Defs {
		f.Definitions = append(f.Definitions, Definition{Name: n.Text(d.Name), Kind: d.Kind, Parent: int(d.Parent),
			Owner: n.Text(d.Owner), Type: n.Text(d.Type), Start: int(d.Start), End: int(d.End), Body: int(d.Body),
			Line: int(d.Line), EndLine: int(d.EndLine)})
	}
	for _, u := range r.Refs {
		f.References = append(f.References, Reference{Name: n.Text(u.Name), Qualifier: n.Text(u.Qualifier), Use: u.Use,
			From: int(u.From), Line: int(u.Line)})
	}
	for _, i := range r.Imports {
		f.Imports = append(f.Imports, Import{Module: n.Text(i.Module), Name: n.Text(i.Name), Local: n.Text(i.Local), Line: int(i.Line)})
	}
	return f
}

// reset empties r and keeps its memory.
func (r *Rows) reset() {
	*r = Rows{Defs: r.Defs[:0], Refs: r.Refs[:0], Imports: r.Imports[:0]}
}

// lineAt is the line, from 1, of an offset, given the offsets of line starts.
func lineAt(lines []int32, off int32) int32 {
	i, found := slices.BinarySearch(lines, off)
	if found {
		i++
	}
	return int32(i)
}
