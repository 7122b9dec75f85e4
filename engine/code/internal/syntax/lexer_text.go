package syntax

import (
	"bytes"
	"strings"
)

// This file holds the forms of strings that several languages share.

// at reports whether src goes on with text at i.
func (l *lexer) at(i int, text string) bool {
	return i+len(text) <= len(l.src) && string(l.src[i:i+len(text)]) == text
}

// wordEnd is the offset behind the name or number at i.
func (l *lexer) wordEnd(i int) int {
	for i < len(l.src) && l.dialect.isWord(l.src[i]) {
		i++
	}
	return i
}

// blanksEnd is the offset behind the blanks and tabs at i.
func (l *lexer) blanksEnd(i int) int {
	for i < len(l.src) && isBlank(l.src[i]) {
		i++
	}
	return i
}

// lineEnd is the offset of the line feed behind i, or the end of the file.
func (l *lexer) lineEnd(i int) int {
	if n := bytes.IndexByte(l.src[min(i, len(l.src)):], '\n'); n >= 0 {
		return i + n
	}
	return len(l.src)
}

// quoted reads a string of one line in which a backslash protects the next byte. Where the closing quote is missing
// it ends with the line, so that a mistake costs one line.
func (l *lexer) quoted(i int, quote byte) int {
	src := l.src
	for j := i + 1; j < len(src); j++ {
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
	}
	return l.str(i, len(src), quote)
}

// raw reads a string that ends at the text end and may span lines. from is where its text begins.
func (l *lexer) raw(i, from int, end string, quote byte) int {
	j := find(l.src, from, end)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

// find answers the offset behind the next end, or the end of src.
func find(src []byte, from int, end string) int {
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
func (l *lexer) long(start, from int, end string) int {
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
func (l *lexer) prefix(i int, set string) (start int, raw bool) {
	t := l.last()
	if t == nil || t.kind != tName || int(t.end) != i || i-int(t.start) > maxPrefix {
		return i, false
	}
	for _, c := range l.src[t.start:t.end] {
		if strings.IndexByte(set, c) < 0 {
			return i, false
		}
		raw = raw || c == 'r' || c == 'R'
	}
	l.toks = l.toks[:len(l.toks)-1]
	l.nl = t.nl
	return int(t.start), raw
}

// prefixed reads a string of one line whose prefix, from start on, was taken back.
func (l *lexer) prefixed(start, i int) int {
	j := l.quoted(i, l.src[i])
	l.last().start = int32(start)
	return j
}

// tripleSpecial reads the strings and quoted names of Java, Kotlin and Swift; hole begins an expression inside one.
func tripleSpecial(hole string) func(*lexer, int) int {
	return func(l *lexer, i int) int {
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
func (l *lexer) backName(i int) int {
	n := bytes.IndexByte(l.src[i+1:], '`')
	if n <= 0 || bytes.IndexByte(l.src[i+1:i+1+n], '\n') >= 0 {
		return i
	}
	from, to := i+1, i+1+n
	l.emit(token{start: int32(from), end: int32(to), aux: HashBytes(l.src[from:to]), kind: tName})
	return to + 1
}

// maxHoles bounds strings in expressions in strings. What nests deeper is read as text.
const maxHoles = 8

// holed reads a string of one line from j to quote; an expression in it, from hole (such as "${") to its bracket, may
// hold quotes of its own.
func (l *lexer) holed(i, j int, quote byte, hole string) int {
	j = l.holedEnd(j, quote, hole, 0)
	l.skipped(i, j)
	return l.str(i, j, quote)
}

// holedEnd is the offset behind the string whose text goes on at j. level counts the strings around it.
func (l *lexer) holedEnd(j int, quote byte, hole string, level int) int {
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
func (l *lexer) holeEnd(j int, quote byte, hole string, level int) int {
	src, depth := l.src, 1
	open := hole[len(hole)-1]
	shut := closingOf(open)
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
