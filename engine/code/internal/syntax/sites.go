package syntax

import (
	"bytes"
	"slices"

	"helve/engine/code/internal/syntax/internal/lex"
)

// Seen is what a file has of watched names.
type Seen struct {
	Sites []Site
	// Binds are the definitions in which one of the names is bound locally, as indices; -1: outside of all.
	Binds []Bound
	// Texts counts the words in strings and comments, Live those among them that a language evaluates.
	Texts, Live int
	// Quoted counts those that are all of a string.
	Quoted int
}

// Watch has the next reading note where these names stand. Without names, nothing is noted.
func (x *Extractor) Watch(names ...string) {
	x.r.watch = nil
	if len(names) == 0 {
		return
	}
	w := &watcher{sites: map[pos]*Site{}}
	for _, n := range names {
		w.names = append(w.names, x.Names.InternString(n))
	}
	x.r.watch = w
}

// Seen answers what the last reading noted.
func (x *Extractor) Seen() Seen {
	r := &x.r
	if r.watch == nil {
		return Seen{}
	}
	out := Seen{Binds: r.watch.binds}
	for p := range r.lexer.Tokens {
		t := &r.lexer.Tokens[p]
		if t.Kind != lex.Name || !r.watch.has(r.symAt(pos(p))) {
			continue
		}
		s := Site{Def: noDef}
		if known := r.watch.sites[pos(p)]; known != nil {
			s = *known
		}
		r.describe(&s, pos(p))
		out.Sites = append(out.Sites, s)
	}
	r.texts(&out)
	return out
}

// describe says where the token at p stands.
func (r *reader) describe(s *Site, p pos) {
	t := r.token(p)
	s.Name, s.Start, s.Line = r.names.Text(r.symAt(p)), int(t.Start), int(r.searchLine(t.Start))
	s.From = r.holder(t.Start)
	s.First = t.First
	if p > 0 {
		before := r.token(p - 1)
		if before.Kind == lex.Punct {
			s.Before = before.Char
			s.Dots = before.Char == '.' || before.Char == lex.OpOptional || before.Char == lex.OpScope || before.Char == lex.OpArrow
		}
	}
	if after := r.token(p + 1); after.Kind == lex.Punct {
		s.After = after.Char
	}
}

// holder is the innermost definition whose text holds the offset.
func (r *reader) holder(off int32) int32 {
	best := noDef
	for d := range r.rows.Defs {
		def := &r.rows.Defs[d]
		if def.Start > off {
			break
		}
		if off < def.End {
			best = int32(d)
		}
	}
	return best
}

// texts counts the watched words that are no tokens: those in strings and comments. Some strings of Python and the
// comments by which Go names what it links are read by their languages.
func (r *reader) texts(seen *Seen) {
	at := map[int]bool{}
	for i := range seen.Sites {
		at[seen.Sites[i].Start] = true
	}
	for _, y := range r.watch.names {
		name := []byte(r.names.Text(y))
		for from := 0; ; {
			i := bytes.Index(r.src[from:], name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(name)
			if !at[i] && (i == 0 || !isWordByte(r.src[i-1])) && (from == len(r.src) || !isWordByte(r.src[from])) {
				r.textAtOffset(seen, i, from)
			}
		}
	}
}

// textAtOffset counts a word from one offset to another that is no token.
func (r *reader) textAtOffset(seen *Seen, from, to int) {
	seen.Texts++
	if r.alive(from) {
		seen.Live++
	}
	if t := r.stringAt(from); t != nil && int(t.Start)+1 == from && int(t.End)-1 == to {
		seen.Quoted++
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// alive tells of a word in a string or comment whether its language takes it for a name all the same.
func (r *reader) alive(at int) bool {
	switch r.rows.Language {
	case Go:
		line := r.src[bytes.LastIndexByte(r.src[:at], '\n')+1 : at]
		return bytes.HasPrefix(line, []byte("//go:linkname ")) || bytes.HasPrefix(line, []byte("//export "))
	case Python:
		return r.inFormat(at) || r.inExports(at)
	}
	return false
}

// inFormat reports whether an offset stands in a string with the prefix f, or in one of another prefix that cannot be
// told from it.
func (r *reader) inFormat(at int) bool {
	t := r.stringAt(at)
	if t == nil {
		return false
	}
	text := r.src[t.Start:t.End]
	prefix := text[:max(bytes.IndexAny(text, "\"'"), 0)]
	if len(prefix) == 0 { // the prefix may be a token before
		for i := int(t.Start) - 1; i >= 0 && i > int(t.Start)-3 && isWordByte(r.src[i]); i-- {
			prefix = r.src[i:t.Start]
		}
	}
	return bytes.ContainsAny(prefix, "fFtT") && bytes.IndexByte(r.src[t.Start:at], '{') >= 0
}

// inExports reports whether an offset stands in a string of __all__, which a name has to follow.
func (r *reader) inExports(at int) bool {
	if r.stringAt(at) == nil {
		return false
	}
	open := bytes.LastIndexAny(r.src[:at], "[(")
	if open < 0 {
		return false
	}
	line := r.src[bytes.LastIndexByte(r.src[:open], '\n')+1 : open]
	return bytes.Contains(line, []byte("__all__"))
}

// stringAt is the string around an offset.
func (r *reader) stringAt(at int) *lex.Token {
	n, _ := slices.BinarySearchFunc(r.lexer.Tokens, int32(at), func(t lex.Token, off int32) int { return int(t.Start) - int(off) })
	if n == 0 {
		return nil
	}
	if t := &r.lexer.Tokens[n-1]; t.Kind == lex.String && int(t.End) > at {
		return t
	}
	return nil
}

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
