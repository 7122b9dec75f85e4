package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	rawjson "helve/internal/json"
	"helve/internal/names"
)

// quote shows a text of any length on one short line.
func quote(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuote {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
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

func clip(s string) string {
	if len(s) > maxQuote {
		return s[:maxQuote] + "…"
	}
	return s
}

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

// step adds a member's name to a path.
func step(path, name string) string {
	plain := name != "" && len(name) <= maxQuote
	for _, r := range name {
		plain = plain && (r == '_' || r == '-' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	switch {
	case !plain:
		return path + "[" + quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

func stepItem(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// fold reduces a name to what spellings of it share: fileName, file-name and FILE_NAME are one.
func fold(name string) string { return names.Fold(strings.ReplaceAll(name, " ", "")) }

// nearest returns the known name that the given one was probably meant to be, "" for none.
func nearest(name string, known []string) string {
	if len(name) > maxQuote {
		return ""
	}
	sorted := slices.Sorted(slices.Values(known))
	for _, k := range sorted {
		if fold(k) == fold(name) {
			return k
		}
	}
	best, at := "", typos(len(fold(name)))
	for _, k := range sorted {
		if len(k) > maxQuote {
			continue
		}
		if d := names.Distance(fold(name), fold(k), at); d < at || d == at && best == "" && d > 0 {
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
