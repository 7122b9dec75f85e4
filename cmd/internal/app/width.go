package app

import (
	"unicode"

	"golang.org/x/term"
)

// usualWidth is that of a terminal that does not say.
const usualWidth = 80

// width is how many cells a line of a terminal has.
func width(f any) int {
	file, ok := f.(interface{ Fd() uintptr })
	if !ok {
		return usualWidth
	}
	w, _, err := term.GetSize(int(file.Fd()))
	if err != nil || w <= 0 {
		return usualWidth
	}
	return w
}

// fit cuts a line of visible text to a number of cells: one that wraps cannot be drawn over.
func fit(s string, limit int) string {
	used, cut := 0, 0 // cut is where an ellipsis still fits
	for i, r := range s {
		n := cells(r)
		if used+n > limit {
			return s[:cut] + "…"
		}
		if used += n; used < limit {
			cut = i + len(string(r))
		}
	}
	return s
}

// fold is the first part of a line that takes no more than a number of cells, at least one character of it; it ends behind a blank
// where there is one.
func fold(s string, limit int) string {
	used, blank := 0, 0
	for i, r := range s {
		if used += cells(r); used > limit && i > 0 {
			if blank > 0 {
				return s[:blank]
			}
			return s[:i]
		}
		if r == ' ' {
			blank = i + 1
		}
	}
	return s
}

// spread is how many cells a text takes.
func spread(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// wide are the blocks whose characters take two cells: Hangul, CJK with its signs, full-width forms, emoji (Unicode, East Asian Width W
// and F, by block).
var wide = [][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x2614, 0x2615}, {0x26a1, 0x26a1}, {0x2705, 0x2705}, {0x274c, 0x274c}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}

func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}
