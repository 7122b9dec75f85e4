package syntax

// Unbalanced is the line of the first bracket of the last file read that has no partner, with the bracket; 0: each has
// one.
func (x *Extractor) Unbalanced() (line int, bracket string) {
	r := &x.r
	for p := range r.lexer.toks {
		t := &r.lexer.toks[p]
		if t.start == t.end {
			continue // the lexer's own, for one that is missing
		}
		if t.opens() && r.unclosed(t) || t.closes() && int(t.aux) == p {
			return int(r.searchLine(t.start)), string(r.src[t.start:t.end])
		}
	}
	return 0, ""
}

// unclosed reports whether an opening bracket has another partner than its own kind.
func (r *reader) unclosed(t *token) bool {
	if int(t.aux) >= len(r.lexer.toks) {
		return true
	}
	partner := &r.lexer.toks[t.aux]
	return partner.kind != tPunct || partner.start == partner.end || partner.ch != closingOf(t.ch)
}
