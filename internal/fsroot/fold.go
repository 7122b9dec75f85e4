package fsroot

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold brings a slash-separated path to the form in which protected names are compared: composed,
// case-folded, without the code points that HFS+ ignores and without the dots and spaces that
// Windows drops from the end of a name. Two names that any of the usual file systems takes for one
// have the same form, so comparing it errs towards refusing.
func Fold(path string) string {
	path = strings.Map(dropIgnorable, path)
	path = norm.NFC.String(cases.Fold().String(norm.NFC.String(path)))
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if t := strings.TrimRight(p, ". "); t != "" {
			parts[i] = t
		}
	}
	return strings.Join(parts, "/")
}

// dropIgnorable drops what HFS+ leaves out of comparisons: joiners, marks of direction, the byte
// order mark, and all other format characters, which have no business in a file's name.
func dropIgnorable(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
