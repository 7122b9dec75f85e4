package syntax

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
