package shell

import (
	"slices"
	"strings"
)

// UsesGit reports a line of which a command is git. Its objects may be named by any word of the line: those that xargs
// hands on, or that git cat-file --batch reads from its input.
func UsesGit(commands []Command) bool {
	return slices.ContainsFunc(commands, func(c Command) bool { return c.Program == "git" })
}

// Objects are the files that a word of git's names behind a colon, as they were once committed, stand in the index or
// are to be looked for: HEAD:.env, :0:.env, a:x..b:y, -L1,5:.env, :(top).env. A word that leaves files out names none.
func Objects(word string) []string {
	if strings.HasPrefix(word, ":!") || strings.HasPrefix(word, ":^") || !strings.Contains(word, ":") {
		return nil
	}
	var out []string
	_, rest, _ := strings.Cut(word, ":")
	for part := range strings.SplitSeq(rest, ":") {
		out = appendObject(out, part)
		if first, _, isRange := strings.Cut(part, ".."); isRange {
			out = appendObject(out, first)
		}
	}
	if strings.Contains(rest, ":") { // a file's name may have colons
		out = appendObject(out, rest)
	}
	return out
}

// appendObject adds what is a file's name, without the words in front of it that say how to look for it.
func appendObject(list []string, part string) []string {
	if magic, file, ok := strings.Cut(part, ")"); ok && strings.HasPrefix(magic, "(") {
		if strings.Contains(magic, "exclude") {
			return list
		}
		part = file
	}
	if part == "" {
		return list
	}
	return append(list, part)
}
