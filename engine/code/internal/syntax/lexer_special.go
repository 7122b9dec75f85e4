package syntax

// This file holds what each language's lexer does differently: prefixes of strings, raw strings, here-documents.

// heredoc is text that begins on the next line and ends at a line that holds only word.
type heredoc struct {
	word   string
	indent bool // the last line may be indented
}

// heredocs passes the texts announced on the line before i.
func (l *lexer) heredocs(i int) int {
	docs := l.docs
	l.docs = l.docs[:0]
	for _, d := range docs {
		i = l.heredoc(i, d)
	}
	l.nl = true
	return i
}

func (l *lexer) heredoc(i int, d heredoc) int {
	for i < len(l.src) {
		end := i
		for end < len(l.src) && l.src[end] != '\n' {
			end++
		}
		if d.ends(l.src[i:end]) {
			return end
		}
		i = min(end+1, len(l.src))
		l.lines = append(l.lines, int32(i))
	}
	return i
}

func (d heredoc) ends(line []byte) bool {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	for d.indent && len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return string(line) == d.word
}

// prefix takes back the name that stands directly before i when it consists of the letters in set only: the r of
// r"…". It answers the offset where the string begins.
func (l *lexer) prefix(i int, set string) (start int, raw bool) {
	n := len(l.toks)
	if n == 0 || l.toks[n-1].kind != tName || int(l.toks[n-1].end) != i || i-int(l.toks[n-1].start) > 3 {
		return i, false
	}
	t := l.toks[n-1]
	for _, c := range l.src[t.start:t.end] {
		if !contains(set, c) {
			return i, false
		}
		raw = raw || c == 'r' || c == 'R'
	}
	l.toks = l.toks[:n-1]
	l.nl = t.nl
	return int(t.start), raw
}

func contains(set string, c byte) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

// at reports whether src goes on with text at i.
func (l *lexer) at(i int, text string) bool {
	return i+len(text) <= len(l.src) && string(l.src[i:i+len(text)]) == text
}

func goSpecial(l *lexer, i int) int { return l.raw(i, i+1, "`", '`') }

func pythonSpecial(l *lexer, i int) int {
	c := l.src[i]
	switch c {
	case '#':
		return l.lineComment(i)
	case '\\':
		if j := i + 1; j < len(l.src) && l.src[j] == '\n' { // the line goes on
			l.lines = append(l.lines, int32(j+1))
			return j + 1
		} else if l.at(i, "\\\r\n") {
			l.lines = append(l.lines, int32(i+3))
			return i + 3
		}
		return i
	}
	start, _ := l.prefix(i, "rRbBuUfFtT")
	if l.at(i, "\"\"\"") || l.at(i, "'''") {
		return l.long(start, i+3, string([]byte{c, c, c}))
	}
	j := l.quoted(i, c)
	l.toks[len(l.toks)-1].start = int32(start)
	return j
}

// long reads a string of several lines in which a backslash protects the next byte.
func (l *lexer) long(start, from int, end string) int {
	src := l.src
	for j := from; j < len(src); j++ {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == end[0] && l.at(j, end):
			j += len(end)
			for len(end) == 3 && j < len(src) && src[j] == end[0] { // """x"""" holds a quote at its end
				j++
			}
			l.skipped(start, j)
			return l.str(start, j, end[0])
		}
	}
	l.skipped(start, len(src))
	return l.str(start, len(src), end[0])
}

func rustSpecial(l *lexer, i int) int {
	src := l.src
	switch src[i] {
	case '\'':
		return l.rustQuote(i)
	case '#':
		if start, raw := l.prefix(i, "rbc"); raw {
			n := i
			for n < len(src) && src[n] == '#' {
				n++
			}
			if n < len(src) && src[n] == '"' && n-i < 256 {
				return l.raw(start, n+1, "\""+string(src[i:n]), '"')
			}
			return l.name(min(n, len(src)-1)) // r#type
		}
		return i
	}
	start, raw := l.prefix(i, "rbc")
	if raw {
		return l.raw(start, i+1, "\"", '"')
	}
	return l.long(start, i+1, "\"")
}

// rustQuote tells the character 'a' from the lifetime 'a.
func (l *lexer) rustQuote(i int) int {
	src := l.src
	if i+1 < len(src) && src[i+1] == '\\' {
		return l.quoted(i, '\'')
	}
	j := i + 1
	for j < len(src) && j < i+6 && src[j] != '\'' && src[j] != '\n' {
		j++
	}
	if j < len(src) && src[j] == '\'' && (j == i+2 || src[i+1] >= 0x80) {
		return l.str(i, j+1, '\'')
	}
	j = i + 1
	for j < len(src) && (l.lang.class[src[j]] == cName || l.lang.class[src[j]] == cDigit) {
		j++
	}
	return l.punct(i, max(j-i, 1), '\'')
}

// tripleSpecial reads the strings of Java, Kotlin and Swift; hole begins an expression inside one.
func tripleSpecial(hole string) func(*lexer, int) int {
	return func(l *lexer, i int) int {
		switch l.src[i] {
		case '#':
			return l.hashString(i)
		case '`':
			return l.backName(i)
		}
		if l.at(i, "\"\"\"") {
			return l.long(i, i+3, "\"\"\"")
		}
		return l.holed(i, i+1, '"', hole)
	}
}

// backName reads `name`: the quotes are not part of the name.
func (l *lexer) backName(i int) int {
	if i+1 < len(l.src) && l.lang.class[l.src[i+1]] == cName {
		j := l.name(i + 1)
		if j < len(l.src) && l.src[j] == '`' {
			l.toks[len(l.toks)-1].word = noWord
			return j + 1
		}
		return j
	}
	return i
}

// hashString reads Swift's #"…"#, or answers i.
func (l *lexer) hashString(i int) int {
	n := i
	for n < len(l.src) && l.src[n] == '#' && n-i < 16 {
		n++
	}
	if n >= len(l.src) || l.src[n] != '"' {
		return i
	}
	return l.raw(i, n+1, "\""+string(l.src[i:n]), '"')
}

// holed reads a string of one line from j to quote; an expression in it, from hole (such as "${") to its bracket, may
// hold quotes of its own. An expression nested deeper than eight strings is read as text.
func (l *lexer) holed(i, j int, quote byte, hole string) int {
	j = l.holedEnd(j, quote, hole, 0)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

func (l *lexer) holedEnd(j int, quote byte, hole string, level int) int {
	src := l.src
	for j < len(src) {
		switch c := src[j]; {
		case c == quote:
			return j + 1
		case hole == "{" && l.at(j, "{{"):
			j++
		case hole != "" && c == hole[0] && l.at(j, hole) && level < 8:
			j = l.holeEnd(j+len(hole), hole[len(hole)-1], quote, hole, level)
			continue
		case c == '\\':
			j++
		case c == '\n':
			return j
		}
		j++
	}
	return len(src)
}

// holeEnd finds the bracket that ends the expression, on the same line.
func (l *lexer) holeEnd(j int, open, quote byte, hole string, level int) int {
	src, depth := l.src, 1
	shut := byte('}')
	if open == '(' {
		shut = ')'
	}
	for j < len(src) && src[j] != '\n' {
		switch c := src[j]; c {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return j + 1
			}
		case quote:
			j = l.holedEnd(j+1, quote, hole, level+1)
			continue
		}
		j++
	}
	return j
}

func csharpSpecial(l *lexer, i int) int {
	src := l.src
	switch src[i] {
	case '#':
		if l.nl {
			return l.lineComment(i)
		}
		return i
	case '@', '$':
		return l.csharpPrefix(i)
	}
	if l.at(i, "\"\"\"") {
		return l.quotes(i, i)
	}
	return l.holed(i, i+1, '"', "")
}

// quotes reads a string between three or more quotes.
func (l *lexer) quotes(start, i int) int {
	n := i
	for n < len(l.src) && l.src[n] == '"' {
		n++
	}
	return l.raw(start, n, string(l.src[i:n]), '"')
}

// csharpPrefix reads @"…", $"…", $@"…", $"""…""" and @name.
func (l *lexer) csharpPrefix(i int) int {
	src, j, verbatim, holes := l.src, i, false, false
	for j < len(src) && (src[j] == '@' || src[j] == '$') {
		verbatim = verbatim || src[j] == '@'
		holes = holes || src[j] == '$'
		j++
	}
	switch {
	case j >= len(src):
		return i
	case l.at(j, "\"\"\"") && !verbatim:
		return l.quotes(i, j)
	case src[j] == '"' && verbatim:
		return l.verbatim(i, j+1)
	case src[j] == '"' && holes:
		return l.holed(i, j+1, '"', "{")
	case verbatim && l.lang.class[src[j]] == cName:
		j = l.name(j)
		l.toks[len(l.toks)-1].word = noWord
		return j
	}
	return i
}

// verbatim reads to the quote that is not doubled.
func (l *lexer) verbatim(start, j int) int {
	for j < len(l.src) {
		if l.src[j] == '"' {
			if !l.at(j, "\"\"") {
				j++
				break
			}
			j++
		}
		j++
	}
	j = min(j, len(l.src))
	l.skipped(start, j)
	return l.str(start, j, '"')
}
