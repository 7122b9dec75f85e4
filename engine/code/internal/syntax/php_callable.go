package syntax

import "helve/engine/code/internal/syntax/internal/lex"

// isMethodPair reports whether [$this, 'name'] stands at the cursor, or array(X::class, 'name'): to what calls
// functions it is the method of that name.
func (r *phpReader) isMethodPair() bool {
	look := r.cursor
	if look.soft("array") {
		look.next()
	}
	if !look.is('[') && (look.at == r.at || !look.is('(')) {
		return false
	}
	look.open()
	last := pos(len(look.view)) - 1
	return last >= look.at+2 && look.view[last].Kind == lex.String && look.find(',', look.at, last) == last-1
}

// methodPair reads the pair at the cursor.
func (r *phpReader) methodPair() {
	r.skipSoft("array")
	outer, m := r.open(), r.top()
	r.value()
	if text := r.peekText(1); r.is(',') && r.known(m) && isQuotedName(text) {
		r.referTo(r.names.Intern(text[1:len(text)-1]), r.whole(m), Mention, r.at+1)
	}
	r.exprs()
	r.drop(m)
	r.shut(outer)
}

// isQuotedName reports whether text is a name between quotes.
func isQuotedName(text []byte) bool {
	if len(text) < 3 || text[0] != text[len(text)-1] {
		return false
	}
	for i, c := range text[1 : len(text)-1] {
		if c >= '0' && c <= '9' && i > 0 || c >= 0x80 || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			continue
		}
		return false
	}
	return true
}
