package lex

// php reads comments, attributes, strings and the end of the code.
type php struct{ *Lexer }

// PHPSpecial is Dialect.Special of PHP.
func PHPSpecial(l *Lexer, i int) int { return php{l}.special(i) }

func (l php) special(i int) int {
	switch l.src[i] {
	case '#':
		if l.at(i, "#[") { // an attribute
			return i
		}
		return l.lineComment(i)
	case '?':
		if l.at(i, "?>") {
			return PHPText(l.Lexer, i+2)
		}
		return l.operator(i)
	case '<':
		if l.at(i, "<<<") {
			return l.announced(i)
		}
		return l.operator(i)
	}
	return l.long(i, i+1, string(l.src[i:i+1]))
}

// PHPText passes the text before the next <?php or <?=, as one token that ends a statement.
func PHPText(l *Lexer, i int) int {
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

// announced reads <<<ID, <<<"ID" and <<<'ID'.
func (l php) announced(i int) int {
	word, j := l.docWord(i + 3)
	if word == "" {
		return l.operator(i)
	}
	j = l.lineEnd(j)
	if j >= len(l.src) {
		return l.str(i, j, '"')
	}
	l.Lines = append(l.Lines, int32(j+1))
	end := l.announcedEnd(j+1, word)
	return l.str(i, end, '"')
}

// announcedEnd is the offset after the closing word, which may be indented and followed by code.
func (l php) announcedEnd(i int, word string) int {
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
