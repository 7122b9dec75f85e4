package lex

import "strings"

// brackets is how the lexer pairs brackets. Readers jump over them, so every opening one gets a partner, in text that
// does not parse as well: it is the end of the file then, or where something begins that cannot stand in a bracket.
type brackets struct {
	open  []int32 // indices of the tokens of unmatched opening brackets
	curly int     // how many curly brackets are open
	// conds and saved are the #if of C that are open, see preprocessor.openCondition.
	conds []condition
	saved []int32
	// modes are what closing curly brackets end besides a block: expressions inside text.
	modes []mode
}

func (b *brackets) reset() {
	b.open, b.curly = b.open[:0], 0
	b.conds, b.saved = b.conds[:0], b.saved[:0]
	b.modes = b.modes[:0]
}

const (
	openings = "([{<"
	closings = ")]}>"
)

// partnerOf is the opening bracket of a closing one.
var partnerOf = [256]byte{')': '(', ']': '[', '}': '{'}

// ClosingOf is the closing bracket for an opening one, and any other byte itself.
func ClosingOf(open byte) byte {
	if k := strings.IndexByte(openings, open); k >= 0 {
		return closings[k]
	}
	return open
}

// opening reads an opening bracket.
func (l *Lexer) opening(i int) int {
	c := l.src[i]
	if c == '{' {
		l.curly++
	}
	l.open = append(l.open, int32(len(l.Tokens)))
	return l.punct(i, 1, c)
}

// closing reads a closing bracket, which may also end an expression inside text.
func (l *Lexer) closing(i int) int {
	c := l.src[i]
	if c == '}' {
		if n := len(l.modes); n > 0 && l.modes[n-1].depth == l.curly {
			return l.endMode(i)
		}
		l.curly--
	}
	return l.close(i, c)
}

// close emits a closing bracket that stands for c. Its aux is its partner, or itself when it has none.
func (l *Lexer) close(i int, c byte) int {
	o := l.partner(partnerOf[c])
	l.emit(Token{Start: int32(i), End: int32(i + 1), Aux: uint32(o), Kind: Punct, Char: c})
	return i + 1
}

// partner takes the innermost open bracket of this kind from the stack and links it to the token that comes next. A
// curly bracket closes round and square ones that were left open; a round or square one never closes a curly one.
func (l *Lexer) partner(want byte) int {
	next := len(l.Tokens)
	for n := len(l.open); n > 0; n-- {
		o := l.open[n-1]
		ch := l.Tokens[o].Char
		if ch == want {
			for _, lost := range l.open[n-1:] {
				l.Tokens[lost].Aux = uint32(next)
			}
			l.open = l.open[:n-1]
			return int(o)
		}
		if ch == '{' {
			break
		}
	}
	return next
}

// closeAll closes what was left open before a definition at i that can stand in no bracket, so that a file under
// change loses one definition and not all behind it.
func (l *Lexer) closeAll(i int) {
	for len(l.open) > 0 {
		open := l.Tokens[l.open[len(l.open)-1]].Char
		o := l.partner(open)
		l.emit(Token{Start: int32(i), End: int32(i), Aux: uint32(o), Kind: Punct, Char: ClosingOf(open)})
	}
	l.curly, l.modes, l.nl = 0, l.modes[:0], true
}

// mode is an interruption of text that a closing curly bracket ends: the hole of a template.
type mode struct {
	depth int // how many curly brackets were open in the hole
	level int // how many elements are open, in JSX
	kind  byte
}

// A mode's kind says what goes on after its closing bracket.
const (
	modeTemplate = 't' // `…${ }…`
	modeTag      = 'a' // <a b={ }…>
	modeChildren = 'c' // <a>…{ }…</a>
)

// hole opens an expression inside text. Its curly bracket at i becomes a round one: it holds a value, no statements.
func (l *Lexer) hole(i int, m mode) int {
	l.curly++
	m.depth = l.curly
	l.modes = append(l.modes, m)
	l.open = append(l.open, int32(len(l.Tokens)))
	return l.punct(i, 1, '(')
}

// endMode closes the hole that the curly bracket at i ends, and goes on with the text around it.
func (l *Lexer) endMode(i int) int {
	m := l.modes[len(l.modes)-1]
	l.modes = l.modes[:len(l.modes)-1]
	l.curly--
	i = l.close(i, ')')
	switch m.kind {
	case modeTag:
		return elements{l}.read(i, m.level, inAttributes)
	case modeChildren:
		return elements{l}.read(i, m.level, inChildren)
	}
	return l.template(i, i)
}
