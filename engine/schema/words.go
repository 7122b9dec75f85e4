package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	rawjson "helve/internal/json"
	"helve/internal/names"
)

// quote shows a text of any length on one short line.
func quote(s string) string { return quoteBy(strconv.Quote, s) }

func quoteBy(quoted func(string) string, s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuote {
			return quoted(s[:i]) + "…"
		}
	}
	return quoted(s)
}

// describe names a value for a person or model: its type and, where short, itself.
func describe(n *node) string {
	switch n.Kind {
	case rawjson.KindNull:
		return "null"
	case rawjson.KindTrue, rawjson.KindFalse:
		return "boolean " + n.Text
	case rawjson.KindNumber:
		if isWhole(n.Text) {
			return "integer " + clip(n.Text)
		}
		return "number " + clip(n.Text)
	case rawjson.KindString:
		return "string " + quote(n.Text)
	case rawjson.KindArray:
		return fmt.Sprintf("array of %s", plural(len(n.Kids), "item"))
	}
	return "object"
}

// clip bounds a text that needs no quotes: a number, a name, JSON.
func clip(s string) string {
	if len(s) > maxQuote {
		return s[:maxQuote] + "…"
	}
	return s
}

// plural counts in words: 1 item, 2 items, 2 properties.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if p, ok := strings.CutSuffix(word, "y"); ok {
		return fmt.Sprintf("%d %sies", n, p)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// list joins words, at most maxListed of them.
func list(words []string, last string) string {
	if len(words) > maxListed {
		return strings.Join(words[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(words)-maxListed)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// shortPath leaves out the middle of a long path.
func shortPath(path string) string {
	if len(path) <= maxPath {
		return path
	}
	return strings.ToValidUTF8(path[:maxPath/2], "") + "…" + strings.ToValidUTF8(path[len(path)-maxPath/2:], "")
}

// step adds a member's name to a path: plain, or in brackets and quotes where it is no identifier.
func step(path, name string) string {
	switch {
	case !isIdentifier(name):
		return path + "[" + quoteName(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// isIdentifier tells of a name that needs no quotes. Most are ASCII, and need no look at Unicode.
func isIdentifier(name string) bool {
	if name == "" || len(name) > maxQuote {
		return false
	}
	for _, r := range name {
		switch {
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isLookalike(r):
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return true
}

// quoteName quotes a name. Letters that look like Latin ones are written out: a model sees no
// difference between two kinds of a.
func quoteName(name string) string {
	latin := strings.ContainsFunc(name, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' })
	if latin && strings.ContainsFunc(name, isLookalike) {
		return quoteBy(strconv.QuoteToASCII, name)
	}
	return quote(name)
}

// isLookalike tells of letters of the alphabets that share their forms with the Latin one.
func isLookalike(r rune) bool {
	return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
}

// stepItem adds an item's position to a path, from 0 as in JSON pointers and most languages.
func stepItem(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// fold reduces a name to what spellings of it share: fileName, file-name and FILE_NAME are one.
func fold(name string) string { return names.Fold(strings.ReplaceAll(name, " ", "")) }

// nearest returns the known name that the given one was probably meant to be, "" for none. Of names
// that are equally near it is the first of the alphabet.
func nearest(name string, known []string) string {
	if len(name) > maxQuote {
		return ""
	}
	folded := fold(name)
	best, at := "", typos(len(folded))
	for _, k := range known {
		if len(k) > maxQuote {
			continue
		}
		d := names.Distance(folded, fold(k), at)
		if d < at || d == at && (best == "" || k < best) {
			best, at = k, d
		}
	}
	return best
}

// typos is how many slips a name of that length may have and still be recognized.
func typos(length int) int {
	switch {
	case length < 3:
		return 0
	case length < 6:
		return 1
	case length < 10:
		return 2
	}
	return 3
}
