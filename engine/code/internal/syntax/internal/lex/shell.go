package lex

import (
	"bytes"
	"strings"
)

// shell cuts what only it has: its quotes, parameters and commands inside both.
type shell struct{ *Lexer }

// ShellSpecial is Dialect.Special of the shell.
func ShellSpecial(l *Lexer, i int) int { return shell{l}.special(i) }

func (l shell) special(i int) int {
	switch l.src[i] {
	case '#':
		if i == 0 || strings.IndexByte(" \t\n;(&|", l.src[i-1]) >= 0 {
			return l.lineComment(i)
		}
		return i
	case '\\':
		if l.at(i, "\\\n") {
			l.Lines = append(l.Lines, int32(i+2))
		}
		return min(i+2, len(l.src))
	case '<':
		return l.announce(i)
	case '$':
		return l.dollar(i)
	case '\'':
		return l.Raw(i, i+1, "'", '\'')
	case '`':
		return i // the commands between two of them are read like others
	}
	return l.text(i)
}

// announce reads <<EOF, <<-EOF and <<'EOF', whose text begins on the next line, and <<< word.
func (l shell) announce(i int) int {
	switch {
	case l.at(i, "<<<"):
		return l.punct(i, 3, '<')
	case !l.at(i, "<<"):
		return i
	}
	j := i + 2
	indent := l.at(j, "-")
	if indent {
		j++
	}
	word, end := l.docWord(j)
	if word == "" {
		return l.punct(i, 2, '<')
	}
	l.docs = append(l.docs, heredoc{word, indent})
	return l.str(i, end, '"')
}

// dollar passes variables; the bracket of $( is left to be paired.
func (l shell) dollar(i int) int {
	if i+1 >= len(l.src) {
		return i
	}
	switch c := l.src[i+1]; {
	case c == '\'':
		return l.quoted(i+1, '\'')
	case c == '{':
		return l.str(i, l.parameterEnd(i), '$')
	case c == '(':
		return i + 1
	case l.Dialect.IsWord(c):
		return l.str(i, l.wordEnd(i+1), '$')
	case strings.IndexByte("?#@*!-", c) >= 0:
		return l.str(i, i+2, '$')
	}
	return i
}

// parameterEnd is the offset behind ${…} at i, which may hold others: ${a="${b}/c"}. It ends on its line.
func (l shell) parameterEnd(i int) int {
	first, depth := 0, 0
	for j := i; j < len(l.src) && l.src[j] != '\n'; j++ {
		switch l.src[j] {
		case '\\':
			j++
		case '{':
			if j == i+1 || l.src[j-1] == '$' {
				depth++
			}
		case '}':
			if first == 0 {
				first = j + 1
			}
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return max(first, i+2)
}

// text reads "…", with the commands in $(…) and `…` inside it as part of the text. Quotes in a command do not
// end the string: "a $(b "c") d".
func (l shell) text(i int) int {
	src, depth := l.src, 0 // of $(
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '$':
			if l.at(j, "$(") {
				depth++
				j++
			} else if l.at(j, "${") {
				j = l.parameterEnd(j) - 1
			}
		case ')':
			depth = max(depth-1, 0)
		case '`':
			j = max(l.backTick(j+1), j)
		case '"':
			end := 0
			if depth > 0 {
				end = l.quoteOnLine(j + 1)
			}
			if end == 0 {
				l.skipped(i, j)
				return l.str(i, j+1, '"')
			}
			j = end
		}
	}
	l.skipped(i, len(src))
	return l.str(i, len(src), '"')
}

// backTick is the offset of the back tick that ends the commands at i, on their line; 0: none does.
func (l shell) backTick(i int) int {
	for ; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '`':
			return i
		}
	}
	return 0
}

// quoteOnLine is the offset of the next double quote on the line of i; 0: there is none.
func (l shell) quoteOnLine(i int) int {
	end := l.lineEnd(i)
	if n := bytes.IndexByte(l.src[i:end], '"'); n >= 0 {
		return i + n
	}
	return 0
}
