package lex

// PythonSpecial reads comments, strings with their prefixes and lines that go on.
func PythonSpecial(l *Lexer, i int) int {
	c := l.src[i]
	switch {
	case c == '#':
		return l.lineComment(i)
	case l.at(i, "\\\n"):
		l.Lines = append(l.Lines, int32(i+2))
		return i + 2
	case l.at(i, "\\\r\n"):
		l.Lines = append(l.Lines, int32(i+3))
		return i + 3
	case c == '\\':
		return i
	}
	start, _ := l.prefix(i, "rRbBuUfFtT")
	if long := string([]byte{c, c, c}); l.at(i, long) {
		return l.long(start, i+3, long)
	}
	return l.prefixed(start, i)
}
