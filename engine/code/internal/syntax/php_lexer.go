package syntax

// phpSpecial reads comments, attributes, strings and the end of the code.
func phpSpecial(l *lexer, i int) int {
	switch l.src[i] {
	case '#':
		if l.at(i, "#[") { // an attribute
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

// phpText passes the text before the next <?php or <?=, as one token that ends a statement.
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
	j = l.lineEnd(j)
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
		j := l.blanksEnd(i)
		if k := j + len(word); l.at(j, word) && l.wordEnd(k) == k {
			return k
		}
		i = min(l.lineEnd(j)+1, len(l.src))
		l.lines = append(l.lines, int32(i))
	}
	return len(l.src)
}
