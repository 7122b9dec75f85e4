package syntax

import "slices"

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

// Extractor reads files one after the other and reuses its memory. Not safe for concurrent use.
type Extractor struct {
	// Names numbers the names of all files read so far. The caller may Reset it between files.
	Names *Names
	r     reader
}

// NewExtractor returns an extractor with names of its own.
func NewExtractor() *Extractor {
	x := &Extractor{Names: NewNames()}
	x.r.names = x.Names
	return x
}

// Rows reads one file. The path, slash-separated, tells the language. The result is valid until the next call.
func (x *Extractor) Rows(path string, src []byte) *Rows {
	return x.r.read(path, src)
}

// Extract reads one file. The path, slash-separated, tells the language; src is not kept.
func Extract(path string, src []byte) File {
	x := NewExtractor()
	return x.Rows(path, src).file(x.Names)
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
