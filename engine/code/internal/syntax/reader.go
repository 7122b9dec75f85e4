package syntax

import (
	"bytes"

	"helve/engine/code/internal/syntax/internal/lex"
)

// reader is what the readers of all languages share: a cursor in the file, the expressions and local names around it,
// and the rows that are being filled.
type reader struct {
	cursor
	expressions
	scopes
	lexer lex.Lexer
	rows  Rows
	refs  references

	cur   int32 // the definition around the cursor, or noDef
	depth int   // of recursion
	line  int   // where lineOf looked last
	// bounds: <T: A + B> is a list of types, and + between angle brackets no operator.
	bounds bool
}

// bind makes name a local one of the given type; 0 is an unknown type.
func (r *reader) bind(name, expr Sym) {
	if r.watch.has(name) {
		r.watchBind(name)
	}
	r.scopes.bind(name, expr)
}

// noDef stands for no definition: what stands at the top of a file has no parent.
const noDef int32 = -1

// read reads one file. The rows are valid until the next call.
func (r *reader) read(path string, src []byte) *Rows {
	r.rows.reset()
	lang := Of(path, src)
	r.rows.Language = lang
	r.rows.Skipped = r.unreadable(lang, src)
	if r.rows.Skipped != "" {
		return &r.rows
	}
	r.begin(src)
	r.language(path, lang)
	if r.lexer.Cut {
		r.rows.Skipped = "read in part: too many tokens"
	}
	return &r.rows
}

// binaryHead is how much of a file is searched for a NUL byte, which text has none of.
const binaryHead = 8 << 10

// Why files are not read.
const (
	TooLarge = "larger than 32 MB"
	Binary   = "binary"
	Minified = "minified"
)

// unreadable says why a file is not read, or nothing. It counts the lines of all others.
func (r *reader) unreadable(lang Language, src []byte) string {
	if len(src) > MaxFileSize {
		return TooLarge
	}
	if bytes.IndexByte(src[:min(len(src), binaryHead)], 0) >= 0 {
		return Binary
	}
	lines := bytes.Count(src, []byte("\n"))
	if n := len(src); n > 0 && src[n-1] != '\n' {
		lines++
	}
	r.rows.Lines = lines
	script := lang == JavaScript || lang == TypeScript
	if script && len(src) > minifiedSize && len(src)/(lines+1) > minifiedLine {
		return Minified
	}
	return ""
}

// begin forgets the file before.
func (r *reader) begin(src []byte) {
	r.src = src
	r.cur, r.depth, r.line = noDef, 0, 0
	r.expr = r.expr[:0]
	r.bounds = false
	r.endScope(0)
	r.refs.begin()
}

// language runs the reader of lang.
func (r *reader) language(path string, lang Language) {
	if lang == C && isCPlusPlus(r.src) && bytes.HasSuffix([]byte(path), []byte(".h")) {
		lang = CPlusPlus
		r.rows.Language = lang
	}
	switch lang {
	case Go:
		r.readGo()
	case Python:
		r.readPython()
	case C, CPlusPlus:
		r.readC(lang == CPlusPlus)
	case JavaScript, TypeScript:
		r.readECMA(path)
	case Java:
		r.readJava()
	case CSharp:
		r.readCSharp()
	case Rust:
		r.readRust()
	case Kotlin:
		r.readKotlin()
	case Swift:
		r.readSwift()
	case PHP:
		r.readPHP()
	case Ruby:
		r.readRuby()
	case Shell:
		r.readShell()
	case Markdown:
		r.readMarkdown()
	case JSON:
		r.readJSON()
	case YAML:
		r.readYAML()
	default:
		r.readUnknown()
	}
}

// lex cuts the file into tokens and stands before the first one.
func (r *reader) lex(d *lex.Dialect) {
	r.lexer.Run(r.src, d)
	r.cursor = newCursor(r.src, r.lexer.Tokens)
}

// enter counts one level of recursion; false: too deep, do not go on. Who enters leaves.
func (r *reader) enter() bool {
	if r.depth >= MaxDepth {
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// sym is the number of the name at the cursor, keyword or not; 0: there is none.
func (r *reader) sym() Sym { return r.symOf(r.tok()) }

// peekSym is the number of the name n tokens further on.
func (r *reader) peekSym(n int) Sym { return r.symOf(r.peek(n)) }

func (r *reader) symOf(t *lex.Token) Sym {
	if t.Kind != lex.Name {
		return 0
	}
	return r.names.intern(r.src[t.Start:t.End], t.Aux)
}

// token is the one at p, whether the cursor sees it or not.
func (r *reader) token(p pos) *lex.Token {
	toks := r.lexer.Tokens
	if uint(p) >= uint(len(toks)) {
		return &toks[len(toks)-1]
	}
	return &toks[p]
}

// symAt is the number of the name at p.
func (r *reader) symAt(p pos) Sym { return r.symOf(r.token(p)) }

// textAt is the text of the token at p.
func (r *reader) textAt(p pos) []byte {
	t := r.token(p)
	return r.src[t.Start:t.End]
}

// quoted is the text of the string at the cursor without its quotes; 0: there is no string.
func (r *reader) quoted() Sym { return r.quotedOf(r.tok()) }

func (r *reader) quotedOf(t *lex.Token) Sym {
	if t.Kind != lex.String || t.End-t.Start < 2 {
		return 0
	}
	return r.names.Intern(r.src[t.Start+1 : t.End-1])
}

// manyLines is how many lines lineOf walks on from where it looked last, before it searches.
const manyLines = 32

// lineOf is the line of the token at p, from 1. Readers ask for one line after the other, so it is found from the
// last one.
func (r *reader) lineOf(p pos) int32 {
	off := r.token(p).Start
	lines := r.lexer.Lines
	k := r.line
	if k >= len(lines) || lines[k] > off {
		return r.searchLine(off)
	}
	for steps := 0; k+1 < len(lines) && lines[k+1] <= off; steps++ {
		if steps > manyLines {
			return r.searchLine(off)
		}
		k++
	}
	r.line = k
	return int32(k) + 1
}

func (r *reader) searchLine(off int32) int32 {
	line := lineAt(r.lexer.Lines, off)
	r.line = int(line) - 1
	return line
}

// flat reads tokens that nest too deep to be understood, up to the limit: names and calls without types.
func (r *reader) flat() {
	for ; r.more(); r.next() {
		if !r.name() || r.peekIs(-1, '.') {
			continue
		}
		if name := r.sym(); !r.isLocal(name) {
			r.referName(name, r.useBefore('('))
		}
	}
}

// useBefore is how the name at the cursor is used: called, when the bracket stands behind it.
func (r *reader) useBefore(bracket byte) Use {
	if r.peekIs(1, bracket) {
		return Call
	}
	return Mention
}
