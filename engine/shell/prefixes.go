package shell

import "strings"

// prefixes are programs with their subcommands, joined by spaces.
type prefixes map[string]bool

// maxPrefix is how many words are looked at for a prefix: the longest has three, and there may be options between.
const maxPrefix = 8

// prefix returns how many of the words are one of the prefixes, options between them left out.
func (p prefixes) prefix(words []string) int {
	key := ""
	for i, w := range words[:min(len(words), maxPrefix)] {
		if i > 0 && option(w) {
			continue
		}
		key = strings.TrimPrefix(key+" "+w, " ")
		if p[key] {
			return i + 1
		}
	}
	return 0
}
