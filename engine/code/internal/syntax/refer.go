package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// references keeps the references of one file distinct: only the first use of a name in a definition counts. Its
// table of row numbers is hashed by what makes a reference; a slot counts only in its own period, so that it need not
// be cleared for each file.
type references struct {
	seen   []seenRef
	period uint32
}

type seenRef struct {
	period uint32
	ref    int32
}

// firstSeen is the least size of the table.
const firstSeen = 1 << 12

func (s *references) begin() {
	s.period++
	if len(s.seen) == 0 {
		s.seen = make([]seenRef, firstSeen)
	}
}

// slot is where a reference with the hash of u belongs first.
func (s *references) slot(u *Ref) uint32 {
	h := uint32(u.Name)*0x9E3779B1 ^ uint32(u.Qualifier)*0x85EBCA6B
	h ^= uint32(u.From)*0xC2B2AE35 ^ uint32(u.Use)
	return lex.Spread(h) & uint32(len(s.seen)-1)
}

// after is the slot behind k.
func (s *references) after(k uint32) uint32 { return (k + 1) & uint32(len(s.seen)-1) }

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

// widen doubles the table.
func (s *references) widen(rows []Ref) {
	s.seen = make([]seenRef, 2*len(s.seen))
	for n := range rows {
		k := s.slot(&rows[n])
		for s.seen[k].period == s.period {
			k = s.after(k)
		}
		s.seen[k] = seenRef{s.period, int32(n)}
	}
}

// base refers to the base type at the cursor and passes it with its type arguments.
func (r *reader) base() {
	m := r.top()
	if (r.peekIs(1, '.') || r.peekIs(1, lex.OpScope)) && !r.isLocal(r.sym()) {
		r.referName(r.sym(), Mention)
	}
	r.qualifier()
	r.referMember(m, Inherit)
	r.drop(m)
	r.next()
	if r.is('<') {
		if end := r.angleEnd(); end > r.at {
			r.angleTypes(end)
		}
	}
}
