package lex

// rust tells characters from lifetimes and reads raw strings and raw names.
type rust struct{ *Lexer }

// RustSpecial is Dialect.Special of Rust.
func RustSpecial(l *Lexer, i int) int { return rust{l}.special(i) }

func (l rust) special(i int) int {
	switch l.src[i] {
	case '\'':
		return l.quote(i)
	case '#':
		if start, raw := l.prefix(i, "rbc"); raw {
			return l.hashed(start, i)
		}
		return i
	}
	start, raw := l.prefix(i, "rbc")
	if raw {
		return l.Raw(start, i+1, "\"", '"')
	}
	return l.long(start, i+1, "\"")
}

// maxHashes is how many # the language allows before a raw string.
const maxHashes = 255

// hashed reads r##"…"## and r#type. It begins at start, its first # stands at i.
func (l rust) hashed(start, i int) int {
	src, n := l.src, i
	for n < len(src) && src[n] == '#' {
		n++
	}
	if l.at(n, "\"") && n-i <= maxHashes {
		return l.Raw(start, n+1, "\""+string(src[i:n]), '"')
	}
	n = l.name(min(n, len(src)-1))
	l.last().Word = NoWord // a keyword written so is a name
	return n
}

// maxChar is the offset in a character literal up to which its closing quote stands: four bytes of UTF-8.
const maxChar = 5

// quote tells the character 'a' from the lifetime 'a.
func (l rust) quote(i int) int {
	src := l.src
	if l.at(i+1, `\`) {
		return l.quoted(i, '\'')
	}
	j := i + 1
	for j < len(src) && j <= i+maxChar && src[j] != '\'' && src[j] != '\n' {
		j++
	}
	if l.at(j, "'") && (j == i+2 || src[i+1] >= 0x80) {
		return l.str(i, j+1, '\'')
	}
	return l.punct(i, max(l.wordEnd(i+1)-i, 1), '\'')
}
