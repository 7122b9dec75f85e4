package syntax

import "bytes"

// Extractor reads files one after the other and reuses its memory. Not safe for concurrent use.
type Extractor struct {
	// Names numbers the names of all files read so far. The caller may Reset it between files.
	Names *Names
	r     reader
}

// NewExtractor returns an extractor with names of its own.
func NewExtractor() *Extractor {
	x := &Extractor{Names: NewNames()}
	x.r.names = x.Names
	return x
}

// Rows reads one file. The path, slash-separated, tells the language. The result is valid until the next call.
func (x *Extractor) Rows(path string, src []byte) *Rows {
	return x.r.read(path, src)
}

// Extract reads one file. The path, slash-separated, tells the language; src is not kept.
func Extract(path string, src []byte) File {
	x := NewExtractor()
	return x.Rows(path, src).file(x.Names)
}

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
