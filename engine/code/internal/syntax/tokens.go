package syntax

import "helve/engine/code/internal/syntax/internal/lex"

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
	list := make([]Token, 0, len(x.r.lexer.Tokens))
	for i := range x.r.lexer.Tokens {
		t := &x.r.lexer.Tokens[i]
		if t.Kind == lex.EOF {
			break
		}
		list = append(list, Token{int(t.Start), int(t.End), publicKind(t), t.First})
	}
	return list
}

func publicKind(t *lex.Token) TokenKind {
	switch {
	case t.Kind == lex.Name && t.Word == lex.NoWord:
		return TokenName
	case t.Kind == lex.Name:
		return TokenKeyword
	case t.Kind == lex.Number:
		return TokenNumber
	case t.Kind == lex.String:
		return TokenText
	}
	return TokenOther
}
