package syntax

// maxSaved bounds the brackets remembered for open conditionals: nothing written by hand comes near.
const maxSaved = 1 << 14

// cSpecialByte handles the preprocessor and the prefixes of strings in C and C++.
func cSpecialByte(l *lexer, i int) int {
	src := l.src
	switch src[i] {
	case '#':
		if l.nl {
			return l.directive(i)
		}
		return i
	case '\\':
		if i+1 < len(src) && src[i+1] == '\n' {
			l.lines = append(l.lines, int32(i+2))
			return i + 2
		}
		return i
	case '\'':
		if i > 0 && l.digitBefore(i) { // 1'000'000
			return i
		}
		return l.quoted(i, '\'')
	}
	start, raw := l.prefix(i, "LuU8R")
	if raw {
		return l.delimited(start, i)
	}
	j := l.quoted(i, '"')
	l.toks[len(l.toks)-1].start = int32(start)
	return j
}

func (l *lexer) digitBefore(i int) bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].kind == tNumber && int(l.toks[n-1].end) == i
}

// delimited reads R"x(…)x".
func (l *lexer) delimited(start, i int) int {
	j := i + 1
	for j < len(l.src) && j-i <= 17 && l.src[j] != '(' && l.src[j] != '\n' {
		j++
	}
	if j >= len(l.src) || l.src[j] != '(' {
		return l.quoted(i, '"')
	}
	return l.raw(start, j, ")"+string(l.src[i+1:j])+"\"", '"')
}

// directive reads one line of the preprocessor. Conditions steer the pairing of brackets; what defines or includes
// becomes a token.
func (l *lexer) directive(i int) int {
	j := i + 1
	for j < len(l.src) && (l.src[j] == ' ' || l.src[j] == '\t') {
		j++
	}
	k := j
	for k < len(l.src) && l.src[k] >= 'a' && l.src[k] <= 'z' {
		k++
	}
	switch string(l.src[j:k]) {
	case "if":
		if l.isZero(k) {
			return l.excluded(l.lineEnd(i))
		}
		l.openCondition()
	case "ifdef", "ifndef":
		l.openCondition()
	case "else", "elif", "elifdef", "elifndef":
		l.nextBranch()
	case "endif":
		l.closeCondition()
	case "define", "include", "import", "include_next":
		end := l.lineEnd(i)
		l.emit(token{start: int32(i), end: int32(end), kind: tDirective})
		l.nl = true
		return end
	}
	end := l.lineEnd(i)
	l.nl = true
	return end
}

// lineEnd is the end of the logical line: one that ends with a backslash goes on, and so does one in whose block
// comment the line ends.
func (l *lexer) lineEnd(i int) int {
	src := l.src
	for i < len(src) && src[i] != '\n' {
		switch {
		case src[i] == '\\' && i+1 < len(src) && src[i+1] == '\n':
			l.lines = append(l.lines, int32(i+2))
			i++
		case src[i] == '\\' && l.at(i, "\\\r\n"):
			l.lines = append(l.lines, int32(i+3))
			i += 2
		case src[i] == '/' && i+1 < len(src) && src[i+1] == '*':
			end := find(src, i+2, "*/")
			l.skipped(i, end)
			i = end - 1
		case src[i] == '/' && i+1 < len(src) && src[i+1] == '/':
			return l.lineComment(i)
		}
		i++
	}
	return min(i, len(src))
}

func (l *lexer) isZero(i int) bool {
	for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\t') {
		i++
	}
	if i >= len(l.src) || l.src[i] != '0' {
		return false
	}
	return i+1 >= len(l.src) || l.lang.class[l.src[i+1]] == cLine || l.lang.class[l.src[i+1]] == cSpace || l.src[i+1] == '/'
}

// excluded passes the text under #if 0, up to its #else or past its #endif.
func (l *lexer) excluded(i int) int {
	depth := 1
	for i < len(l.src) {
		i++ // the line feed
		l.lines = append(l.lines, int32(i))
		word, end := l.directiveWord(i)
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

// directiveWord answers the word after # on the line at i, and the line's end.
func (l *lexer) directiveWord(i int) (string, int) {
	end := i
	for end < len(l.src) && l.src[end] != '\n' {
		end++
	}
	line := l.src[i:end]
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	if len(line) == 0 || line[0] != '#' {
		return "", end
	}
	line = line[1:]
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	n := 0
	for n < len(line) && line[n] >= 'a' && line[n] <= 'z' {
		n++
	}
	return string(line[:n]), end
}

func (l *lexer) openCondition() {
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
func (l *lexer) nextBranch() {
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
		l.toks[lost].aux = uint32(len(l.toks))
	}
	l.open = append(l.open[:0], before...)
}

func (l *lexer) closeCondition() {
	if n := len(l.conds); n > 0 {
		c := l.conds[n-1]
		l.conds = l.conds[:n-1]
		l.saved = l.saved[:max(c.from, 0)]
		if c.from < 0 {
			l.saved = l.saved[:c.to]
		}
	}
}
