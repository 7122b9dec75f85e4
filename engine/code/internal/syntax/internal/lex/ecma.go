package lex

import "bytes"

// This file cuts what only JavaScript and its relatives have: templates and JSX.

// EcmaSpecial handles back ticks, private names and the first line of a script.
func EcmaSpecial(l *Lexer, i int) int {
	switch l.src[i] {
	case '`':
		return l.template(i, i+1)
	case '#':
		if i == 0 {
			return l.lineComment(i) // #!/usr/bin/env node
		}
		return l.privateName(i)
	}
	return l.operator(i)
}

// privateName reads #name, whose # is part of it.
func (l *Lexer) privateName(i int) int {
	if l.wordEnd(i+1) == i+1 {
		return i
	}
	end := l.name(i + 1)
	t := l.last()
	t.Start, t.Word = int32(i), NoWord
	t.Aux = Hash(l.src[i:end])
	return end
}

// ElementSpecial is EcmaSpecial for files that may hold JSX.
func ElementSpecial(l *Lexer, i int) int {
	if l.src[i] != '<' {
		return EcmaSpecial(l, i)
	}
	e := elements{l}
	if !e.begins(i) {
		return l.operator(i)
	}
	l.open = append(l.open, int32(len(l.Tokens))) // an element is one value: as if in round brackets
	l.punct(i, 0, '(')
	return e.read(i, 0, inTag)
}

// template reads template text from j on: to the closing back tick, or to a hole, whose tokens stand in round brackets.
func (l *Lexer) template(i, j int) int {
	src := l.src
	for ; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '\n':
			l.Lines = append(l.Lines, int32(j+1))
		case '`':
			return l.str(i, j+1, '`')
		case '$':
			if l.at(j, "${") {
				l.str(i, j, '`')
				return l.hole(j+1, mode{kind: modeTemplate})
			}
		}
	}
	return l.str(i, len(src), '`')
}

// elements cuts those of JSX.
type elements struct{ *Lexer }

// begins reports whether the < at i begins an element and not a comparison or type parameters.
func (l elements) begins(i int) bool {
	if i+1 >= len(l.src) || !l.operandNext() {
		return false
	}
	c := l.src[i+1]
	if c == '>' {
		return true
	}
	if l.Dialect.Class[c] != BeginsName {
		return false
	}
	j := l.wordEnd(i + 1)
	return !l.at(j, ",") && !l.at(j, " extends ") // <T,>(x: T) => …
}

// elementState says where in an element the lexer is.
type elementState int

const (
	inCode elementState = iota // the element has ended, or a hole began
	inTag
	inAttributes
	inChildren
)

// read reads on from i, in an element that level others enclose, until code begins. It is a loop and not a
// recursion because elements nest and follow one another without bound.
func (l elements) read(i, level int, state elementState) int {
	for state != inCode && i < len(l.src) {
		switch state {
		case inTag:
			i, level, state = l.tag(i, level)
		case inAttributes:
			i, level, state = l.attributes(i, level)
		case inChildren:
			i, level, state = l.children(i, level)
		}
	}
	return i
}

// tag reads the name of the tag at i.
func (l elements) tag(i, level int) (int, int, elementState) {
	src := l.src
	if l.at(i+1, "/") {
		j := i + 2
		for j < len(src) && src[j] != '>' {
			j++
		}
		l.skipped(i, j)
		return l.end(min(j+1, len(src)), level-1)
	}
	j := i + 1
	for j < len(src) && (l.Dialect.IsWord(src[j]) || src[j] == '.' || src[j] == '-' || src[j] == ':') {
		j++
	}
	name := src[i+1 : j]
	plain := len(name) == 0 || name[0] >= 'a' && name[0] <= 'z' && bytes.IndexByte(name, '.') < 0
	if !plain { // <div> is nobody's definition
		l.component(i+1, j)
	}
	return j, level, inAttributes
}

// component emits the tokens of an element's name, and an empty string that parts it from what follows.
func (l elements) component(i, end int) {
	for i < end {
		switch {
		case l.Dialect.Class[l.src[i]] == BeginsName:
			i = l.name(i)
		case l.src[i] == '.':
			i = l.punct(i, 1, '.')
		default:
			i++
		}
	}
	l.str(i, i, '<')
}

func (l elements) end(i, level int) (int, int, elementState) {
	if level > 0 {
		return i, level, inChildren
	}
	open := l.partner('(')
	l.emit(Token{Start: int32(i), End: int32(i), Aux: uint32(open), Kind: Punct, Char: ')'})
	return i, 0, inCode
}

// attributes reads up to the end of a tag.
func (l elements) attributes(i, level int) (int, int, elementState) {
	src := l.src
	for ; i < len(src); i++ {
		switch src[i] {
		case '{':
			return l.hole(i, mode{kind: modeTag, level: level}), level, inCode
		case '"', '\'':
			j := i + 1
			for j < len(src) && src[j] != src[i] {
				j++
			}
			l.skipped(i, j)
			i = j
		case '\n':
			l.newline(i)
		case '>':
			if src[i-1] == '/' {
				return l.end(i+1, level)
			}
			return i + 1, level + 1, inChildren
		}
	}
	return len(src), level, inCode
}

// children reads the text inside an element.
func (l elements) children(i, level int) (int, int, elementState) {
	for ; i < len(l.src); i++ {
		switch l.src[i] {
		case '{':
			return l.hole(i, mode{kind: modeChildren, level: level}), level, inCode
		case '<':
			return i, level, inTag
		case '\n':
			l.newline(i)
		}
	}
	return i, level, inCode
}
