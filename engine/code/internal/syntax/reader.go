package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// reader is what the readers of all languages share: a cursor in the file, the expressions and local names around it,
// and the rows that are being filled.
type reader struct {
	cursor
	expressions
	scopes
	lexer lex.Lexer
	rows  Rows
	refs  references

	cur   int32 // the definition around the cursor, or noDef
	depth int   // of recursion
	line  int   // where lineOf looked last
	// bounds: <T: A + B> is a list of types, and + between angle brackets no operator.
	bounds bool
}

// noDef stands for no definition: what stands at the top of a file has no parent.
const noDef int32 = -1

// lex cuts the file into tokens and stands before the first one.
func (r *reader) lex(d *lex.Dialect) {
	r.lexer.Run(r.src, d)
	r.cursor = newCursor(r.src, r.lexer.Tokens)
}

// enter counts one level of recursion; false: too deep, do not go on. Who enters leaves.
func (r *reader) enter() bool {
	if r.depth >= MaxDepth {
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// sym is the number of the name at the cursor, keyword or not; 0: there is none.
func (r *reader) sym() Sym { return r.symOf(r.tok()) }

// peekSym is the number of the name n tokens further on.
func (r *reader) peekSym(n int) Sym { return r.symOf(r.peek(n)) }

func (r *reader) symOf(t *lex.Token) Sym {
	if t.Kind != lex.Name {
		return 0
	}
	return r.names.intern(r.src[t.Start:t.End], t.Aux)
}

// token is the one at p, whether the cursor sees it or not.
func (r *reader) token(p pos) *lex.Token {
	toks := r.lexer.Tokens
	if uint(p) >= uint(len(toks)) {
		return &toks[len(toks)-1]
	}
	return &toks[p]
}

// symAt is the number of the name at p.
func (r *reader) symAt(p pos) Sym { return r.symOf(r.token(p)) }

// textAt is the text of the token at p.
func (r *reader) textAt(p pos) []byte {
	t := r.token(p)
	return r.src[t.Start:t.End]
}

// quoted is the text of the string at the cursor without its quotes; 0: there is no string.
func (r *reader) quoted() Sym { return r.quotedOf(r.tok()) }

func (r *reader) quotedOf(t *lex.Token) Sym {
	if t.Kind != lex.String || t.End-t.Start < 2 {
		return 0
	}
	return r.names.Intern(r.src[t.Start+1 : t.End-1])
}

// manyLines is how many lines lineOf walks on from where it looked last, before it searches.
const manyLines = 32

// lineOf is the line of the token at p, from 1. Readers ask for one line after the other, so it is found from the
// last one.
func (r *reader) lineOf(p pos) int32 {
	off := r.token(p).Start
	lines := r.lexer.Lines
	k := r.line
	if k >= len(lines) || lines[k] > off {
		return r.searchLine(off)
	}
	for steps := 0; k+1 < len(lines) && lines[k+1] <= off; steps++ {
		if steps > manyLines {
			return r.searchLine(off)
		}
		k++
	}
	r.line = k
	return int32(k) + 1
}

func (r *reader) searchLine(off int32) int32 {
	line := lineAt(r.lexer.Lines, off)
	r.line = int(line) - 1
	return line
}

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
