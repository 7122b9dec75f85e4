package fsroot

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold brings a slash-separated path to the form in which protected names are compared: composed,
// case-folded, without the code points that HFS+ ignores and without the dots and spaces that
// Windows drops from the end of a name. Two names that any of the usual file systems takes for one
// have the same form, so comparing it errs towards refusing. The short name that NTFS gives to .git, git~1, is .git, as
// for git itself.
func Fold(path string) string {
	path = foldCase(strings.Map(dropIgnorable, path))
	parts := strings.Split(path, "/")
	for i, p := range parts {
		switch t := strings.TrimRight(p, ". "); t {
		case "":
		case "git~1":
			parts[i] = ".git"
		default:
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

// foldCase is Unicode's full case folding of a decomposed text. Decomposed, nearly all of what folds to several
// characters is one character and its marks, each of which folds to one; unfolded has the rest. The library's folding
// would link the languages' tables for it: 0.1 MB.
func foldCase(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(simpleFold, unfolded.Replace(norm.NFD.String(s)))
	return norm.NFC.String(s)
}

// unfolded are the characters whose folding is longer than they are and is not their decomposition.
var unfolded = strings.NewReplacer(
	"ß", "ss", "ẞ", "ss", "ŉ", "ʼn", "ẚ", "aʾ", "և", "եւ",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st",
	"ﬓ", "մն", "ﬔ", "մե", "ﬕ", "մի", "ﬖ", "վն", "ﬗ", "մխ",
)

// simpleFold is the first of the characters that differ by case alone, as a lower-case letter where it has one.
func simpleFold(r rune) rune {
	first := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		first = min(first, next)
	}
	return unicode.ToLower(first)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
