package syntax

import "bytes"

// This file cuts what only JavaScript and its relatives have: templates and JSX.

// scriptSpecial handles back ticks, and < where it begins an element.
func scriptSpecial(l *lexer, i int) int {
	switch l.src[i] {
	case '`':
		return l.template(i, i+1)
	case '#':
		if i == 0 {
			return l.lineComment(i) // #!/usr/bin/env node
		}
		return l.name(i)
	}
	return l.operator(i)
}

// elementSpecial is scriptSpecial for files that may hold JSX.
func elementSpecial(l *lexer, i int) int {
	if l.src[i] == '<' {
		if l.elementNext(i) {
			l.open = append(l.open, int32(len(l.toks))) // an element is one value: as if in round brackets
			l.punct(i, 0, '(')
			return l.element(i, 0, inTag)
		}
		return l.operator(i)
	}
	return scriptSpecial(l, i)
}

// template reads template text from j on: to the closing back tick, or to a hole, whose tokens stand in round brackets.
func (l *lexer) template(i, j int) int {
	src := l.src
	for j < len(src) {
		switch {
		case src[j] == '\\':
			j++
		case src[j] == '\n':
			l.lines = append(l.lines, int32(j+1))
		case src[j] == '`':
			return l.str(i, j+1, '`')
		case src[j] == '$' && j+1 < len(src) && src[j+1] == '{':
			l.str(i, j, '`')
			return l.hole(j+1, mode{kind: modeTemplate})
		}
		j++
	}
	return l.str(i, len(src), '`')
}

// hole opens an expression inside text. The curly bracket at i becomes a round one.
func (l *lexer) hole(i int, m mode) int {
	l.depth++
	m.depth = l.depth
	l.modes = append(l.modes, m)
	l.open = append(l.open, int32(len(l.toks)))
	return l.punct(i, 1, '(')
}

// endMode closes the hole that the curly bracket at i ends, and goes on with the text around it.
func (l *lexer) endMode(i int) int {
	m := l.modes[len(l.modes)-1]
	l.modes = l.modes[:len(l.modes)-1]
	l.depth--
	i = l.close(i, ')')
	switch m.kind {
	case modeTag:
		return l.element(i, m.level, inAttributes)
	case modeChildren:
		return l.element(i, m.level, inChildren)
	}
	return l.template(i, i)
}

// elementNext reports whether the < at i begins an element and not a comparison or type parameters.
func (l *lexer) elementNext(i int) bool {
	src := l.src
	if i+1 >= len(src) || !l.operandNext() {
		return false
	}
	c := src[i+1]
	if c == '>' {
		return true
	}
	if l.lang.class[c] != cName {
		return false
	}
	j := i + 1
	for j < len(src) && l.lang.class[src[j]] == cName || j < len(src) && l.lang.class[src[j]] == cDigit {
		j++
	}
	if j < len(src) && src[j] == ',' { // <T,>(x: T) => …
		return false
	}
	return j+9 > len(src) || string(src[j:j+9]) != " extends "
}

// elementState says where in an element the lexer is.
type elementState int

const (
	inCode elementState = iota // the element has ended, or a hole began
	inTag
	inAttributes
	inChildren
)

// element reads on from i, in an element that level others enclose, until code begins. It is a loop and not a
// recursion because elements nest and follow one another without bound.
func (l *lexer) element(i, level int, state elementState) int {
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
func (l *lexer) tag(i, level int) (int, int, elementState) {
	src := l.src
	if i+1 < len(src) && src[i+1] == '/' {
		j := i + 2
		for j < len(src) && src[j] != '>' {
			j++
		}
		l.skipped(i, j)
		return l.elementEnd(min(j+1, len(src)), level-1)
	}
	j := i + 1
	for j < len(src) && (l.lang.class[src[j]] == cName || l.lang.class[src[j]] == cDigit || src[j] == '.' || src[j] == '-' || src[j] == ':') {
		j++
	}
	if c := src[i+1 : j]; len(c) > 0 && (c[0] < 'a' || c[0] > 'z' || bytes.IndexByte(c, '.') > 0) { // <div> is nobody's definition
		l.component(i+1, j)
	}
	return j, level, inAttributes
}

// component emits the tokens of an element's name, and an empty string that parts it from what follows.
func (l *lexer) component(i, end int) {
	for i < end {
		switch {
		case l.lang.class[l.src[i]] == cName:
			i = l.name(i)
		case l.src[i] == '.':
			i = l.punct(i, 1, '.')
		default:
			i++
		}
	}
	l.str(i, i, '<')
}

func (l *lexer) elementEnd(i, level int) (int, int, elementState) {
	if level <= 0 {
		l.emit(token{start: int32(i), end: int32(i), aux: uint32(l.partner('(')), kind: tPunct, ch: ')'})
		return i, 0, inCode
	}
	return i, level, inChildren
}

// attributes reads up to the end of a tag.
func (l *lexer) attributes(i, level int) (int, int, elementState) {
	src := l.src
	for i < len(src) {
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
				return l.elementEnd(i+1, level)
			}
			return i + 1, level + 1, inChildren
		}
		i++
	}
	return len(src), level, inCode
}

// children reads the text inside an element.
func (l *lexer) children(i, level int) (int, int, elementState) {
	src := l.src
	for i < len(src) {
		switch src[i] {
		case '{':
			return l.hole(i, mode{kind: modeChildren, level: level}), level, inCode
		case '<':
			return i, level, inTag
		case '\n':
			l.newline(i)
		}
		i++
	}
	return i, level, inCode
}
