package lex

import (
	"bytes"
	"strings"
)

// This file holds the forms of strings that several languages share.

// at reports whether src goes on with text at i.
func (l *Lexer) at(i int, text string) bool {
	return i+len(text) <= len(l.src) && string(l.src[i:i+len(text)]) == text
}

// wordEnd is the offset behind the name or number at i.
func (l *Lexer) wordEnd(i int) int {
	for i < len(l.src) && l.Dialect.IsWord(l.src[i]) {
		i++
	}
	return i
}

// blanksEnd is the offset behind the blanks and tabs at i.
func (l *Lexer) blanksEnd(i int) int {
	for i < len(l.src) && IsBlank(l.src[i]) {
		i++
	}
	return i
}

// lineEnd is the offset of the line feed behind i, or the end of the file.
func (l *Lexer) lineEnd(i int) int {
	if n := bytes.IndexByte(l.src[min(i, len(l.src)):], '\n'); n >= 0 {
		return i + n
	}
	return len(l.src)
}

// quoted reads a string of one line in which a backslash protects the next byte. Where the closing quote is missing
// it ends with the line, so that a mistake costs one line.
func (l *Lexer) quoted(i int, quote byte) int {
	src := l.src
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case quote:
			return l.str(i, j+1, quote)
		case '\\':
			j++
			if j < len(src) && src[j] == '\n' {
				l.Lines = append(l.Lines, int32(j+1))
			}
		case '\n':
			return l.str(i, j, quote)
		}
	}
	return l.str(i, len(src), quote)
}

// Raw reads a string that ends at the text end and may span lines. from is where its text begins.
func (l *Lexer) Raw(i, from int, end string, quote byte) int {
	j := Find(l.src, from, end)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

// Find answers the offset behind the next end, or the end of src.
func Find(src []byte, from int, end string) int {
	if from > len(src) {
		return len(src)
	}
	n := bytes.Index(src[from:], []byte(end))
	if n < 0 {
		return len(src)
	}
	return from + n + len(end)
}

// long reads a string of several lines in which a backslash protects the next byte. It begins at start, its text at
// from.
func (l *Lexer) long(start, from int, end string) int {
	src, quote := l.src, end[0]
	for j := from; j < len(src); j++ {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == quote && l.at(j, end):
			j += len(end)
			for len(end) == 3 && j < len(src) && src[j] == quote { // """x"""" holds a quote at its end
				j++
			}
			l.skipped(start, j)
			return l.str(start, j, quote)
		}
	}
	l.skipped(start, len(src))
	return l.str(start, len(src), quote)
}

// maxPrefix is the length of the longest prefix of a string, the u8R of C++.
const maxPrefix = 3

// prefix takes back the name that stands directly before i when it consists of the letters in set only: the r of
// r"…". It answers the offset where the string begins, and whether an r says that backslashes mean nothing.
func (l *Lexer) prefix(i int, set string) (start int, raw bool) {
	t := l.last()
	if t == nil || t.Kind != Name || int(t.End) != i || i-int(t.Start) > maxPrefix {
		return i, false
	}
	for _, c := range l.src[t.Start:t.End] {
		if strings.IndexByte(set, c) < 0 {
			return i, false
		}
		raw = raw || c == 'r' || c == 'R'
	}
	l.Tokens = l.Tokens[:len(l.Tokens)-1]
	l.nl = t.First
	return int(t.Start), raw
}

// prefixed reads a string of one line whose prefix, from start on, was taken back.
func (l *Lexer) prefixed(start, i int) int {
	j := l.quoted(i, l.src[i])
	l.last().Start = int32(start)
	return j
}

// TripleSpecial reads the strings and quoted names of Java, Kotlin and Swift; hole begins an expression inside one.
func TripleSpecial(hole string) func(*Lexer, int) int {
	return func(l *Lexer, i int) int {
		switch l.src[i] {
		case '#':
			return l.hashString(i)
		case '`':
			return l.backName(i)
		}
		if l.at(i, `"""`) {
			return l.long(i, i+3, `"""`)
		}
		return l.holed(i, i+1, '"', hole)
	}
}

// backName reads `name`: the quotes are not part of the name, which may hold blanks, and a keyword between them is
// none.
func (l *Lexer) backName(i int) int {
	n := bytes.IndexByte(l.src[i+1:], '`')
	if n <= 0 || bytes.IndexByte(l.src[i+1:i+1+n], '\n') >= 0 {
		return i
	}
	from, to := i+1, i+1+n
	l.emit(Token{Start: int32(from), End: int32(to), Aux: Hash(l.src[from:to]), Kind: Name})
	return to + 1
}

// maxHoles bounds strings in expressions in strings. What nests deeper is read as text.
const maxHoles = 8

// holed reads a string of one line from j to quote; an expression in it, from hole (such as "${") to its bracket, may
// hold quotes of its own.
func (l *Lexer) holed(i, j int, quote byte, hole string) int {
	j = l.holedEnd(j, quote, hole, 0)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

// holedEnd is the offset behind the string whose text goes on at j. level counts the strings around it.
func (l *Lexer) holedEnd(j int, quote byte, hole string, level int) int {
	src := l.src
	for j < len(src) {
		switch c := src[j]; {
		case c == quote:
			return j + 1
		case hole == "{" && l.at(j, "{{"):
			j++
		case hole != "" && c == hole[0] && level < maxHoles && l.at(j, hole):
			j = l.holeEnd(j+len(hole), quote, hole, level)
			continue
		case c == '\\':
			j++
		case c == '\n':
			return j
		}
		j++
	}
	return len(src)
}

// holeEnd is the offset behind the bracket that ends the expression at j, on the same line.
func (l *Lexer) holeEnd(j int, quote byte, hole string, level int) int {
	src, depth := l.src, 1
	open := hole[len(hole)-1]
	shut := ClosingOf(open)
	for j < len(src) && src[j] != '\n' {
		switch src[j] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return j + 1
			}
		case quote:
			j = l.holedEnd(j+1, quote, hole, level+1)
			continue
		}
		j++
	}
	return j
}
