// Package visible writes out what a person would not see in a text: what somebody approves must be what they see.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with every hidden character written as Go and JSON write it: \u001b, \u202e, \U000e0041, and \xff for a
// byte that is not UTF-8. Line ends and tabs stay. A terminal takes no orders from what it returns.
func Text(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	before := utf8.RuneError
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !Hidden(r) || style(r) && !Hidden(before):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before, s = r, s[size:]
	}
	return b.String()
}

// Line is Text in one line: a name that holds line ends must not look like a line of who writes it.
func Line(s string) string {
	return strings.ReplaceAll(Text(s), "\n", `\n`)
}

// clean tells of text that Text leaves alone, and is right about all of ASCII.
func clean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// Hidden tells of a character that shows nothing of its own: controls but line feed and tab, formats (zero width,
// bidirectional, TAG), private ones, line separators, and what Unicode says is to be ignored where it cannot be shown
// (fillers, variation selectors).
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// style tells of the two selectors that emoji are written with. One behind a character is no secret; a row of them
// would be.
func style(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }
