package syntax

// TokenKind says what a Token is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenOther   TokenKind = iota // a bracket, an operator, a directive
	TokenName                     // a name
	TokenKeyword                  // a name with a meaning in its language, also one of a type or function of its own
	TokenNumber
	TokenText // a string
)

// Token is one token of a file that was read.
type Token struct {
	Start, End int // byte offsets
	Kind       TokenKind
	First      bool // of its line
}

// Tokens answers the tokens of the last reading. Comments are none.
func (x *Extractor) Tokens() []Token {
	list := make([]Token, 0, len(x.r.lexer.toks))
	for i := range x.r.lexer.toks {
		t := &x.r.lexer.toks[i]
		if t.kind == tEnd {
			break
		}
		list = append(list, Token{int(t.start), int(t.end), t.public(), t.nl})
	}
	return list
}

func (t *token) public() TokenKind {
	switch {
	case t.kind == tName && t.word == noWord:
		return TokenName
	case t.kind == tName:
		return TokenKeyword
	case t.kind == tNumber:
		return TokenNumber
	case t.kind == tString:
		return TokenText
	}
	return TokenOther
}
