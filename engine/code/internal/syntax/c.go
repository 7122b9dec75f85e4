package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// cReader reads C and C++.
type cReader struct {
	curly
	plus  bool  // C++
	class int32 // the class whose body is read, or noDef
}

var (
	cDialect         = sync.OnceValue(func() *lex.Dialect { return newCDialect(false) })
	cPlusPlusDialect = sync.OnceValue(func() *lex.Dialect { return newCDialect(true) })
)

func newCDialect(plus bool) *lex.Dialect {
	lists := map[lex.Word]string{
		lex.Struct: "struct", lex.Union: "union", lex.Enum: "enum", lex.Typedef: "typedef", lex.Extern: "extern",
		lex.If: "if", lex.Else: "else", lex.For: "for", lex.While: "while", lex.Do: "do",
		lex.Switch: "switch", lex.Case: "case", lex.Default: "default",
		lex.Return: "return", lex.Break: "break continue", lex.Goto: "goto",
		lex.Decl: "static inline const volatile register restrict auto __inline __inline__ _Noreturn __extension__ " +
			"__restrict thread_local _Thread_local __always_inline noinline asmlinkage __init __exit",
		lex.Prim: "void char short int long float double signed unsigned bool _Bool size_t ssize_t u8 u16 u32 u64 s8 s16 s32 s64 " +
			"uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
		lex.Attribute: "__attribute__ __attribute __declspec _Alignas alignas __asm__ asm __asm",
		lex.Skip:      "sizeof typeof __typeof__ _Alignof defined",
		lex.Value:     "NULL",
	}
	if plus {
		addCPlusPlus(lists)
	}
	d := lex.NewDialect(lex.NewKeywords(lists), "", "\"'#\\")
	d.Special = lex.CSpecialByte
	return d
}

func addCPlusPlus(lists map[lex.Word]string) {
	lists[lex.Class] = "class"
	lists[lex.Module] = "namespace"
	lists[lex.Template] = "template"
	lists[lex.Using] = "using"
	lists[lex.Operator] = "operator"
	lists[lex.Friend] = "friend"
	lists[lex.Pub] = "public private protected"
	lists[lex.New] = "new"
	lists[lex.This] = "this"
	lists[lex.Typename] = "typename"
	lists[lex.Del] = "delete"
	lists[lex.Try] = "try"
	lists[lex.Catch] = "catch"
	lists[lex.Throw] = "throw co_return co_yield co_await"
	lists[lex.Value] += " nullptr true false"
	lists[lex.Decl] += " virtual explicit constexpr consteval constinit mutable noexcept final override"
	lists[lex.Skip] += " decltype static_cast dynamic_cast reinterpret_cast const_cast alignof static_assert"
}

// cKinds are the kinds of types by their keyword.
var cKinds = map[lex.Word]Kind{lex.Struct: Struct, lex.Union: Union, lex.Enum: Enum, lex.Class: Class}

// isShape reports whether w is the keyword of a type that has members.
func isShape(w lex.Word) bool {
	return w == lex.Struct || w == lex.Union || w == lex.Enum || w == lex.Class
}

// macroText is one line of the preprocessor, which is not cut into tokens.
type macroText struct {
	text    []byte
	at      int
	dialect *lex.Dialect
}

// blanks passes blanks and tabs.
func (m *macroText) blanks() {
	for m.at < len(m.text) && lex.IsBlank(m.text[m.at]) {
		m.at++
	}
}

// name passes a name or number and answers it.
func (m *macroText) name() []byte {
	from := m.at
	for m.at < len(m.text) && m.dialect.IsWord(m.text[m.at]) {
		m.at++
	}
	return m.text[from:m.at]
}

// directive reads the #define, #include or #import at the cursor.
func (r *cReader) directive() {
	line := macroText{text: r.text(), at: 1, dialect: r.lexer.Dialect}
	line.blanks()
	word := string(line.name())
	line.blanks()
	if word == "define" {
		r.macro(&line)
		return
	}
	r.include(line.text[line.at:])
}

// include reads what stands behind #include: <a.h> or "a.h".
func (r *cReader) include(rest []byte) {
	if len(rest) < len("<a>") {
		return
	}
	shut := rest[0]
	switch shut {
	case '<':
		shut = '>'
	case '"':
	default:
		return
	}
	for k := 1; k < len(rest); k++ {
		if rest[k] == shut {
			r.imported(r.at, ImportRow{Module: r.names.Intern(rest[1:k]), Name: r.star()})
			return
		}
	}
}

// longMacro is the length from which a macro may have several lines, in bytes. Most are shorter, and their last line
// is not looked for.
const longMacro = 64

// macro defines what stands behind #define. A macro belongs to no definition, wherever it stands.
func (r *cReader) macro(line *macroText) {
	name := line.name()
	if len(name) == 0 {
		return
	}
	was := r.cur
	r.cur = noDef
	d := r.defineAs(Macro, r.names.Intern(name), r.at, r.at)
	t, def := r.tok(), r.def(d)
	def.Body, def.End = t.Start+int32(line.at), t.End
	if def.End-def.Start > longMacro {
		def.EndLine = lineAt(r.lexer.Lines, t.End-1)
	}
	r.cur = d
	r.replacement(line)
	r.cur = was
}

// maxMacroParams bounds the parameters of a macro that are told from other names.
const maxMacroParams = 16

// replacement refers to the names in a macro's replacement.
func (r *cReader) replacement(line *macroText) {
	var list [maxMacroParams]Sym
	params := r.macroParams(line, list[:0])
	text := line.text
	for line.at < len(text) {
		switch c := text[line.at]; {
		case line.dialect.Class[c] == lex.BeginsName:
			r.macroName(line, params)
		case line.dialect.Class[c] == lex.BeginsDigit:
			line.name()
		case c == '"' || c == '\'':
			line.quoted(c)
		case c == '/' && line.at+1 < len(text) && text[line.at+1] == '*':
			line.at = lex.Find(text, line.at+2, "*/")
		default:
			line.at++
		}
	}
}

// macroParams reads (a, b) behind a macro's name.
func (r *cReader) macroParams(line *macroText, params []Sym) []Sym {
	if line.at >= len(line.text) || line.text[line.at] != '(' {
		return params
	}
	for line.at++; line.at < len(line.text) && line.text[line.at] != ')'; {
		name := line.name()
		if len(name) == 0 {
			line.at++
			continue
		}
		if len(params) < cap(params) {
			params = append(params, r.names.Intern(name))
		}
	}
	return params
}

// quoted passes a string.
func (m *macroText) quoted(quote byte) {
	for m.at++; m.at < len(m.text) && m.text[m.at] != quote; m.at++ {
		if m.text[m.at] == '\\' {
			m.at++
		}
	}
	m.at++
}

// macroName refers to the name at the present place of a replacement, unless it is a keyword or a parameter.
func (r *cReader) macroName(line *macroText, params []Sym) {
	from := line.at
	text := line.name()
	h := lex.Hash(text)
	if line.dialect.Words.Find(text, h) != lex.NoWord {
		return
	}
	name := r.names.intern(text, h)
	for _, p := range params {
		if p == name {
			return
		}
	}
	use, q := Mention, Sym(0)
	if line.at < len(line.text) && line.text[line.at] == '(' {
		use = Call
	}
	if isMemberText(line.text[:from]) {
		q = r.names.InternString(unknown)
	}
	r.referTo(name, q, use, r.at)
}

// isMemberText reports whether . or -> stands at the end of text.
func isMemberText(text []byte) bool {
	n := len(text)
	return n > 0 && text[n-1] == '.' || n > 1 && string(text[n-2:]) == "->"
}
