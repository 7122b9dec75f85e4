package app

import (
	"fmt"
	"strings"
	"unicode"
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

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co))
}
