package lex

// ByteClass is what a byte may begin.
type ByteClass uint8

const (
	BeginsOther ByteClass = iota // a token by itself
	BeginsSpace
	BeginsLine
	BeginsName
	BeginsDigit
	BeginsOpen
	BeginsClose
	BeginsQuote
	BeginsSlash
	BeginsOp
	BeginsSpecial // only the dialect knows
)

// Dialect is how one language is cut into tokens.
type Dialect struct {
	Words *Keywords
	Class [256]ByteClass
	// Special reads what begins with a byte of class BeginsSpecial at offset i. It answers where to go on, or i when the
	// byte means nothing special there.
	Special func(l *Lexer, i int) int
	// Slashes: // and /* */ are comments.
	Slashes bool
	// Nested: /* /* */ */ is one comment.
	Nested bool
	// Regex: /…/ may be a regular expression.
	Regex bool
	// RegexLines: it may span lines.
	RegexLines bool
	// Outer are words that, at the very beginning of a line, stand outside all brackets in text that parses.
	Outer [2]Word
}

// NewDialect classes the bytes that all languages share. quotes begin a plain string with backslash escapes.
func NewDialect(w *Keywords, quotes, special string) *Dialect {
	d := &Dialect{Words: w, Slashes: true, Special: nothingSpecial}
	for c := range 256 {
		switch {
		case isLetter(byte(c)) || c == '$' || c >= 0x80:
			d.Class[c] = BeginsName
		case c >= '0' && c <= '9':
			d.Class[c] = BeginsDigit
		case c <= ' ':
			d.Class[c] = BeginsSpace
		}
	}
	d.Class['\n'] = BeginsLine
	d.Class['/'] = BeginsSlash
	d.set("([{", BeginsOpen)
	d.set(")]}", BeginsClose)
	d.set(":-=.!<>&|?+*%^", BeginsOp)
	d.set(quotes, BeginsQuote)
	d.set(special, BeginsSpecial)
	return d
}

func nothingSpecial(_ *Lexer, i int) int { return i }

// set gives each byte of list the class k.
func (d *Dialect) set(list string, k ByteClass) {
	for i := range len(list) {
		d.Class[list[i]] = k
	}
}

// IsWord reports whether c may stand inside a name.
func (d *Dialect) IsWord(c byte) bool { return d.Class[c] == BeginsName || d.Class[c] == BeginsDigit }

// isLetter reports whether c is an ASCII letter or an underscore.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func IsBlank(c byte) bool { return c == ' ' || c == '\t' }
