package lex

// PHPSpecial reads comments, attributes, strings and the end of the code.
func PHPSpecial(l *Lexer, i int) int {
	switch l.src[i] {
	case '#':
		if l.at(i, "#[") { // an attribute
			return i
		}
		return l.lineComment(i)
	case '?':
		if l.at(i, "?>") {
			return l.PHPText(i + 2)
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

// PHPText passes the text before the next <?php or <?=, as one token that ends a statement.
func (l *Lexer) PHPText(i int) int {
	j := i
	for j < len(l.src) {
		j = Find(l.src, j, "<?")
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
	l.emit(Token{Start: int32(i), End: int32(j), Kind: Text, Char: ';'})
	l.nl = true
	return j
}

// phpHeredoc reads <<<ID, <<<"ID" and <<<'ID'.
func (l *Lexer) phpHeredoc(i int) int {
	word, j := l.docWord(i + 3)
	if word == "" {
		return l.operator(i)
	}
	j = l.lineEnd(j)
	if j >= len(l.src) {
		return l.str(i, j, '"')
	}
	l.Lines = append(l.Lines, int32(j+1))
	end := l.phpDocEnd(j+1, word)
	return l.str(i, end, '"')
}

// phpDocEnd is the offset after the closing word, which may be indented and followed by code.
func (l *Lexer) phpDocEnd(i int, word string) int {
	for i < len(l.src) {
		j := l.blanksEnd(i)
		if k := j + len(word); l.at(j, word) && l.wordEnd(k) == k {
			return k
		}
		i = min(l.lineEnd(j)+1, len(l.src))
		l.Lines = append(l.Lines, int32(i))
	}
	return len(l.src)
}
