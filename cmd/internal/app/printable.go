package app

import (
	"fmt"
	"strings"
	"unicode/utf8"

	rawjson "helve/internal/json"
)

// printable makes text from outside safe to show on a terminal: control, escape, bidirectional and other invisible characters are
// written as <U+XXXX>, so that what a person approves is what they see.
func printable(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hidden tells of what a terminal does not show; a carriage return would have it write over the line. The replacement character is seen.
func hidden(r rune) bool {
	return r == '\r' || r != utf8.RuneError && rawjson.Hidden(r)
}
