package syntax

// kind is the kind of a token.
type kind uint8

const (
	tEnd kind = iota
	tName
	tNumber
	tString
	tPunct
	tDirective // a line of the C preprocessor
	tText      // text between the code: HTML around PHP
)

// Operators of two and more characters that readers need as one token. The rest comes byte by byte.
const (
	opDefine   = 128 + iota // :=
	opArrow                 // ->
	opFat                   // =>
	opScope                 // ::
	opDots                  // ...  ..  ..=
	opCompare               // == != <= >= === !==
	opLogic                 // && || ??
	opAssign                // += -= and the like
	opOptional              // ?.
	opRecv                  // <-
	opNotNull               // !!
)

// token is one token. For a bracket, aux is the index of its partner; for a name, its hash.
type token struct {
	start, end int32
	aux        uint32
	kind       kind
	word       word
	ch         byte // of a tPunct: the character or an op constant; of a tString: its opening quote
	nl         bool // the first token of its line
}

// lexer cuts one file into tokens. Its buffers are reused from file to file.
type lexer struct {
	src   []byte
	lang  *dialect
	toks  []token
	lines []int32 // offsets of line starts
	open  []int32 // unmatched opening brackets
	conds []condition
	saved []int32
	modes []mode
	depth int // of curly brackets, for modes
	nl    bool
	cut   bool
	docs  []heredoc // here-documents whose text begins on the next line
}

// condition is an #if that is still open: the brackets that were open before it are saved[from:to].
type condition struct {
	from, to int
}

// mode is an interruption that a closing bracket ends: the hole of a template.
type mode struct {
	depth int // of curly brackets
	level int // of elements, in JSX
	kind  byte
}

// A mode's kind says what goes on after its closing bracket.
const (
	modeTemplate = 't' // `…${ }…`
	modeTag      = 'a' // <a b={ }…>
	modeChildren = 'c' // <a>…{ }…</a>
)

// class is what a byte may begin.
type class uint8

const (
	cOther class = iota
	cSpace
	cLine
	cName
	cDigit
	cOpen
	cClose
	cQuote
	cSlash
	cOp
	cSpecial
)

// dialect is how one language is cut into tokens.
type dialect struct {
	words   *keywords
	class   [256]class
	special func(l *lexer, i int) int // handles cSpecial and quotes; answers where to go on, or i when the byte is plain
	slashes bool                      // // and /* */ are comments
	nested  bool                      // /* /* */ */
	regex   bool                      // /…/ may be a regular expression
	// regexLines: it may span lines.
	regexLines bool
	// outer are words that, at the very beginning of a line, stand outside all brackets in text that parses.
	outer [2]word
}

// newDialect classes the bytes that all languages share. quotes begin a plain string with backslash escapes.
func newDialect(w *keywords, quotes, special string) *dialect {
	d := &dialect{words: w, slashes: true}
	for c := range 256 {
		switch {
		case c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			d.class[c] = cName
		case c >= '0' && c <= '9':
			d.class[c] = cDigit
		case c <= ' ':
			d.class[c] = cSpace
		}
	}
	d.class['\n'] = cLine
	d.class['/'] = cSlash
	set := func(list string, k class) {
		for i := range len(list) {
			d.class[list[i]] = k
		}
	}
	set("([{", cOpen)
	set(")]}", cClose)
	set(":-=.!<>&|?+*%^", cOp)
	set(quotes, cQuote)
	set(special, cSpecial)
	return d
}

// run cuts src. The tokens, which end with a tEnd, stay valid until the next run.
func (l *lexer) run(src []byte, d *dialect) {
	l.start(src, d)
	from := 0
	if len(src) >= 3 && string(src[:3]) == "\uFEFF" { // a byte order mark
		from = 3
	}
	l.scan(from)
	l.finish()
}

// start empties the buffers for a new file.
func (l *lexer) start(src []byte, d *dialect) {
	l.src, l.lang = src, d
	l.toks, l.lines, l.open, l.conds, l.modes = l.toks[:0], append(l.lines[:0], 0), l.open[:0], l.conds[:0], l.modes[:0]
	l.saved = l.saved[:0]
	l.docs = l.docs[:0]
	l.depth, l.nl, l.cut = 0, true, false
	if want := min(len(src)/bytesPerToken, MaxTokens); cap(l.toks) < want || cap(l.toks) > keptTokens && cap(l.toks) > 2*want {
		l.toks = nil // one file in a thousand is large: its tokens are not kept for the others
		l.toks = make([]token, 0, max(want, firstTokens))
	}
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

// finish ends the list of tokens.
func (l *lexer) finish() {
	src := l.src
	for _, o := range l.open {
		l.toks[o].aux = uint32(len(l.toks)) // what is never closed goes on to the end
	}
	l.toks = append(l.toks, token{start: int32(len(src)), end: int32(len(src)), nl: true})
}

func (l *lexer) scan(i int) {
	src, class := l.src, &l.lang.class
	for i < len(src) {
		switch c := src[i]; class[c] {
		case cSpace:
			i++
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
			if j := l.lang.special(l, i); j > i {
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

func (l *lexer) emit(t token) {
	t.nl = l.nl
	l.nl = false
	l.toks = append(l.toks, t)
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

func (l *lexer) name(i int) int {
	src, class := l.src, &l.lang.class
	h := uint32(hashSeed)
	j := i
	for j < len(src) && (class[src[j]] == cName || class[src[j]] == cDigit) {
		h = (h ^ uint32(src[j])) * hashPrime
		j++
	}
	w := l.lang.words.find(src[i:j], h)
	if l.nl && w != noWord && len(l.open) > 0 && (w == l.lang.outer[0] || w == l.lang.outer[1]) && src[i-1] == '\n' && j < len(src) && src[j] == ' ' {
		l.closeAll(i)
	}
	l.emit(token{start: int32(i), end: int32(j), aux: h, kind: tName, word: w})
	return j
}

// closeAll closes what was left open before a definition at i that can stand in no bracket, so that a file under change loses one
// definition and not all behind it.
func (l *lexer) closeAll(i int) {
	for len(l.open) > 0 {
		open := l.toks[l.open[len(l.open)-1]].ch
		shut := byte(')')
		if k := indexByte("([{", open); k >= 0 {
			shut = ")]}"[k]
		}
		o := l.partner(open)
		l.emit(token{start: int32(i), end: int32(i), aux: uint32(o), kind: tPunct, ch: shut})
	}
	l.depth, l.modes, l.nl = 0, l.modes[:0], true
}

func (l *lexer) number(i int) int {
	src, class := l.src, &l.lang.class
	j := i + 1
	for j < len(src) {
		c := src[j]
		if class[c] == cName || class[c] == cDigit || c == '.' && j+1 < len(src) && class[src[j+1]] == cDigit ||
			(c == '+' || c == '-') && (src[j-1]|0x20 == 'e' || src[j-1]|0x20 == 'p') && src[i] != '0' {
			j++
			continue
		}
		break
	}
	l.emit(token{start: int32(i), end: int32(j), kind: tNumber})
	return j
}

func (l *lexer) punct(i, n int, ch byte) int {
	l.emit(token{start: int32(i), end: int32(i + n), kind: tPunct, ch: ch})
	return i + n
}

func (l *lexer) str(i, j int, quote byte) int {
	l.emit(token{start: int32(i), end: int32(j), kind: tString, ch: quote})
	return j
}

func (l *lexer) opening(i int) int {
	c := l.src[i]
	if c == '{' {
		l.depth++
	}
	l.open = append(l.open, int32(len(l.toks)))
	return l.punct(i, 1, c)
}

var partner = [256]byte{')': '(', ']': '[', '}': '{'}

func (l *lexer) closing(i int) int {
	c := l.src[i]
	if c == '}' {
		if n := len(l.modes); n > 0 && l.modes[n-1].depth == l.depth {
			return l.endMode(i)
		}
		l.depth--
	}
	return l.close(i, c)
}

// close emits a closing bracket that stands for c. Its aux is its partner, or itself when it has none.
func (l *lexer) close(i int, c byte) int {
	o := l.partner(partner[c])
	l.emit(token{start: int32(i), end: int32(i + 1), aux: uint32(o), kind: tPunct, ch: c})
	return i + 1
}

// partner takes the innermost open bracket of this kind from the stack and links it to the token that comes next. A
// curly bracket closes round and square ones that were left open; a round or square one never closes a curly one.
func (l *lexer) partner(want byte) int {
	next := len(l.toks)
	for n := len(l.open); n > 0; n-- {
		o := l.open[n-1]
		ch := l.toks[o].ch
		if ch == want {
			for _, lost := range l.open[n-1:] {
				l.toks[lost].aux = uint32(next)
			}
			l.open = l.open[:n-1]
			return int(o)
		}
		if ch == '{' {
			break
		}
	}
	return next
}

func (l *lexer) quoted(i int, quote byte) int {
	src := l.src
	j := i + 1
	for j < len(src) {
		switch src[j] {
		case quote:
			return l.str(i, j+1, quote)
		case '\\':
			j++
			if j < len(src) && src[j] == '\n' {
				l.lines = append(l.lines, int32(j+1))
			}
		case '\n':
			return l.str(i, j, quote)
		}
		j++
	}
	return l.str(i, len(src), quote)
}

// raw reads a string that ends at the text end and may span lines.
func (l *lexer) raw(i, from int, end string, quote byte) int {
	j := find(l.src, from, end)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

// find answers the offset after the next end, or the end of src.
func find(src []byte, from int, end string) int {
	for j := from; j+len(end) <= len(src); j++ {
		if src[j] == end[0] && string(src[j:j+len(end)]) == end {
			return j + len(end)
		}
	}
	return len(src)
}
