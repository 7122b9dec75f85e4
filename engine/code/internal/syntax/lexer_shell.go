package syntax

// This file cuts what only the shell has: its quotes, parameters and commands inside both.

func shellSpecial(l *lexer, i int) int {
	src := l.src
	switch src[i] {
	case '#':
		if i == 0 || contains(" \t\n;(&|", src[i-1]) {
			return l.lineComment(i)
		}
		return i
	case '\\':
		return l.shellEscape(i)
	case '<':
		return l.shellHeredoc(i)
	case '$':
		return l.shellDollar(i)
	case '\'':
		return l.raw(i, i+1, "'", '\'')
	case '`':
		return i // the commands between two of them are read like others
	}
	return l.shellString(i)
}

func (l *lexer) shellEscape(i int) int {
	if i+1 < len(l.src) && l.src[i+1] == '\n' {
		l.lines = append(l.lines, int32(i+2))
	}
	return min(i+2, len(l.src))
}

func (l *lexer) shellHeredoc(i int) int {
	if l.at(i, "<<<") {
		return l.punct(i, 3, '<')
	}
	if !l.at(i, "<<") {
		return i
	}
	j := i + 2
	indent := j < len(l.src) && l.src[j] == '-'
	if indent {
		j++
	}
	word, end := l.docWord(j)
	if word == "" {
		return l.punct(i, 2, '<')
	}
	l.docs = append(l.docs, heredoc{word, indent})
	return l.str(i, end, '"')
}

// shellDollar passes variables; $( and ${ are left to the brackets.
func (l *lexer) shellDollar(i int) int {
	src := l.src
	if i+1 >= len(src) {
		return i
	}
	switch c := src[i+1]; {
	case c == '\'':
		return l.quoted(i+1, '\'')
	case c == '{':
		return l.str(i, l.parameterEnd(i), '$')
	case c == '(':
		return i + 1
	case l.lang.class[c] == cName || l.lang.class[c] == cDigit:
		j := i + 1
		for j < len(src) && (l.lang.class[src[j]] == cName || l.lang.class[src[j]] == cDigit) {
			j++
		}
		return l.str(i, j, '$')
	}
	if contains("?#@*!-", src[i+1]) {
		return l.str(i, i+2, '$')
	}
	return i
}

// parameterEnd is the offset behind ${…} at i, which may hold others: ${a="${b}/c"}. It ends on its line.
func (l *lexer) parameterEnd(i int) int {
	first, depth := 0, 0
	for j := i; j < len(l.src) && l.src[j] != '\n'; j++ {
		switch c := l.src[j]; {
		case c == '\\':
			j++
		case c == '{' && (j == i+1 || l.src[j-1] == '$'):
			depth++
		case c == '}':
			if first == 0 {
				first = j + 1
			}
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return max(first, i+2)
}

// shellString reads "…", with the commands in $(…) and `…` inside it as part of the text.
func (l *lexer) shellString(i int) int {
	src, depth := l.src, 0
	for j := i + 1; j < len(src); j++ {
		switch c := src[j]; {
		case c == '\\':
			j++
		case c == '$' && l.at(j, "$("):
			depth++
			j++
		case c == '$' && l.at(j, "${"):
			j = l.parameterEnd(j) - 1
		case c == ')' && depth > 0:
			depth--
		case c == '`':
			j = max(l.backTick(j+1), j)
		case c == '"' && (depth == 0 || !l.quoteInside(j)):
			l.skipped(i, j)
			return l.str(i, j+1, '"')
		case c == '"':
			for j++; j < len(src) && src[j] != '"'; j++ {
			}
		}
	}
	l.skipped(i, len(src))
	return l.str(i, len(src), '"')
}

// backTick is the offset of the back tick that ends the commands at i, on their line; 0: none does.
func (l *lexer) backTick(i int) int {
	for ; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '`':
			return i
		}
	}
	return 0
}

// quoteInside reports whether the quote at j, inside $(…), has a partner on its line.
func (l *lexer) quoteInside(j int) bool {
	for k := j + 1; k < len(l.src) && l.src[k] != '\n'; k++ {
		if l.src[k] == '"' {
			return true
		}
	}
	return false
}
