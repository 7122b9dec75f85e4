package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// Unbalanced is the line of the first bracket of the last file read that has no partner, with the bracket; 0: each has
// one.
func (x *Extractor) Unbalanced() (line int, bracket string) {
	r := &x.r
	for p := range r.lexer.Tokens {
		t := &r.lexer.Tokens[p]
		if t.Start == t.End {
			continue // the lexer's own, for one that is missing
		}
		if t.Opens() && r.unclosed(t) || t.Closes() && int(t.Aux) == p {
			return int(r.searchLine(t.Start)), string(r.src[t.Start:t.End])
		}
	}
	return 0, ""
}

// unclosed reports whether an opening bracket has another partner than its own kind.
func (r *reader) unclosed(t *lex.Token) bool {
	if int(t.Aux) >= len(r.lexer.Tokens) {
		return true
	}
	partner := &r.lexer.Tokens[t.Aux]
	return partner.Kind != lex.Punct || partner.Start == partner.End || partner.Char != lex.ClosingOf(t.Char)
}
