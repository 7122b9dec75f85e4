package syntax

import "bytes"

// reader is what the readers of all languages share: tokens, rows, scopes and the expression under construction.
type reader struct {
	lexer lexer
	names *Names
	src   []byte
	toks  []token
	rows  Rows

	cur    int32 // the definition around the present position, or -1
	depth  int   // of recursion
	line   int   // where lineOf looked last
	expr   []byte
	binds  []binding
	bound  []int32 // by Sym: 1 + the index of its innermost binding
	seen   []seenRef
	period uint32
	bounds bool // <T: A + B> is a list of types
}

// binding is a local name and what is known of its type: a symbolic expression, or 0.
type binding struct {
	name, expr Sym
	outer      int32
}

// seenRef is a slot of the table that keeps references distinct. It counts only in its own period.
type seenRef struct {
	period uint32
	ref    int32
}

// unknown is the expression of unknown type.
const unknown = "?"

func (r *reader) read(path string, src []byte) *Rows {
	r.rows.reset()
	lang := Of(path, src)
	r.rows.Language = lang
	if len(src) > MaxFileSize {
		r.rows.Skipped = "larger than 32 MB"
		return &r.rows
	}
	if bytes.IndexByte(src[:min(len(src), 8<<10)], 0) >= 0 {
		r.rows.Skipped = "binary"
		return &r.rows
	}
	r.rows.Lines = bytes.Count(src, []byte("\n"))
	if n := len(src); n > 0 && src[n-1] != '\n' {
		r.rows.Lines++
	}
	if r.minified(lang, src) {
		r.rows.Skipped = "minified"
		return &r.rows
	}
	r.begin(src)
	r.language(path, lang)
	if r.lexer.cut {
		r.rows.Skipped = "read in part: too many tokens"
	}
	return &r.rows
}

func (r *reader) minified(lang Language, src []byte) bool {
	return (lang == JavaScript || lang == TypeScript) && len(src) > minifiedSize && len(src)/(r.rows.Lines+1) > minifiedLine
}

func (r *reader) begin(src []byte) {
	r.src, r.cur, r.depth, r.line = src, -1, 0, 0
	r.expr, r.bounds = r.expr[:0], false
	r.unbind(0)
	r.period++
	if len(r.seen) == 0 {
		r.seen = make([]seenRef, 1<<12)
	}
}

// language runs the reader of lang.
func (r *reader) language(path string, lang Language) {
	if lang == C && isCPlusPlus(r.src) && bytes.HasSuffix([]byte(path), []byte(".h")) {
		lang = CPlusPlus
		r.rows.Language = lang
	}
	switch lang {
	case Go:
		r.lex(&goDialect)
		(&goReader{reader: r}).file()
	case Python:
		r.lex(&pythonDialect)
		(&pythonReader{reader: r, members: map[int64]int32{}}).file()
	case C, CPlusPlus:
		r.readC(lang == CPlusPlus)
	case JavaScript, TypeScript:
		r.readScript(path)
	case Java, CSharp:
		r.readJava(lang == CSharp)
	case Rust, Kotlin, Swift:
		r.readColon(lang)
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
		r.readGeneric()
	}
}

// lex cuts the file into tokens.
func (r *reader) lex(d *dialect) {
	r.lexer.run(r.src, d)
	r.toks = r.lexer.toks
}

// Positions are indices into toks, whose last token is a tEnd, so that toks[i+1] exists for every other i.

func (r *reader) tok(i int) *token {
	if uint(i) >= uint(len(r.toks)) {
		i = len(r.toks) - 1 // before the first token as behind the last one there is the end
	}
	return &r.toks[i]
}

// is reports whether token i is the operator or bracket ch.
func (r *reader) is(i int, ch byte) bool {
	t := r.tok(i)
	return t.kind == tPunct && t.ch == ch
}

// word is token i's keyword; a name has none.
func (r *reader) word(i int) word { return r.tok(i).word }

// name reports whether token i is a name and no keyword.
func (r *reader) name(i int) bool {
	t := r.tok(i)
	return t.kind == tName && t.word == noWord
}

func (r *reader) text(i int) []byte {
	t := r.tok(i)
	return r.src[t.start:t.end]
}

func (r *reader) sym(i int) Sym {
	t := r.tok(i)
	if t.kind != tName {
		return 0
	}
	return r.names.Intern(r.src[t.start:t.end])
}

// close is the index of the bracket that closes the one at i, at most hi. It is always past i.
func (r *reader) close(i, hi int) int {
	return max(i+1, min(int(r.tok(i).aux), hi))
}

// after is the position behind the bracket pair at i.
func (r *reader) after(i, hi int) int { return min(r.close(i, hi)+1, hi) }

// lineOf is the line of token i, from 1.
func (r *reader) lineOf(i int) int32 {
	off := r.tok(i).start
	lines := r.lexer.lines
	k := r.line
	if k >= len(lines) || lines[k] > off {
		r.line = int(lineAt(lines, off)) - 1
		return int32(r.line) + 1
	}
	for steps := 0; k+1 < len(lines) && lines[k+1] <= off; steps++ {
		if steps > 32 {
			r.line = int(lineAt(lines, off)) - 1
			return int32(r.line) + 1
		}
		k++
	}
	r.line = k
	return int32(k) + 1
}

// define adds a definition whose name is token i and that begins at token from. Its end is set by finish.
func (r *reader) define(kind Kind, i, from int) int32 {
	return r.defineNamed(kind, r.sym(i), i, from)
}

func (r *reader) defineNamed(kind Kind, name Sym, i, from int) int32 {
	line := r.lineOf(i)
	t := r.tok(i)
	r.rows.Defs = append(r.rows.Defs, Def{Name: name, Kind: kind, Parent: r.cur, Start: r.tok(from).start, End: t.end,
		Body: t.end, Line: line, EndLine: line})
	return int32(len(r.rows.Defs) - 1)
}

// finish ends definition d with the token before i.
func (r *reader) finish(d int32, i int) {
	if i <= 0 {
		return
	}
	t := r.tok(i - 1)
	def := &r.rows.Defs[d]
	if t.end > def.End {
		def.End = t.end
		def.EndLine = lineAt(r.lexer.lines, t.end-1)
	}
	if def.Body < def.Start || def.Body > def.End {
		def.Body = def.End
	}
}

// signature says that the signature of d ends before token i.
func (r *reader) signature(d int32, i int) {
	if i > 0 {
		r.rows.Defs[d].Body = r.tok(i - 1).end
	}
}

// within runs f as the inside of definition d.
func (r *reader) within(d int32, f func()) {
	was := r.cur
	r.cur = d
	f()
	r.cur = was
}

// refer adds the reference to token i whose qualifier is the expression from start on.
func (r *reader) refer(i, start int, use Use) {
	var q Sym
	if start < len(r.expr) {
		q = r.take(start)
	}
	r.referTo(r.sym(i), q, use, i)
}

// take interns the expression from start on, without removing it.
func (r *reader) take(start int) Sym {
	if len(r.expr)-start > maxExpr || r.expr[start] == '?' {
		return r.names.InternString(unknown)
	}
	return r.names.Intern(r.expr[start:])
}

func (r *reader) referTo(name, q Sym, use Use, i int) {
	if name == 0 {
		return
	}
	h := uint32(name)*0x9E3779B1 ^ uint32(q)*0x85EBCA6B ^ uint32(r.cur)*0xC2B2AE35 ^ uint32(use)
	mask := uint32(len(r.seen) - 1)
	for k := spread(h) & mask; ; k = (k + 1) & mask {
		s := &r.seen[k]
		if s.period != r.period {
			*s = seenRef{r.period, int32(len(r.rows.Refs))}
			break
		}
		u := &r.rows.Refs[s.ref]
		if u.Name == name && u.Qualifier == q && u.From == r.cur && u.Use == use {
			return
		}
	}
	r.rows.Refs = append(r.rows.Refs, Ref{Name: name, Qualifier: q, Use: use, From: r.cur, Line: r.lineOf(i)})
	if len(r.rows.Refs)*2 > len(r.seen) {
		r.widen()
	}
}

// widen doubles the table of seen references.
func (r *reader) widen() {
	r.seen = make([]seenRef, 2*len(r.seen))
	mask := uint32(len(r.seen) - 1)
	for n := range r.rows.Refs {
		u := &r.rows.Refs[n]
		h := uint32(u.Name)*0x9E3779B1 ^ uint32(u.Qualifier)*0x85EBCA6B ^ uint32(u.From)*0xC2B2AE35 ^ uint32(u.Use)
		k := spread(h) & mask
		for r.seen[k].period == r.period {
			k = (k + 1) & mask
		}
		r.seen[k] = seenRef{r.period, int32(n)}
	}
}

// bind makes name a local one of the given type expression; 0 is an unknown type.
func (r *reader) bind(name, expr Sym) {
	if name == 0 || len(r.binds) >= maxBindings {
		return
	}
	for int(name) >= len(r.bound) {
		r.bound = append(r.bound, 0)
	}
	r.binds = append(r.binds, binding{name, expr, r.bound[name]})
	r.bound[name] = int32(len(r.binds))
}

// unbind forgets all local names but the first n.
func (r *reader) unbind(n int) {
	for len(r.binds) > n {
		b := r.binds[len(r.binds)-1]
		r.bound[b.name] = b.outer
		r.binds = r.binds[:len(r.binds)-1]
	}
}

// local finds what is known of the type of a local name.
func (r *reader) local(name Sym) (Sym, bool) {
	if int(name) >= len(r.bound) || r.bound[name] == 0 {
		return 0, false
	}
	return r.binds[r.bound[name]-1].expr, true
}

// rebind changes what is known of a local name's type.
func (r *reader) rebind(name, expr Sym) {
	if int(name) < len(r.bound) && r.bound[name] != 0 {
		r.binds[r.bound[name]-1].expr = expr
	}
}

// push appends a type to the expression under construction.
func (r *reader) push(s Sym) {
	if s == 0 {
		r.expr = append(r.expr, unknown...)
		return
	}
	r.expr = append(r.expr, r.names.Text(s)...)
}

// known reports whether the expression from start on says anything.
func (r *reader) known(start int) bool {
	return len(r.expr) > start && r.expr[start] != '?' && len(r.expr)-start <= maxExpr
}

// pop removes the expression from start on and answers it: 0 if nothing is known.
func (r *reader) pop(start int) Sym {
	var s Sym
	if r.known(start) {
		s = r.names.Intern(r.expr[start:])
	}
	r.expr = r.expr[:start]
	return s
}

// enter counts one level of recursion; false: too deep, do not go on.
func (r *reader) enter() bool {
	if r.depth >= MaxDepth {
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// flat reads tokens that nest too deep to be understood: names and calls without types.
func (r *reader) flat(i, hi int) int {
	for ; i < hi; i++ {
		if !r.name(i) || i > 0 && r.is(i-1, '.') {
			continue
		}
		if _, ok := r.local(r.sym(i)); ok {
			continue
		}
		use := Mention
		if r.is(i+1, '(') {
			use = Call
		}
		r.referTo(r.sym(i), 0, use, i)
	}
	return hi
}
