package powershell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	word     kind = iota
	end           // of a statement: a line end or ;
	pipe          // |
	chain         // && and ||
	opening       // ( { $( @( @{
	closing       // ) }
	comma         // between the members of a list
	call          // & before a command
	redirect      // > and >>, before the file
)

// A token is one piece of a text.
type token struct {
	kind   kind
	text   string // of a word: without its quotes, constants in place of variables
	at     int    // its offset
	known  bool   // the text is what PowerShell will see, or stands for a place that is known
	static bool   // the text is exactly what PowerShell will see
	quoted bool   // it begins with a quote
	glob   bool   // it has *, ? or [, which commands read as a pattern, quoted or not
	spaced bool   // white space stands before it
}

// A lexer reads tokens in the way in which PowerShell reads the arguments of commands. What it does not know makes the
// text odd, and it goes on all the same: there may be a catastrophe further on.
type lexer struct {
	src    string
	i      int
	toks   []token
	vars   map[string]string // variables with a known text, by their name in lower case
	inner  []string          // texts of $( ) in strings
	odd    string            // the first thing that is not understood, or is more than commands
	oddAt  int
	spaced bool
}

// run reads the whole text.
func (l *lexer) run() {
	for l.i < len(l.src) {
		if !l.blank() {
			l.token()
		}
	}
}

// unclear notes what a person has to look at.
func (l *lexer) unclear(at int, why string) {
	if l.odd == "" {
		l.odd, l.oddAt = why, at
	}
}

func (l *lexer) rest() string { return l.src[l.i:] }

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.rest(), prefix) }

// blank passes over white space and comments, and tells whether there was any.
func (l *lexer) blank() bool {
	switch c := l.src[l.i]; {
	case c == ' ' || c == '\t' || l.has("\r\n"):
		l.i++
	case l.has("`\n"), l.has("`\r\n"):
		l.unclear(l.i, "a line that goes on after a backtick")
		l.i += 1 + strings.Index(l.rest(), "\n")
	case c == '#':
		for l.i < len(l.src) && l.src[l.i] != '\n' {
			l.i++
		}
	case l.has("<#"):
		n := strings.Index(l.rest(), "#>")
		if n < 0 {
			l.unclear(l.i, "a comment without its end")
			n = len(l.rest()) - 2
		}
		l.i += n + 2
	default:
		return false
	}
	l.spaced = true
	return true
}

// marks are the tokens that are written always alike; longer ones come first.
var marks = []struct {
	text string
	kind kind
	odd  string
}{
	{"&&", chain, ""},
	{"||", chain, ""},
	{"$(", opening, "a part that is computed"},
	{"@(", opening, "a part that is computed"},
	{"@{", opening, "a table"},
	{"\n", end, ""},
	{";", end, ""},
	{"|", pipe, ""},
	{"(", opening, "a part that is computed"},
	{"{", opening, "a script block"},
	{")", closing, ""},
	{"}", closing, ""},
	{",", comma, ""},
	{"&", call, "a command that & runs"},
}

// token reads the next token, which is there.
func (l *lexer) token() {
	if l.redirection() {
		return
	}
	for _, m := range marks {
		if !l.has(m.text) {
			continue
		}
		if m.odd != "" {
			l.unclear(l.i, m.odd)
		}
		l.add(token{kind: m.kind, text: m.text, at: l.i})
		l.i += len(m.text)
		return
	}
	if l.has("@'") || l.has(`@"`) {
		l.hereString()
		return
	}
	l.word()
}

func (l *lexer) add(t token) {
	t.spaced = l.spaced
	l.spaced = false
	l.toks = append(l.toks, t)
}

// redirection reads what sends output elsewhere. To drop output, or to join errors to it, is nothing that anybody needs
// to know.
func (l *lexer) redirection() bool {
	rest := strings.TrimLeft(l.rest(), "123456*")
	number := len(l.rest()) - len(rest)
	if number > 1 || !strings.HasPrefix(rest, ">") {
		return false
	}
	at := l.i
	l.i += number
	for _, harmless := range []string{">&1", ">&2", ">$null", "> $null", ">>$null", ">> $null"} {
		tail, ok := strings.CutPrefix(l.rest(), harmless)
		if ok && (tail == "" || strings.ContainsAny(tail[:1], " \t\r\n;|&)}")) {
			l.i += len(harmless)
			l.spaced = true
			return true
		}
	}
	l.unclear(at, "output that is written to a file")
	l.i++
	if l.has(">") {
		l.i++
	}
	l.add(token{kind: redirect, at: at})
	return true
}

// stops tells that a character ends a bare word.
func stops(c byte) bool { return strings.IndexByte(" \t\r\n;|&(){},<>", c) >= 0 }

// word reads a word, which may have quoted parts.
func (l *lexer) word() {
	t := token{kind: word, at: l.i, known: true, static: true}
	t.quoted = l.src[l.i] == '\'' || l.src[l.i] == '"'
	var b strings.Builder
	if sign := l.assignment(); sign != "" {
		l.i += len(sign)
		t.text = sign
		l.add(t)
		return
	}
	for l.i < len(l.src) && !stops(l.src[l.i]) {
		switch l.src[l.i] {
		case '\'':
			b.WriteString(l.single())
		case '"':
			b.WriteString(l.double(&t))
		case '$':
			b.WriteString(l.variable(&t))
		case '`':
			l.unclear(l.i, "a backtick")
			l.i++ // what follows means itself
		default:
			b.WriteString(l.plain(&t))
		}
		assigns := l.src[t.at] == '$' && (l.has("=") || l.has("+="))
		if assigns || l.has("$(") || l.has("@(") {
			break
		}
	}
	if l.i == t.at { // < alone
		l.unclear(l.i, "a character that PowerShell keeps for itself")
		l.i++
		return
	}
	t.text = b.String()
	t.glob = strings.ContainsAny(t.text, "*?[")
	l.add(t)
}

// assignment is the sign that stands here, behind a variable.
func (l *lexer) assignment() string {
	n := len(l.toks)
	if n == 0 || l.toks[n-1].kind != word || !isVariable(l.src, l.toks[n-1]) {
		return ""
	}
	switch {
	case l.has("+="):
		return "+="
	case l.has("="):
		return "="
	}
	return ""
}

// plain reads one character outside of quotes. PowerShell takes typographic quotes and dashes for plain ones, and some
// blanks that are none in other languages: they all are asked about.
func (l *lexer) plain(t *token) string {
	r, size := utf8.DecodeRuneInString(l.rest())
	at := l.i
	l.i += size
	switch {
	case r == '@' && at == t.at:
		l.unclear(at, "words that a variable holds")
		t.known, t.static = false, false
	case r < utf8.RuneSelf && r > ' ' && r != 0x7f:
	case unicode.IsLetter(r) || unicode.IsDigit(r):
	default:
		l.unclear(at, "a character that a person may read in another way than PowerShell")
	}
	return l.src[at:l.i]
}

// single reads a string in single quotes, in which two of them are one.
func (l *lexer) single() string {
	var b strings.Builder
	at := l.i
	for l.i++; l.i < len(l.src); {
		r, size := utf8.DecodeRuneInString(l.rest())
		l.i += size
		switch {
		case r == '\'' && l.has("'"):
			l.i++
		case r == '\'':
			return b.String()
		case r >= '\u2018' && r <= '\u201b':
			l.unclear(at, "a quote that only looks like another character")
		}
		b.WriteRune(r)
	}
	l.unclear(at, "a quote without its end")
	return b.String()
}

// double reads a string in double quotes, with what is computed in it.
func (l *lexer) double(t *token) string {
	var b strings.Builder
	at := l.i
	for l.i++; l.i < len(l.src); {
		r, size := utf8.DecodeRuneInString(l.rest())
		switch {
		case l.has(`""`):
			l.i++
		case r == '"':
			l.i++
			return b.String()
		case r == '`' && l.i+1 < len(l.src):
			l.unclear(l.i, "a backtick")
			t.static = false
			l.i++
			continue
		case l.has("$("):
			b.WriteString(l.computed(t))
			continue
		case r == '$':
			b.WriteString(l.variable(t))
			continue
		case r >= '\u201c' && r <= '\u201e':
			l.unclear(at, "a quote that only looks like another character")
		}
		l.i += size
		b.WriteRune(r)
	}
	l.unclear(at, "a quote without its end")
	return b.String()
}

// computed reads a $( ) inside of a string: its text is a script. Brackets inside of quotes in it are counted, too,
// which makes the script longer than it is, and never shorter than its first command.
func (l *lexer) computed(t *token) string {
	l.unclear(l.i, "a part that is computed")
	t.known, t.static = false, false
	depth := 0
	start := l.i + len("$(")
	for l.i++; l.i < len(l.src); l.i++ {
		switch l.src[l.i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	l.inner = append(l.inner, l.src[min(start, len(l.src)):l.i])
	l.i = min(l.i+1, len(l.src))
	return "$(…)"
}

// variable reads $name, ${name} and $env:name. A few hold what is known; $null and its like are words of the language.
func (l *lexer) variable(t *token) string {
	at := l.i
	l.i++
	if l.has("{") {
		n := strings.IndexByte(l.rest(), '}')
		if n < 0 {
			n = len(l.rest()) - 1
		}
		l.i += n + 1
	} else {
		for l.i < len(l.src) && inName(l.src[l.i]) {
			l.i++
		}
	}
	name := strings.ToLower(strings.Trim(l.src[at:l.i], "${}"))
	switch name {
	case "":
		return "$"
	case "null", "true", "false":
		return "$" + name
	}
	t.static = false
	l.unclear(at, "a variable")
	if text, ok := l.vars[name]; ok {
		return text
	}
	t.known = false
	return l.src[at:l.i]
}

func inName(c byte) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return letter || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '?' || c >= utf8.RuneSelf
}

// hereString reads a text of several lines between @' and '@.
func (l *lexer) hereString() {
	l.unclear(l.i, "a text of several lines")
	t := token{kind: word, at: l.i, known: true, quoted: true}
	quote := l.src[l.i+1 : l.i+2]
	body := l.src[l.i+2:]
	n := strings.Index(body, "\n"+quote+"@")
	if n < 0 {
		n = len(body) - 1
	}
	t.text = strings.TrimLeft(body[:max(n, 0)], " \t\r\n")
	if quote == `"` && strings.Contains(t.text, "$") {
		t.known = false
		l.inner = append(l.inner, t.text)
	}
	t.glob = strings.ContainsAny(t.text, "*?[")
	l.i = min(l.i+2+max(n, 0)+len("\n'@"), len(l.src))
	l.add(t)
}
