package search

import (
	"fmt"
	"sort"
	"sync"
	"unicode"
)

// isWord is \w: a letter, a mark, a decimal digit, a connector such as _, or a joiner. These are the words of Unicode
// Technical Standard 18, which ripgrep uses; Go's regexp knows the ASCII ones alone.
func isWord(r rune) bool {
	if r < 0x80 {
		return isWordByte(byte(r)) && r >= 0
	}
	return unicode.In(r, wordTables()...)
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// classText holds the inside of a bracket expression for a Perl class and for its complement.
type classText struct{ in, out string }

// wordClass is made once: it has some hundred ranges.
var wordClass = sync.OnceValue(func() classText { return classOf(wordTables()...) })

// spaceClass is White_Space. Its ASCII part is wider than Go's \s by the vertical tab.
var spaceClass = sync.OnceValue(func() classText { return classOf(unicode.White_Space) })

func wordTables() []*unicode.RangeTable {
	return []*unicode.RangeTable{
		unicode.L, unicode.M, unicode.Nd, unicode.Nl,
		unicode.Other_Alphabetic, unicode.Pc, unicode.Join_Control,
	}
}

type runeRange struct{ lo, hi rune }

// classOf writes the union of tables, and what is left of Unicode, as ranges.
func classOf(tables ...*unicode.RangeTable) classText {
	var all []runeRange
	for _, t := range tables {
		for _, r := range t.R16 {
			all = appendStrided(all, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			all = appendStrided(all, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].lo < all[j].lo })
	var in, out []byte
	next := rune(0) // the first that is in neither text
	for i := 0; i < len(all); {
		r := all[i]
		for i++; i < len(all) && all[i].lo <= r.hi+1; i++ { // those that touch or overlap are one
			r.hi = max(r.hi, all[i].hi)
		}
		out = appendRange(out, next, r.lo-1)
		in = appendRange(in, r.lo, r.hi)
		next = r.hi + 1
	}
	return classText{string(in), string(appendRange(out, next, unicode.MaxRune))}
}

// appendStrided adds a range of a table, whose characters may have gaps of one size between them.
func appendStrided(all []runeRange, lo, hi, stride rune) []runeRange {
	if stride == 1 {
		return append(all, runeRange{lo, hi})
	}
	for r := lo; r <= hi; r += stride {
		all = append(all, runeRange{r, r})
	}
	return all
}

// appendRange writes a range as a bracket expression has it, nothing for an empty one.
func appendRange(b []byte, lo, hi rune) []byte {
	if lo > hi {
		return b
	}
	return fmt.Appendf(b, `\x{%x}-\x{%x}`, lo, hi)
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
