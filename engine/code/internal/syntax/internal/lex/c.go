package lex

// maxSaved bounds the brackets remembered for open conditionals: nothing written by hand comes near.
const maxSaved = 1 << 14

// CSpecialByte handles the preprocessor and the prefixes of strings in C and C++.
func CSpecialByte(l *Lexer, i int) int {
	switch l.src[i] {
	case '#':
		if l.nl {
			return preprocessor{l}.directive(i)
		}
		return i
	case '\\':
		if l.at(i, "\\\n") {
			l.Lines = append(l.Lines, int32(i+2))
			return i + 2
		}
		return i
	case '\'':
		if t := l.last(); t != nil && t.Kind == Number && int(t.End) == i { // 1'000'000
			return i
		}
		return l.quoted(i, '\'')
	}
	start, raw := l.prefix(i, "LuU8R")
	if raw {
		return l.delimited(start, i)
	}
	return l.prefixed(start, i)
}

// maxDelimiter is how long the x of R"x(…)x" may be, as the standard has it, with its quote.
const maxDelimiter = 17

// delimited reads R"x(…)x". It begins at start, its quote stands at i.
func (l *Lexer) delimited(start, i int) int {
	j := i + 1
	for j < len(l.src) && j-i <= maxDelimiter && l.src[j] != '(' && l.src[j] != '\n' {
		j++
	}
	if !l.at(j, "(") {
		return l.quoted(i, '"')
	}
	return l.Raw(start, j, ")"+string(l.src[i+1:j])+"\"", '"')
}

// preprocessor reads the lines that begin with # in C and C++.
type preprocessor struct{ *Lexer }

// directive reads one line of the preprocessor. Conditions steer the pairing of brackets; what defines or includes
// becomes a token.
func (l preprocessor) directive(i int) int {
	word, k := l.directiveWord(i)
	switch word {
	case "if":
		if l.isZero(k) {
			return l.excluded(l.directiveEnd(i))
		}
		l.openCondition()
	case "ifdef", "ifndef":
		l.openCondition()
	case "else", "elif", "elifdef", "elifndef":
		l.nextBranch()
	case "endif":
		l.closeCondition()
	case "define", "include", "import", "include_next":
		end := l.directiveEnd(i)
		l.emit(Token{Start: int32(i), End: int32(end), Kind: Directive})
		l.nl = true
		return end
	}
	end := l.directiveEnd(i)
	l.nl = true
	return end
}

// directiveWord answers the word behind the # at i and the offset behind it. There may be blanks between them.
func (l preprocessor) directiveWord(i int) (string, int) {
	j := l.blanksEnd(i + 1)
	k := j
	for k < len(l.src) && l.src[k] >= 'a' && l.src[k] <= 'z' {
		k++
	}
	return string(l.src[j:k]), k
}

// directiveEnd is the end of the logical line: one that ends with a backslash goes on, and so does one in whose block
// comment the line ends.
func (l preprocessor) directiveEnd(i int) int {
	src := l.src
	for i < len(src) && src[i] != '\n' {
		switch {
		case src[i] != '\\' && src[i] != '/':
		case l.at(i, "\\\n"):
			l.Lines = append(l.Lines, int32(i+2))
			i++
		case l.at(i, "\\\r\n"):
			l.Lines = append(l.Lines, int32(i+3))
			i += 2
		case l.at(i, "/*"):
			end := Find(src, i+2, "*/")
			l.skipped(i, end)
			i = end - 1
		case l.at(i, "//"):
			return l.lineComment(i)
		}
		i++
	}
	return min(i, len(src))
}

// isZero reports whether what stands at i, behind #if, is a lone 0.
func (l preprocessor) isZero(i int) bool {
	i = l.blanksEnd(i)
	if !l.at(i, "0") {
		return false
	}
	if i+1 >= len(l.src) || l.src[i+1] == '/' {
		return true
	}
	after := l.Dialect.Class[l.src[i+1]]
	return after == BeginsLine || after == BeginsSpace
}

// excluded passes the text under #if 0, up to its #else or past its #endif.
func (l preprocessor) excluded(i int) int {
	for depth := 1; i < len(l.src); {
		i++ // the line feed
		l.Lines = append(l.Lines, int32(i))
		end := l.lineEnd(i)
		word := ""
		if k := l.blanksEnd(i); l.at(k, "#") {
			word, _ = l.directiveWord(k)
		}
		switch word {
		case "if", "ifdef", "ifndef":
			depth++
		case "else", "elif":
			if depth == 1 {
				l.openCondition()
				l.nl = true
				return end
			}
		case "endif":
			if depth--; depth == 0 {
				l.nl = true
				return end
			}
		}
		i = end
	}
	return len(l.src)
}

// condition is an #if that is still open. Both of its branches may open the same bracket, which one #endif later is
// closed once:
//
//	#ifdef A
//	int f(int a) {
//	#else
//	int f(long a) {
//	#endif
//	}
//
// So the brackets that were open before it are kept, as saved[from:to], and are open again when its next branch begins.
type condition struct {
	from, to int // from is -1 when there were more than maxSaved of them
}

func (l preprocessor) openCondition() {
	from := len(l.saved)
	if from+len(l.open) > maxSaved {
		l.conds = append(l.conds, condition{-1, from})
		return
	}
	l.saved = append(l.saved, l.open...)
	l.conds = append(l.conds, condition{from, len(l.saved)})
}

// nextBranch begins #else: brackets are open as they were before the #if, whatever the branch before did. What only
// that branch left open ends here.
func (l preprocessor) nextBranch() {
	if len(l.conds) == 0 {
		return
	}
	c := l.conds[len(l.conds)-1]
	if c.from < 0 {
		return
	}
	before := l.saved[c.from:c.to]
	same := 0
	for same < len(before) && same < len(l.open) && before[same] == l.open[same] {
		same++
	}
	for _, lost := range l.open[same:] {
		l.Tokens[lost].Aux = uint32(len(l.Tokens))
	}
	l.open = append(l.open[:0], before...)
}

func (l preprocessor) closeCondition() {
	n := len(l.conds)
	if n == 0 {
		return
	}
	c := l.conds[n-1]
	l.conds = l.conds[:n-1]
	if c.from < 0 {
		l.saved = l.saved[:c.to]
		return
	}
	l.saved = l.saved[:c.from]
}
