package syntax

import (
	"bytes"

	"helve/engine/code/internal/syntax/internal/lex"
)

// This file reads the expressions inside strings: f"{a.b}", $"{a.b}", "${a.b}", "\(a.b)" and "#{a.b}". A string is
// one token, so they are not read as those outside are: chains of names are, each a reference; of what follows a call
// or an index nothing is known.

// maxHoleText bounds the text of one string that is looked into, in bytes.
const maxHoleText = 16 << 10

// holeOf is what begins an expression in the string text of a language; "": nothing does.
func holeOf(lang Language, text []byte) string {
	quote := bytes.IndexAny(text, "\"'`")
	switch {
	case quote < 0:
		return ""
	case lang == Python && bytes.ContainsAny(text[:quote], "fFtT"), lang == CSharp && bytes.IndexByte(text[:quote], '$') >= 0:
		return "{"
	case lang == Kotlin:
		return "$"
	case lang == Swift:
		return `\(`
	case lang == Ruby && text[quote] != '\'':
		return "#{"
	}
	return ""
}

// holes refers to what the expressions in the string at p mention. this is the path of the class around.
func (r *reader) holes(p pos, this string) {
	t := r.token(p)
	text := r.src[t.Start:min(t.End, t.Start+maxHoleText)]
	hole := holeOf(r.rows.Language, text)
	if hole == "" {
		return
	}
	for i := 0; ; {
		n := bytes.Index(text[i:], []byte(hole))
		if n < 0 {
			return
		}
		i += n + len(hole)
		switch {
		case i >= len(text):
			return
		case hole == "{" && text[i] == '{': // a bracket, doubled
			i++
		case hole == "$" && text[i] != '{': // $name
			r.chains(text[i:r.nameEnd(text, i)], p, this)
		default:
			if hole == "$" {
				i++
			}
			end := holeEnd(text, i)
			r.chains(text[i:end], p, this)
			i = end
		}
	}
}

// holeEnd is where the expression at i ends: at the bracket that closes it, or at the colon or exclamation mark
// before its format.
func holeEnd(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ':', '!':
			if depth == 0 && (i+1 >= len(text) || text[i+1] != '=' && text[i+1] != c) {
				return i
			}
		}
	}
	return i
}

// nameEnd is where the name at i ends.
func (r *reader) nameEnd(text []byte, i int) int {
	for i < len(text) && r.lexer.Dialect.IsWord(text[i]) {
		i++
	}
	return i
}

// chains refers to the names of an expression, with the members behind each: the text stands in the string at p.
func (r *reader) chains(text []byte, p pos, this string) {
	begin := r.beginScope()
	defer r.endScope(begin)
	r.bindLoops(text)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\'':
			i = quotedEnd(text, i)
		case !r.lexer.Dialect.IsWord(c):
			i++
		case c >= '0' && c <= '9':
			i = r.nameEnd(text, i)
		default:
			i = r.chainIn(text, i, p, this)
		}
	}
}

// quotedEnd is behind the text in quotes at i.
func quotedEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i+1:], text[i]); n >= 0 {
		return i + n + 2
	}
	return len(text)
}

// bindLoops binds what "for x in" names in the text.
func (r *reader) bindLoops(text []byte) {
	for i := 0; ; {
		n := bytes.Index(text[i:], []byte(" for "))
		if n < 0 {
			return
		}
		i += n + len(" for ")
		end := bytes.Index(text[i:], []byte(" in "))
		if end < 0 {
			return
		}
		for _, name := range bytes.FieldsFunc(text[i:i+end], func(c rune) bool { return c == ',' || c == ' ' || c == '(' || c == ')' }) {
			r.bind(r.names.Intern(name), 0)
		}
	}
}

// chainIn refers to the name at i and to the members behind it, and answers where they end.
func (r *reader) chainIn(text []byte, i int, p pos, this string) int {
	m, end := r.top(), r.nameEnd(text, i)
	name := text[i:end]
	switch {
	case i > 0 && text[i-1] == '.': // of a call or an element
		r.pushUnknown()
		r.referTo(r.names.Intern(name), r.whole(m), useIn(text, end), p)
	case r.isThis(name) && this != "":
		r.pushString(this)
	case r.lexer.Dialect.Words.Find(name, lex.Hash(name)) != lex.NoWord:
		return end
	case end+1 < len(text) && text[end] == '=' && text[end+1] != '=': // the name of an argument
		return end + 1
	default:
		r.headIn(name, useIn(text, end), p)
	}
	for end+1 < len(text) && text[end] == '.' && r.nameEnd(text, end+1) > end+1 {
		from := end + 1
		end = r.nameEnd(text, from)
		r.referTo(r.names.Intern(text[from:end]), r.whole(m), useIn(text, end), p)
		r.member(text[from:end])
	}
	r.drop(m)
	return end
}

// headIn pushes the name that begins a chain, and refers to it unless it is a local one.
func (r *reader) headIn(name []byte, use Use, p pos) {
	sym := r.names.Intern(name)
	if b, ok := r.local(sym); ok && b != sym {
		r.pushLocal(sym, b)
		return
	}
	r.referTo(sym, 0, use, p)
	r.pushText(name)
}

// isThis reports whether a name is that of the object around.
func (r *reader) isThis(name []byte) bool {
	switch r.rows.Language {
	case CSharp, Kotlin:
		return string(name) == "this"
	case Swift, Ruby:
		return string(name) == "self"
	}
	return false
}

// useIn is how the name that ends at i is used.
func useIn(text []byte, i int) Use {
	if i < len(text) && text[i] == '(' {
		return Call
	}
	return Mention
}
