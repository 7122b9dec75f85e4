package syntax

// lexer cuts one file into tokens. Its methods take the byte offset where something begins and answer the offset
// behind it. Its buffers are reused from file to file.
type lexer struct {
	src     []byte
	dialect *dialect
	toks    []token
	lines   []int32 // offsets of line starts
	nl      bool    // the next token is the first one of its line
	cut     bool    // there are more tokens than MaxTokens
	docs    []heredoc
	brackets
}

// run cuts src. The tokens, which end with a tEnd, stay valid until the next run.
func (l *lexer) run(src []byte, d *dialect) {
	l.start(src, d)
	from := 0
	if l.at(0, "\uFEFF") { // a byte order mark
		from = 3
	}
	l.scan(from)
	l.finish()
}

const (
	// bytesPerToken is how many bytes of source have a token, in dense files: growing by appending would leave several
	// times the tokens behind as garbage.
	bytesPerToken = 6
	// keptTokens is the length from which the list of tokens is given back after a file: 1.3 MB.
	keptTokens = 1 << 16
	// firstTokens is the least length.
	firstTokens = 1 << 12
)

// start empties the buffers for a new file.
func (l *lexer) start(src []byte, d *dialect) {
	l.src, l.dialect = src, d
	l.toks = l.toks[:0]
	l.lines = append(l.lines[:0], 0)
	l.docs = l.docs[:0]
	l.nl, l.cut = true, false
	l.brackets.reset()
	want := min(len(src)/bytesPerToken, MaxTokens)
	kept := cap(l.toks)
	// One file in a thousand is large: its tokens are not kept for the others.
	if kept < want || kept > keptTokens && kept > 2*want {
		l.toks = nil
		l.toks = make([]token, 0, max(want, firstTokens))
	}
}

// finish ends the list of tokens. What is never closed goes on to the end.
func (l *lexer) finish() {
	for _, o := range l.open {
		l.toks[o].aux = uint32(len(l.toks))
	}
	end := int32(len(l.src))
	l.toks = append(l.toks, token{start: end, end: end, nl: true})
}

// scan cuts the text from i on. It is the inner loop of everything: one step by the class of the next byte.
func (l *lexer) scan(i int) {
	src, class := l.src, &l.dialect.class
	for i < len(src) {
		switch c := src[i]; class[c] {
		case cSpace:
			for i++; i < len(src) && src[i] == ' '; i++ { // lines begin with many
			}
		case cLine:
			i = l.newline(i)
		case cName:
			i = l.name(i)
		case cDigit:
			i = l.number(i)
		case cOpen:
			i = l.opening(i)
		case cClose:
			i = l.closing(i)
		case cQuote:
			i = l.quoted(i, c)
		case cSlash:
			i = l.slash(i)
		case cOp:
			i = l.operator(i)
		case cSpecial:
			if j := l.dialect.special(l, i); j > i {
				i = j
			} else {
				i = l.punct(i, 1, c)
			}
		default:
			i = l.punct(i, 1, c)
		}
		if len(l.toks) >= MaxTokens {
			l.cut = true
			return
		}
	}
}

// emit adds a token.
func (l *lexer) emit(t token) {
	t.nl = l.nl
	l.nl = false
	l.toks = append(l.toks, t)
}

// punct emits a token of n bytes at i that readers see as ch.
func (l *lexer) punct(i, n int, ch byte) int {
	l.emit(token{start: int32(i), end: int32(i + n), kind: tPunct, ch: ch})
	return i + n
}

// str emits the string between i and j.
func (l *lexer) str(i, j int, quote byte) int {
	l.emit(token{start: int32(i), end: int32(j), kind: tString, ch: quote})
	return j
}

// last is the token before the present position, or nil at the beginning of the file.
func (l *lexer) last() *token {
	if len(l.toks) == 0 {
		return nil
	}
	return &l.toks[len(l.toks)-1]
}

// newline passes the line feed at i.
func (l *lexer) newline(i int) int {
	l.nl = true
	l.lines = append(l.lines, int32(i+1))
	if len(l.docs) > 0 {
		return l.heredocs(i + 1)
	}
	return i + 1
}

// skipped records the line starts inside src[i:j], a comment or string of several lines.
func (l *lexer) skipped(i, j int) {
	for k := i; k < j; k++ {
		if l.src[k] == '\n' {
			l.lines = append(l.lines, int32(k+1))
		}
	}
}

// name reads a name or keyword and hashes it on the way: the hash finds the keyword now and numbers the name later.
func (l *lexer) name(i int) int {
	src, class := l.src, &l.dialect.class
	h := uint32(hashSeed)
	j := i
	for j < len(src) && (class[src[j]] == cName || class[src[j]] == cDigit) {
		h = (h ^ uint32(src[j])) * hashPrime
		j++
	}
	w := l.dialect.words.find(src[i:j], h)
	if w != noWord && l.nl && len(l.open) > 0 && l.beginsAfresh(w, i, j) {
		l.closeAll(i)
	}
	l.emit(token{start: int32(i), end: int32(j), aux: h, kind: tName, word: w})
	return j
}

// beginsAfresh reports whether the keyword w at src[i:j] begins a definition that can stand in no bracket.
func (l *lexer) beginsAfresh(w word, i, j int) bool {
	outer := w == l.dialect.outer[0] || w == l.dialect.outer[1]
	return outer && l.src[i-1] == '\n' && l.at(j, " ")
}

// number reads 12, 0x1F, 1.5e-3, 1_000 and 10ms: digits, letters, points before digits and the sign of an exponent.
func (l *lexer) number(i int) int {
	src := l.src
	j := i + 1
	for j < len(src) {
		c := src[j]
		point := c == '.' && j+1 < len(src) && l.dialect.class[src[j+1]] == cDigit
		if !point && !l.dialect.isWord(c) && !l.exponentSign(i, j) {
			break
		}
		j++
	}
	l.emit(token{start: int32(i), end: int32(j), kind: tNumber})
	return j
}

// exponentSign reports whether the byte at j is the sign in the number 1e-3 at i, which 0xe-3 has not.
func (l *lexer) exponentSign(i, j int) bool {
	if c := l.src[j]; c != '+' && c != '-' {
		return false
	}
	before := l.src[j-1] | 0x20 // in lower case
	return l.src[i] != '0' && (before == 'e' || before == 'p')
}
