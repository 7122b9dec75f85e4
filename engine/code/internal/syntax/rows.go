package syntax

import (
	"slices"

	"helve/engine/code/internal/syntax/internal/lex"
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

// bind makes name a local one of the given type; 0 is an unknown type.
func (r *reader) bind(name, expr Sym) {
	if r.watch.has(name) {
		r.watchBind(name)
	}
	r.scopes.bind(name, expr)
}

// flat reads tokens that nest too deep to be understood, up to the limit: names and calls without types.
func (r *reader) flat() {
	for ; r.more(); r.next() {
		if !r.name() || r.peekIs(-1, '.') {
			continue
		}
		if name := r.sym(); !r.isLocal(name) {
			r.referName(name, r.useBefore('('))
		}
	}
}

// useBefore is how the name at the cursor is used: called, when the bracket stands behind it.
func (r *reader) useBefore(bracket byte) Use {
	if r.peekIs(1, bracket) {
		return Call
	}
	return Mention
}

// referMember refers to the name at the cursor as a member of the expression from m on, or, when there is none, to
// the name alone.
func (r *reader) referMember(m mark, use Use) {
	r.referTo(r.sym(), r.qualifierOf(m), use, r.at)
}

// qualifierOf is the expression from m on as a qualifier; 0: there is none.
func (r *reader) qualifierOf(m mark) Sym {
	if r.empty(m) {
		return 0
	}
	return r.whole(m)
}

// referName refers to name, which stands at the cursor alone.
func (r *reader) referName(name Sym, use Use) { r.referTo(name, 0, use, r.at) }

// referAt refers to the name at p, which stands alone.
func (r *reader) referAt(p pos, use Use) { r.referTo(r.symAt(p), 0, use, p) }

// referTo refers to name, which p mentions.
func (r *reader) referTo(name, q Sym, use Use, p pos) {
	if name == 0 {
		return
	}
	s := &r.refs
	row := Ref{Name: name, Qualifier: q, Use: use, From: r.cur}
	if r.watch.has(name) {
		r.watchRef(p, row)
	}
	for k := s.slot(&row); ; k = s.after(k) {
		slot := &s.seen[k]
		if slot.period != s.period {
			*slot = seenRef{s.period, int32(len(r.rows.Refs))}
			break
		}
		u := &r.rows.Refs[slot.ref]
		if u.Name == name && u.Qualifier == q && u.From == r.cur && u.Use == use {
			return
		}
	}
	row.Line = r.lineOf(p)
	r.rows.Refs = append(r.rows.Refs, row)
	if len(r.rows.Refs)*2 > len(s.seen) {
		s.widen(r.rows.Refs)
	}
}

// qualifier passes the a.b. of a.b.c and pushes a.b; the cursor then stands before the last name.
func (r *reader) qualifier() {
	m := r.top()
	for r.name() && isPathDot(r.peek(1)) && r.peekName(2) {
		if !r.empty(m) {
			r.pushString(".")
		}
		r.pushText(r.text())
		r.next()
		r.next()
	}
}

// isPathDot reports whether t parts the names of a path in some language: a.b, a::b, a\b.
func isPathDot(t *lex.Token) bool { return t.Is('.') || t.Is(lex.OpScope) || t.Is('\\') }

// site is the one at p, nil where nobody watches the name there.
func (r *reader) site(p pos) *Site {
	if r.watch == nil || p < 0 || int(p) >= len(r.lexer.Tokens) || !r.watch.has(r.symAt(p)) {
		return nil
	}
	s := r.watch.sites[p]
	if s == nil {
		s = &Site{Def: noDef}
		r.watch.sites[p] = s
	}
	return s
}

// watchRef notes a reference at p.
func (r *reader) watchRef(p pos, row Ref) {
	row.Line = r.lineOf(p)
	if s := r.site(p); s != nil && r.symAt(p) == row.Name && !slices.Contains(s.Refs, row) {
		s.Refs = append(s.Refs, row)
	}
}

// watchBind notes a local name.
func (r *reader) watchBind(name Sym) {
	if len(r.watch.binds) < maxBindings {
		r.watch.binds = append(r.watch.binds, Bound{r.names.Text(name), r.cur})
	}
}
