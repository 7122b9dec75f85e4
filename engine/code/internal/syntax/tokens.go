package syntax

import (
	"helve/engine/code/internal/syntax/internal/lex"
)

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

// Unbalanced is the line of the first bracket of the last file read that has no partner, with the bracket; 0: each has
// one.
func (x *Extractor) Unbalanced() (line int, bracket string) {
	r := &x.r
	for p := range r.lexer.Tokens {
		t := &r.lexer.Tokens[p]
		if t.Start == t.End {
			continue // the lexer's own, for one that is missing
		}
		if t.Opens() && r.unclosed(t) || t.Closes() && int(t.Aux) == p {
			return int(r.searchLine(t.Start)), string(r.src[t.Start:t.End])
		}
	}
	return 0, ""
}

// unclosed reports whether an opening bracket has another partner than its own kind.
func (r *reader) unclosed(t *lex.Token) bool {
	if int(t.Aux) >= len(r.lexer.Tokens) {
		return true
	}
	partner := &r.lexer.Tokens[t.Aux]
	return partner.Kind != lex.Punct || partner.Start == partner.End || partner.Char != lex.ClosingOf(t.Char)
}
