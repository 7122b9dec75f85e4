package syntax

// legacy is what the readers share that count positions instead of moving a cursor.
type legacy struct {
	*reader
	toks []token
}

func (r *legacy) lex(d *dialect) {
	r.lexer.run(r.src, d)
	r.toks = r.lexer.toks
	r.reader.cursor = newCursor(r.src, r.toks)
}

// Positions are indices into toks, whose last token is a tEnd, so that toks[i+1] exists for every other i.

func (r *legacy) tok(i int) *token {
	if uint(i) >= uint(len(r.toks)) {
		i = len(r.toks) - 1 // before the first token as behind the last one there is the end
	}
	return &r.toks[i]
}

// is reports whether token i is the operator or bracket ch.
func (r *legacy) is(i int, ch byte) bool { return r.tok(i).is(ch) }

// word is token i's keyword; a name has none.
func (r *legacy) word(i int) word { return r.tok(i).word }

// name reports whether token i is a name and no keyword.
func (r *legacy) name(i int) bool { return r.tok(i).name() }

func (r *legacy) text(i int) []byte {
	t := r.tok(i)
	return r.src[t.start:t.end]
}

// soft reports whether token i is the name text: a word that is a keyword in some places only.
func (r *legacy) soft(i int, text string) bool {
	t := r.tok(i)
	return t.kind == tName && string(r.src[t.start:t.end]) == text
}

func (r *legacy) sym(i int) Sym { return r.symOf(r.tok(i)) }

// close is the index of the bracket that closes the one at i, at most hi. It is always past i.
func (r *legacy) close(i, hi int) int {
	return max(i+1, min(int(r.tok(i).aux), hi))
}

// after is the position behind the bracket pair at i.
func (r *legacy) after(i, hi int) int { return min(r.close(i, hi)+1, hi) }

func (r *legacy) lineOf(i int) int32 { return r.reader.lineOf(pos(i)) }

func (r *legacy) define(kind Kind, i, from int) int32 {
	return r.reader.define(kind, pos(i), pos(from))
}

func (r *legacy) defineNamed(kind Kind, name Sym, i, from int) int32 {
	return r.defineAs(kind, name, pos(i), pos(from))
}

// finish ends definition d with the token before i.
func (r *legacy) finish(d int32, i int) {
	r.at = pos(i)
	r.reader.finish(d)
}

// signature says that the signature of d ends before token i.
func (r *legacy) signature(d int32, i int) {
	r.at = pos(i)
	r.reader.signature(d)
}

// refer adds the reference to token i whose qualifier is the expression from start on.
func (r *legacy) refer(i, start int, use Use) {
	var q Sym
	if start < len(r.expr) {
		q = r.take(start)
	}
	r.reader.referTo(r.sym(i), q, use, pos(i))
}

// take interns the expression from start on, without removing it.
func (r *legacy) take(start int) Sym { return r.whole(mark(start)) }

func (r *legacy) referTo(name, q Sym, use Use, i int) { r.reader.referTo(name, q, use, pos(i)) }

// unbind forgets all local names but the first n.
func (r *legacy) unbind(n int) { r.endScope(scope(n)) }

// push appends a type to the expression under construction.
func (r *legacy) push(s Sym) { r.pushType(s) }

// known reports whether the expression from start on says anything.
func (r *legacy) known(start int) bool { return r.reader.known(mark(start)) }

// pop removes the expression from start on and answers it: 0 if nothing is known.
func (r *legacy) pop(start int) Sym { return r.reader.pop(mark(start)) }

// flat reads tokens that nest too deep to be understood: names and calls without types.
func (r *legacy) flat(i, hi int) int {
	r.at = pos(i)
	if i < hi {
		outer := r.until(pos(hi))
		r.reader.flat()
		r.widen(outer)
	}
	return hi
}
