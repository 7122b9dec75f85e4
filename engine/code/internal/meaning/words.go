package meaning

import (
	"bytes"
	"strings"
)

// WordSet is the set of the words of a list.
func WordSet(list string) map[string]bool {
	m := make(map[string]bool, 1+strings.Count(list, " ")) // a map that grows would be half of the package's start
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

// CountWords counts a name in a text, as a word.
func CountWords(src []byte, name string) int {
	n := 0
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(name))
		if i < 0 {
			return n
		}
		i += at
		at = i + len(name)
		if (i == 0 || !IsNameByte(src[i-1])) && (at == len(src) || !IsNameByte(src[at])) {
			n++
		}
	}
}
