package syntax

// This file cuts the languages whose code is mixed with text: PHP, Ruby and shell.

func phpSpecial(l *lexer, i int) int {
	switch l.src[i] {
	case '#':
		if l.at(i, "#[") {
			return i
		}
		return l.lineComment(i)
	case '?':
		if l.at(i, "?>") {
			return l.phpText(i + 2)
		}
		return l.operator(i)
	case '<':
		if l.at(i, "<<<") {
			return l.phpHeredoc(i)
		}
		return l.operator(i)
	}
	return l.long(i, i+1, string(l.src[i:i+1]))
}

// phpText passes the text before the next <?php or <?=.
func (l *lexer) phpText(i int) int {
	j := i
	for j < len(l.src) {
		j = find(l.src, j, "<?")
		if l.at(j, "php") {
			j += 3
			break
		}
		if l.at(j, "=") {
			j++
			break
		}
	}
	l.skipped(i, j)
	l.emit(token{start: int32(i), end: int32(j), kind: tText, ch: ';'})
	l.nl = true
	return j
}

// phpHeredoc reads <<<ID, <<<"ID" and <<<'ID'.
func (l *lexer) phpHeredoc(i int) int {
	word, j := l.docWord(i + 3)
	if word == "" {
		return l.operator(i)
	}
	for j < len(l.src) && l.src[j] != '\n' {
		j++
	}
	if j >= len(l.src) {
		return l.str(i, j, '"')
	}
	l.lines = append(l.lines, int32(j+1))
	end := l.phpDocEnd(j+1, word)
	return l.str(i, end, '"')
}

// phpDocEnd is the offset after the closing word, which may be indented and followed by code.
func (l *lexer) phpDocEnd(i int, word string) int {
	for i < len(l.src) {
		j := i
		for j < len(l.src) && (l.src[j] == ' ' || l.src[j] == '\t') {
			j++
		}
		if k := j + len(word); l.at(j, word) && (k >= len(l.src) || l.lang.class[l.src[k]] != cName && l.lang.class[l.src[k]] != cDigit) {
			return k
		}
		for j < len(l.src) && l.src[j] != '\n' {
			j++
		}
		i = min(j+1, len(l.src))
		l.lines = append(l.lines, int32(i))
	}
	return len(l.src)
}

// docWord reads the word of a here-document at i, quoted or not.
func (l *lexer) docWord(i int) (string, int) {
	src := l.src
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	if i < len(src) && src[i] == '\\' {
		i++
	}
	if i < len(src) && (src[i] == '"' || src[i] == '\'' || src[i] == '`') {
		j := i + 1
		for j < len(src) && src[j] != src[i] && src[j] != '\n' && j-i < 128 {
			j++
		}
		if j < len(src) && src[j] == src[i] {
			return string(src[i+1 : j]), j + 1
		}
		return "", i
	}
	j := i
	for j < len(src) && (src[j] == '_' || src[j] >= '0' && src[j] <= '9' && j > i || src[j]|0x20 >= 'a' && src[j]|0x20 <= 'z') && j-i < 128 {
		j++
	}
	return string(src[i:j]), j
}

func rubySpecial(l *lexer, i int) int {
	src := l.src
	switch src[i] {
	case '#':
		return l.lineComment(i)
	case '=':
		if l.nl && l.at(i, "=begin") && (i == 0 || src[i-1] == '\n') {
			return l.rubyComment(i)
		}
		return l.operator(i)
	case '<':
		return l.rubyHeredoc(i)
	case '%':
		return l.rubyPercent(i)
	case '?':
		return l.rubyMark(i)
	case '!':
		if l.adjacentName(i) && !l.at(i+1, "=") {
			l.toks[len(l.toks)-1].end++ // save!
			return i + 1
		}
		return l.operator(i)
	case ':':
		return l.rubySymbol(i)
	case '`':
		if n := len(l.toks); n > 0 && l.toks[n-1].word == wFunc {
			return l.operator(i) // def `(command)
		}
		return l.holed(i, i+1, '`', "#{")
	}
	return l.rubyString(i)
}

// rubyString reads "…", which may span lines.
func (l *lexer) rubyString(i int) int {
	j := i + 1
	for {
		j = l.holedEnd(j, '"', "#{", 0)
		if j >= len(l.src) || l.src[j] != '\n' || l.src[j-1] == '"' && j-1 > i {
			break
		}
		j++
	}
	l.skipped(i, j)
	return l.str(i, j, '"')
}

// rubySymbol reads :name and the colon of name: for both of which a keyword is a name like others.
func (l *lexer) rubySymbol(i int) int {
	n, next := len(l.toks), byte(0)
	if i+1 < len(l.src) {
		next = l.src[i+1]
	}
	before := n > 0 && int(l.toks[n-1].end) == i
	switch {
	case next == ':':
		return l.operator(i)
	case before && l.toks[n-1].kind == tName:
		l.toks[n-1].word = noWord
	case l.lang.class[next] == cName && !before || before && l.lang.class[next] == cName && l.toks[n-1].kind == tPunct && l.toks[n-1].ch != ')' && l.toks[n-1].ch != ']':
		i = l.punct(i, 1, ':')
		i = l.name(i)
		l.toks[len(l.toks)-1].word = noWord
		return i
	}
	return l.operator(i)
}

func (l *lexer) adjacentName(i int) bool {
	n := len(l.toks)
	return n > 0 && l.toks[n-1].kind == tName && l.toks[n-1].word == noWord && int(l.toks[n-1].end) == i
}

// rubyMark tells empty? from ?a and from the operator.
func (l *lexer) rubyMark(i int) int {
	src := l.src
	if l.adjacentName(i) && i+1 < len(src) && (src[i+1] != ':' || l.at(i+1, "::")) {
		l.toks[len(l.toks)-1].end++
		return i + 1
	}
	if l.operandNext() && i+2 < len(src) && src[i+1] > ' ' && l.lang.class[src[i+2]] != cName {
		return l.str(i, i+2, '\'')
	}
	return l.operator(i)
}

func (l *lexer) rubyComment(i int) int {
	j := find(l.src, i, "\n=end")
	for j < len(l.src) && l.src[j] != '\n' {
		j++
	}
	l.skipped(i, j)
	return j
}

func (l *lexer) rubyHeredoc(i int) int {
	j := i + 2
	if !l.at(i, "<<") || j >= len(l.src) {
		return l.operator(i)
	}
	indent := l.src[j] == '-' || l.src[j] == '~'
	if indent {
		j++
	}
	if j < len(l.src) && l.src[j] == ' ' {
		return l.punct(i, 2, '<')
	}
	word, end := l.docWord(j)
	if word == "" || !indent && (l.src[j] >= 'a' && l.src[j] <= 'z' || !l.operandNext()) {
		return l.punct(i, 2, '<') // x << y
	}
	l.docs = append(l.docs, heredoc{word, indent})
	return l.str(i, end, '"')
}

// rubyPercent reads %w[…], %q(…), %(…) and their kin.
func (l *lexer) rubyPercent(i int) int {
	src := l.src
	j := i + 1
	if j < len(src) && contains("wWqQiIrsx", src[j]) {
		j++
	}
	if !l.operandNext() || j >= len(src) || !contains("([{<|!/", src[j]) {
		return l.operator(i)
	}
	open, shut, depth := src[j], src[j], 0
	if k := indexByte("([{<", open); k >= 0 {
		shut = ")]}>"[k]
	}
	for j++; j < len(src); j++ {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == shut && depth == 0:
			l.skipped(i, j)
			return l.str(i, j+1, '"')
		case src[j] == shut:
			depth--
		case src[j] == open:
			depth++
		}
	}
	l.skipped(i, len(src))
	return l.str(i, len(src), '"')
}

func indexByte(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}
