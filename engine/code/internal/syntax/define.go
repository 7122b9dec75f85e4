package syntax

import (
	"bytes"
)

// define adds a definition whose name stands at name and that begins at from. Its end is set by finish.
func (r *reader) define(kind Kind, name, from pos) int32 {
	return r.defineAs(kind, r.symAt(name), name, from)
}

// defineAs is define for a name that is more, or less, than one token.
func (r *reader) defineAs(kind Kind, name Sym, at, from pos) int32 {
	line := r.lineOf(at)
	end := r.token(at).End
	r.rows.Defs = append(r.rows.Defs, Def{
		Name: name, Kind: kind, Parent: r.cur,
		Start: r.token(from).Start, End: end, Body: end,
		Line: line, EndLine: line,
	})
	d := int32(len(r.rows.Defs) - 1)
	if s := r.site(at); s != nil {
		s.Def = d
	}
	return d
}

// def is the definition d.
func (r *reader) def(d int32) *Def { return &r.rows.Defs[d] }

// signature says that the signature of d ends before the cursor.
func (r *reader) signature(d int32) {
	if r.at > 0 {
		r.def(d).Body = r.token(r.at - 1).End
	}
}

// finish says that d ends before the cursor.
func (r *reader) finish(d int32) {
	if r.at <= 0 {
		return
	}
	end := r.token(r.at - 1).End
	def := r.def(d)
	if end > def.End {
		def.End = end
		def.EndLine = lineAt(r.lexer.Lines, end-1)
	}
	if def.Body < def.Start || def.Body > def.End {
		def.Body = def.End
	}
}

// within runs f as the inside of definition d.
func (r *reader) within(d int32, f func()) {
	was := r.cur
	r.cur = d
	f()
	r.cur = was
}

// member is a name in a definition, or at the top of a file, as one number: maps of numbers are quick.
type member uint64

func memberOf(parent int32, name Sym) member { return member(uint32(parent))<<32 | member(name) }

// maxPath bounds the parts of a dotted name.
const maxPath = 8

// classPath is the dotted name of a type: those of the types around it and its own.
func (r *reader) classPath(d int32) string {
	path := ""
	for n := 0; d >= 0 && n < maxPath; n++ {
		def := r.def(d)
		if path == "" {
			path = r.names.Text(def.Name)
		} else {
			path = r.names.Text(def.Name) + "." + path
		}
		d = def.Parent
		if d >= 0 && !r.def(d).Kind.Type() {
			break
		}
	}
	return path
}

// imported adds an import that stands at the token at.
func (r *reader) imported(at pos, row ImportRow) {
	row.Line = r.lineOf(at)
	if s := r.site(at); s != nil {
		s.Imported = true
	}
	r.rows.Imports = append(r.rows.Imports, row)
}

// star is the name of an import of everything.
func (r *reader) star() Sym { return r.names.InternString("*") }

// nameless is what a reader knows of the class without a name around the cursor: new T() {…}, object : T {…}, new
// class extends T {…}. Such a class is no definition. Its methods belong to what stands around it and have its bases
// for their Owner, so that who asks what implements a method of T finds them.
type nameless struct {
	bases Sym // separated by commas, or 0
	end   pos // of its body
}

// withoutName has read read the body in the brackets at the cursor, of a class without a name that has these bases.
func (r *curly) withoutName(bases Sym, read func()) {
	around := r.nameless
	r.nameless = nameless{bases, r.closing()}
	read()
	r.nameless = around
}

// inNameless reports whether the cursor stands among the members of a class without a name, and in nothing that
// stands there.
func (r *curly) inNameless() bool { return r.nameless.bases != 0 && pos(len(r.view)) == r.nameless.end }

// standsIn says for what the method d of a class without a name stands in. What stands directly in another class is a
// member of that.
func (r *curly) standsIn(d int32, bases Sym) {
	if parent := r.def(d).Parent; parent < 0 || !r.def(parent).Kind.Type() {
		r.def(d).Owner = bases
	}
}

// basesBetween are the dotted names of types from one place up to another, without their arguments, separated by
// commas.
func (r *reader) basesBetween(from, to pos) Sym {
	m, behind := r.top(), r.at
	for r.at = from; r.at < to; {
		switch {
		case r.skipSoft("implements") || r.skipSoft("by") || r.skipAngles():
		case r.name():
			if !r.empty(m) {
				r.pushString(",")
			}
			r.dottedName()
		default:
			r.skipOne()
		}
	}
	r.at = behind
	return r.pop(m)
}

// dottedName passes a.b.c and pushes it.
func (r *reader) dottedName() {
	m := r.top()
	r.qualifier()
	if !r.empty(m) {
		r.pushString(".")
	}
	r.pushText(r.text())
	r.next()
}

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

// maxSections bounds the outline of a file of prose or data.
const maxSections = 20_000

// maxKeyDepth is how deep keys of data count as an outline.
const maxKeyDepth = 4

// outline is what the readers share that know lines only, and no tokens: sections of a file, one in another by their
// level.
type outline struct {
	*reader
	open []section // those around the line that is read, the outermost first
}

// section is a heading or key with the lines below it.
type section struct {
	def   int32
	level int // of two sections the one with the higher level stands in the other
}

// textLine is one line of a file.
type textLine struct {
	text       []byte // without its end
	start, end int    // in the file
	number     int    // from 1
}

// lines calls each for one line after the other, as long as the outline has room.
func (o *outline) lines(each func(l textLine)) {
	start := 0
	for n := 1; start < len(o.src) && len(o.rows.Defs) < maxSections; n++ {
		end := len(o.src)
		if k := bytes.IndexByte(o.src[start:], '\n'); k >= 0 {
			end = start + k
		}
		text := bytes.TrimRight(o.src[start:end], "\r")
		each(textLine{text, start, start + len(text), n})
		start = end + 1
	}
	for _, s := range o.open {
		o.end(s, len(o.src), o.rows.Lines)
	}
}

// section adds a heading or key, whose name stands in the lines from one to another, and ends the sections that it
// closes.
func (o *outline) section(kind Kind, name []byte, level int, from, to textLine) {
	for n := len(o.open); n > 0 && o.open[n-1].level >= level; n = len(o.open) {
		o.end(o.open[n-1], from.start, from.number-1)
		o.open = o.open[:n-1]
	}
	parent := noDef
	if n := len(o.open); n > 0 {
		parent = o.open[n-1].def
	}
	if len(name) > maxExpr {
		name = name[:maxExpr]
	}
	o.open = append(o.open, section{int32(len(o.rows.Defs)), level})
	o.rows.Defs = append(o.rows.Defs, Def{
		Name: o.names.Intern(name), Kind: kind, Parent: parent,
		Start: int32(from.start), End: int32(to.end), Body: int32(to.end),
		Line: int32(from.number), EndLine: int32(from.number),
	})
}

// end ends a section before an offset, with a line.
func (o *outline) end(s section, offset, line int) {
	def := o.def(s.def)
	def.End, def.EndLine = max(int32(offset), def.Start), max(int32(line), def.Line)
	def.Body = min(def.Body, def.End)
}
