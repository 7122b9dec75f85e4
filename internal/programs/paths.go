package programs

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// maxNamed bounds the paths that are taken from a program's words: each becomes a mount.
const maxNamed = 200

// Paths are the absolute paths that stand in the words of a program, in any of the usual ways: alone, behind the =
// of a flag, in a list, in a file: or sqlite: address. dir is where it starts.
func Paths(words []string, dir, home string) []string {
	var out []string
	for _, w := range words {
		for _, piece := range pieces(w) {
			if path := pathOf(piece, dir, home); path != "" && len(out) < maxNamed {
				out = append(out, path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pieces are a word and the parts of it that may be paths.
func pieces(word string) []string {
	if scheme, rest, ok := strings.Cut(word, "://"); ok {
		return addressed(scheme, rest)
	}
	out := []string{word}
	isBreak := func(r rune) bool { return strings.ContainsRune("=,;", r) || r == filepath.ListSeparator }
	if strings.ContainsFunc(word, isBreak) {
		out = append(out, strings.FieldsFunc(word, isBreak)...)
	}
	return out
}

// addressed is the path of an address that names a file.
func addressed(scheme, rest string) []string {
	scheme = scheme[strings.LastIndexByte(scheme, '=')+1:] // --db=file
	scheme, _, _ = strings.Cut(scheme, "+")                // sqlite+aiosqlite
	switch scheme {
	case "file", "sqlite", "sqlite3", "unix", "duckdb":
	default:
		return nil
	}
	rest, _, _ = strings.Cut(rest, "?")
	if path, err := url.PathUnescape(rest); err == nil {
		rest = path
	}
	return []string{"/" + strings.TrimLeft(rest, "/")}
}

// pathOf is the absolute path that a word is, "" where it is none. A bare name is none: it lies where the server
// starts, which it may change anyway.
func pathOf(word, dir, home string) string {
	if home != "" {
		word = atHome(word, home)
	}
	switch {
	case filepath.IsAbs(word):
		return filepath.Clean(word)
	case strings.HasPrefix(word, "./"), strings.HasPrefix(word, "../"), word == "..":
		return filepath.Join(dir, word)
	}
	return ""
}
