package search

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// isWord is \w: a letter, a mark, a decimal digit, a connector such as _, or a joiner. These are the words of Unicode
// Technical Standard 18, which ripgrep uses; Go's regexp knows the ASCII ones alone.
func isWord(r rune) bool {
	if r < 0x80 {
		return isWordByte(byte(r)) && r >= 0
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Other_Alphabetic, unicode.Pc, unicode.Join_Control)
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// classText holds the inside of a bracket expression for a Perl class and for its complement.
type classText struct{ in, out string }

// wordClass is computed once: a walk over all of Unicode takes some milliseconds.
var wordClass = sync.OnceValue(func() classText { return classOf(isWord) })

// spaceClass is White_Space. Its ASCII part is wider than Go's \s by the vertical tab.
var spaceClass = sync.OnceValue(func() classText { return classOf(unicode.IsSpace) })

func classOf(member func(rune) bool) classText {
	var in, out strings.Builder
	from, was := rune(0), member(0)
	for r := rune(1); r <= unicode.MaxRune+1; r++ {
		is := r <= unicode.MaxRune && member(r)
		if r <= unicode.MaxRune && is == was {
			continue
		}
		b := &out
		if was {
			b = &in
		}
		fmt.Fprintf(b, `\x{%x}-\x{%x}`, from, r-1)
		from, was = r, is
	}
	return classText{in.String(), out.String()}
}

// perlClass returns the bracket contents that \w, \W, \d, \D, \s or \S stand for; "" for any other escape.
func perlClass(c byte) string {
	switch c {
	case 'w':
		return wordClass().in
	case 'W':
		return wordClass().out
	case 's':
		return spaceClass().in
	case 'S':
		return spaceClass().out
	case 'd':
		return `\p{Nd}`
	case 'D':
		return `\P{Nd}`
	}
	return ""
}
