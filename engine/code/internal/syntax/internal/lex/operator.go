package lex

// operator reads an operator, of several characters where readers ask for it as one.
func (l *Lexer) operator(i int) int {
	if i+1 < len(l.src) && secondBytes[l.src[i+1]] {
		for _, o := range operators[l.src[i]] {
			if l.at(i, o.text) {
				return l.punct(i, len(o.text), o.ch)
			}
		}
	}
	return l.punct(i, 1, l.src[i])
}

// slash reads a comment, a regular expression or a division.
func (l *Lexer) slash(i int) int {
	switch {
	case l.Dialect.Slashes && l.at(i, "//"):
		return l.lineComment(i)
	case l.Dialect.Slashes && l.at(i, "/*"):
		return l.blockComment(i)
	case l.Dialect.Regex && l.operandNext():
		if j := regexEnd(l.src, i, l.Dialect.RegexLines); j > i {
			l.skipped(i, j)
			return l.str(i, j, '/')
		}
	}
	return l.operator(i)
}

// lineComment passes a comment up to the end of its line. A backslash before the end continues it only in C, where
// nobody means it.
func (l *Lexer) lineComment(i int) int {
	for i < len(l.src) && l.src[i] != '\n' {
		i++
	}
	return i
}

func (l *Lexer) blockComment(i int) int {
	end := Find(l.src, i+2, "*/")
	if l.Dialect.Nested {
		end = l.nestedComment(i + 2)
	}
	l.skipped(i, end)
	return end
}

// nestedComment is the offset behind a comment whose text begins at i and may hold others.
func (l *Lexer) nestedComment(i int) int {
	for depth := 1; i+1 < len(l.src); {
		switch {
		case l.at(i, "/*"):
			depth++
			i += 2
		case l.at(i, "*/"):
			i += 2
			if depth--; depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(l.src)
}

// operandNext reports whether an operand, not an operator, is expected: whether / begins a regular expression.
func (l *Lexer) operandNext() bool {
	t := l.last()
	if t == nil || l.nl && l.Dialect.RegexLines {
		return true // a line of Ruby begins with one, unless it goes on with a dot
	}
	switch t.Kind {
	case Name:
		return !t.Word.endsOperand()
	case Number, String:
		return false
	case Punct:
		return t.Char != ')' && t.Char != ']' && t.Char != '}'
	}
	return true
}

// endsOperand reports whether an operator follows this word: a name, or a keyword that stands for a value.
func (w Word) endsOperand() bool {
	switch w {
	case NoWord, This, Super, Value, Builtin, End, Func:
		return true
	}
	return false
}

// maxRegex bounds a regular expression of several lines, so that a division taken for one does no harm far away.
const maxRegex = 4 << 10

// regexEnd is the offset behind the regular expression at i, or i: it ends on its line unless the language says
// otherwise.
func regexEnd(src []byte, i int, lines bool) int {
	src = src[:min(len(src), i+maxRegex)]
	set := false // inside […], where a slash ends nothing
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '\n':
			if !lines {
				return i
			}
		case '[':
			set = true
		case ']':
			set = false
		case '/':
			if !set {
				return flagsEnd(src, j+1)
			}
		}
	}
	return i
}

// flagsEnd passes the flags behind a regular expression: the gi of /x/gi.
func flagsEnd(src []byte, i int) int {
	for i < len(src) && src[i] >= 'a' && src[i] <= 'z' {
		i++
	}
	return i
}
