package syntax

func (l *lexer) slash(i int) int {
	src := l.src
	if i+1 < len(src) && l.lang.slashes {
		switch src[i+1] {
		case '/':
			return l.lineComment(i)
		case '*':
			return l.blockComment(i)
		}
	}
	if l.lang.regex && l.operandNext() {
		if j := regexEnd(src, i, l.lang.regexLines); j > i {
			l.skipped(i, j)
			return l.str(i, j, '/')
		}
	}
	return l.operator(i)
}

// lineComment passes a comment up to the end of its line. A backslash before the end continues it only in C, where
// nobody means it.
func (l *lexer) lineComment(i int) int {
	for i < len(l.src) && l.src[i] != '\n' {
		i++
	}
	return i
}

func (l *lexer) blockComment(i int) int {
	if !l.lang.nested {
		j := find(l.src, i+2, "*/")
		l.skipped(i, j)
		return j
	}
	depth, j := 1, i+2
	for j+1 < len(l.src) && depth > 0 {
		switch string(l.src[j : j+2]) {
		case "/*":
			depth++
			j += 2
		case "*/":
			depth--
			j += 2
		default:
			j++
		}
	}
	if depth > 0 {
		j = len(l.src)
	}
	l.skipped(i, j)
	return j
}

// operandNext reports whether an operand, not an operator, is expected: whether / begins a regular expression.
func (l *lexer) operandNext() bool {
	if l.nl && l.lang.regexLines {
		return true // a line of Ruby begins with one, unless it goes on with a dot
	}
	if len(l.toks) == 0 {
		return true
	}
	t := &l.toks[len(l.toks)-1]
	switch t.kind {
	case tName:
		return t.word != noWord && t.word != wThis && t.word != wSuper && t.word != wValue && t.word != wBuiltin && t.word != wEnd && t.word != wFunc
	case tNumber, tString:
		return false
	case tPunct:
		return t.ch != ')' && t.ch != ']' && t.ch != '}'
	}
	return true
}

// maxRegex bounds a regular expression of several lines, so that a division taken for one does no harm far away.
const maxRegex = 4 << 10

// regexEnd is the offset behind the regular expression at i, or i: it ends on its line unless the language says otherwise.
func regexEnd(src []byte, i int, lines bool) int {
	src = src[:min(len(src), i+maxRegex)]
	set := false
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
				j++
				for j < len(src) && src[j] >= 'a' && src[j] <= 'z' {
					j++
				}
				return j
			}
		}
	}
	return i
}

func (l *lexer) operator(i int) int {
	a, b, c := l.src[i], byte(0), byte(0)
	if i+1 < len(l.src) {
		b = l.src[i+1]
	}
	if i+2 < len(l.src) {
		c = l.src[i+2]
	}
	ch, n := joined(a, b, c)
	return l.punct(i, n, ch)
}

// joined answers the operator that begins with the bytes a, b, c, and its length.
func joined(a, b, c byte) (byte, int) {
	switch {
	case a == ':' && b == ':':
		return opScope, 2
	case a == ':' && b == '=':
		return opDefine, 2
	case a == '-' && b == '>':
		return opArrow, 2
	case a == '=' && b == '>':
		return opFat, 2
	case a == '<' && b == '-':
		return opRecv, 2
	case a == '.' && b == '.':
		if c == '.' || c == '=' || c == '<' {
			return opDots, 3
		}
		return opDots, 2
	case a == '?' && b == '.':
		return opOptional, 2
	case a == '?' && b == '-' && c == '>':
		return opOptional, 3
	case a == '!' && b == '!':
		return opNotNull, 2
	case a == b && (a == '&' || a == '|' || a == '?'):
		if c == '=' {
			return opAssign, 3
		}
		return opLogic, 2
	case b == '=' && (a == '=' || a == '!' || a == '<' || a == '>'):
		if c == '=' {
			return opCompare, 3
		}
		return opCompare, 2
	case b == '=' && a != '?':
		return opAssign, 2
	}
	return a, 1
}
