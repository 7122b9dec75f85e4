package lex

// maxSwiftHashes bounds the # before a string: more of them are no string that anybody writes.
const maxSwiftHashes = 16

// hashString reads Swift's #"…"#, or answers i.
func (l *Lexer) hashString(i int) int {
	n := i
	for n < len(l.src) && l.src[n] == '#' && n-i < maxSwiftHashes {
		n++
	}
	if !l.at(n, `"`) {
		return i
	}
	return l.Raw(i, n+1, "\""+string(l.src[i:n]), '"')
}
