package syntax

// class is what a byte may begin.
type class uint8

const (
	cOther class = iota // a token by itself
	cSpace
	cLine
	cName
	cDigit
	cOpen
	cClose
	cQuote
	cSlash
	cOp
	cSpecial // only the dialect knows
)

// dialect is how one language is cut into tokens.
type dialect struct {
	words *keywords
	class [256]class
	// special reads what begins with a byte of class cSpecial at offset i. It answers where to go on, or i when the
	// byte means nothing special there.
	special func(l *lexer, i int) int
	// slashes: // and /* */ are comments.
	slashes bool
	// nested: /* /* */ */ is one comment.
	nested bool
	// regex: /…/ may be a regular expression.
	regex bool
	// regexLines: it may span lines.
	regexLines bool
	// outer are words that, at the very beginning of a line, stand outside all brackets in text that parses.
	outer [2]word
}

// newDialect classes the bytes that all languages share. quotes begin a plain string with backslash escapes.
func newDialect(w *keywords, quotes, special string) *dialect {
	d := &dialect{words: w, slashes: true, special: nothingSpecial}
	for c := range 256 {
		switch {
		case isLetter(byte(c)) || c == '$' || c >= 0x80:
			d.class[c] = cName
		case c >= '0' && c <= '9':
			d.class[c] = cDigit
		case c <= ' ':
			d.class[c] = cSpace
		}
	}
	d.class['\n'] = cLine
	d.class['/'] = cSlash
	d.set("([{", cOpen)
	d.set(")]}", cClose)
	d.set(":-=.!<>&|?+*%^", cOp)
	d.set(quotes, cQuote)
	d.set(special, cSpecial)
	return d
}

func nothingSpecial(_ *lexer, i int) int { return i }

// set gives each byte of list the class k.
func (d *dialect) set(list string, k class) {
	for i := range len(list) {
		d.class[list[i]] = k
	}
}

// isWord reports whether c may stand inside a name.
func (d *dialect) isWord(c byte) bool { return d.class[c] == cName || d.class[c] == cDigit }

// isLetter reports whether c is an ASCII letter or an underscore.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
