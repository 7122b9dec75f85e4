// Package lex cuts a source file into tokens, pairs its brackets and finds its keywords, for all languages that package
// syntax reads. What one language alone does with characters stands in the file of its name.
package lex

// Lexer cuts one file into tokens. Its methods take the byte offset where something begins and answer the offset
// behind it. Its buffers are reused from file to file.
type Lexer struct {
	src     []byte
	Dialect *Dialect
	Tokens  []Token
	Lines   []int32 // offsets of line starts
	nl      bool    // the next token is the first one of its line
	Cut     bool    // there are more tokens than MaxTokens
	docs    []heredoc
	brackets
}

// Run cuts src. The tokens, which end with a EOF, stay valid until the next run.
func (l *Lexer) Run(src []byte, d *Dialect) {
	l.Start(src, d)
	from := 0
	if l.at(0, "\uFEFF") { // a byte order mark
		from = 3
	}
	l.Scan(from)
	l.Finish()
}

const (
	// MaxTokens bounds the memory of one extraction (16 bytes a token). Go's largest generated file has 700,000.
	MaxTokens = 3 << 20
	// bytesPerToken is how many bytes of source have a token, in dense files: growing by appending would leave several
	// times the tokens behind as garbage.
	bytesPerToken = 6
	// keptTokens is the length from which the list of tokens is given back after a file: 1.3 MB.
	keptTokens = 1 << 16
	// firstTokens is the least length.
	firstTokens = 1 << 12
)

// Start empties the buffers for a new file.
func (l *Lexer) Start(src []byte, d *Dialect) {
	l.src, l.Dialect = src, d
	l.Tokens = l.Tokens[:0]
	l.Lines = append(l.Lines[:0], 0)
	l.docs = l.docs[:0]
	l.nl, l.Cut = true, false
	l.brackets.reset()
	want := min(len(src)/bytesPerToken, MaxTokens)
	kept := cap(l.Tokens)
	// One file in a thousand is large: its tokens are not kept for the others.
	if kept < want || kept > keptTokens && kept > 2*want {
		l.Tokens = nil
		l.Tokens = make([]Token, 0, max(want, firstTokens))
	}
}

// Finish ends the list of tokens. What is never closed goes on to the end.
func (l *Lexer) Finish() {
	for _, o := range l.open {
		l.Tokens[o].Aux = uint32(len(l.Tokens))
	}
	end := int32(len(l.src))
	l.Tokens = append(l.Tokens, Token{Start: end, End: end, First: true})
}

// Scan cuts the text from i on. It is the inner loop of everything: one step by the class of the next byte.
func (l *Lexer) Scan(i int) {
	src, class := l.src, &l.Dialect.Class
	for i < len(src) {
		switch c := src[i]; class[c] {
		case BeginsSpace:
			for i++; i < len(src) && src[i] == ' '; i++ { // lines begin with many
			}
		case BeginsLine:
			i = l.newline(i)
		case BeginsName:
			i = l.name(i)
		case BeginsDigit:
			i = l.number(i)
		case BeginsOpen:
			i = l.opening(i)
		case BeginsClose:
			i = l.closing(i)
		case BeginsQuote:
			i = l.quoted(i, c)
		case BeginsSlash:
			i = l.slash(i)
		case BeginsOp:
			i = l.operator(i)
		case BeginsSpecial:
			if j := l.Dialect.Special(l, i); j > i {
				i = j
			} else {
				i = l.punct(i, 1, c)
			}
		default:
			i = l.punct(i, 1, c)
		}
		if len(l.Tokens) >= MaxTokens {
			l.Cut = true
			return
		}
	}
}

// emit adds a token.
func (l *Lexer) emit(t Token) {
	t.First = l.nl
	l.nl = false
	l.Tokens = append(l.Tokens, t)
}

// punct emits a token of n bytes at i that readers see as ch.
func (l *Lexer) punct(i, n int, ch byte) int {
	l.emit(Token{Start: int32(i), End: int32(i + n), Kind: Punct, Char: ch})
	return i + n
}

// str emits the string between i and j.
func (l *Lexer) str(i, j int, quote byte) int {
	l.emit(Token{Start: int32(i), End: int32(j), Kind: String, Char: quote})
	return j
}

// last is the token before the present position, or nil at the beginning of the file.
func (l *Lexer) last() *Token {
	if len(l.Tokens) == 0 {
		return nil
	}
	return &l.Tokens[len(l.Tokens)-1]
}

// newline passes the line feed at i.
func (l *Lexer) newline(i int) int {
	l.nl = true
	l.Lines = append(l.Lines, int32(i+1))
	if len(l.docs) > 0 {
		return l.heredocs(i + 1)
	}
	return i + 1
}

// skipped records the line starts inside src[i:j], a comment or string of several lines.
func (l *Lexer) skipped(i, j int) {
	for k := i; k < j; k++ {
		if l.src[k] == '\n' {
			l.Lines = append(l.Lines, int32(k+1))
		}
	}
}

// name reads a name or keyword and hashes it on the way: the hash finds the keyword now and numbers the name later.
func (l *Lexer) name(i int) int {
	src, class := l.src, &l.Dialect.Class
	h := uint32(hashSeed)
	j := i
	for j < len(src) && (class[src[j]] == BeginsName || class[src[j]] == BeginsDigit) {
		h = (h ^ uint32(src[j])) * hashPrime
		j++
	}
	w := l.Dialect.Words.Find(src[i:j], h)
	if w != NoWord && l.nl && len(l.open) > 0 && l.beginsAfresh(w, i, j) {
		l.closeAll(i)
	}
	l.emit(Token{Start: int32(i), End: int32(j), Aux: h, Kind: Name, Word: w})
	return j
}

// beginsAfresh reports whether the keyword w at src[i:j] begins a definition that can stand in no bracket.
func (l *Lexer) beginsAfresh(w Word, i, j int) bool {
	outer := w == l.Dialect.Outer[0] || w == l.Dialect.Outer[1]
	return outer && l.src[i-1] == '\n' && l.at(j, " ")
}

// number reads 12, 0x1F, 1.5e-3, 1_000 and 10ms: digits, letters, points before digits and the sign of an exponent.
func (l *Lexer) number(i int) int {
	src := l.src
	j := i + 1
	for j < len(src) {
		c := src[j]
		point := c == '.' && j+1 < len(src) && l.Dialect.Class[src[j+1]] == BeginsDigit
		if !point && !l.Dialect.IsWord(c) && !l.exponentSign(i, j) {
			break
		}
		j++
	}
	l.emit(Token{Start: int32(i), End: int32(j), Kind: Number})
	return j
}

// exponentSign reports whether the byte at j is the sign in the number 1e-3 at i, which 0xe-3 has not.
func (l *Lexer) exponentSign(i, j int) bool {
	if c := l.src[j]; c != '+' && c != '-' {
		return false
	}
	before := l.src[j-1] | 0x20 // in lower case
	return l.src[i] != '0' && (before == 'e' || before == 'p')
}
