package fsroot

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote gives a name or a path as tools show it, in a form that [Set.Resolve] takes back: itself if
// all of it can be read in a line of text; else between quotation marks with what cannot be read
// escaped, as Go and C do, byte by byte where it is no UTF-8. What begins with a quotation mark is
// quoted, too, so that no two names look the same.
func Quote(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) && !strings.Contains(path, `/"`) && strings.IndexFunc(path, unreadable) < 0 {
		return path
	}
	return strconv.Quote(path)
}

func unreadable(r rune) bool { return !unicode.IsPrint(r) }

// unquote undoes Quote, for a whole path or for single names of it. What is not quoted as a whole
// is taken as it is written.
func unquote(path string) string {
	if s, ok := unquoted(path); ok {
		return s
	}
	if !strings.Contains(path, `/"`) && !strings.HasPrefix(path, `"`) {
		return path
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if s, ok := unquoted(p); ok && !strings.Contains(s, "/") {
			parts[i] = s
		}
	}
	return strings.Join(parts, "/")
}

func unquoted(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' {
		return "", false
	}
	out, err := strconv.Unquote(s)
	return out, err == nil
}

// runes is a path in which every byte that is no UTF-8 is one U+FFFD: what JSON makes of it, and
// what a pattern's ? stands for.
func runes(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return string([]rune(path))
}
