package names

import "strings"

// A List has words with a blank between each two. It is a constant, which no package makes when the program starts, as it
// would make a map.
type List string

// Has tells whether a word is one of them.
func (l List) Has(word string) bool {
	if word == "" || strings.Contains(word, " ") {
		return false
	}
	for rest := string(l); ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || rest[i-1] == ' ') && (end == len(rest) || rest[end] == ' ') {
			return true
		}
		rest = rest[i+1:]
	}
}
