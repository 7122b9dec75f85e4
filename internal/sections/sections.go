// Package sections reads the lists of names that stand beside code as text: a head in brackets begins a section, the
// words of the lines below are in it, and a line that begins with # is a comment.
package sections

import "strings"

// Read is the words of each section of text. Words before the first head are those of "".
func Read(text string) map[string][]string {
	out := map[string][]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			out[section] = append(out[section], strings.Fields(line)...)
		}
	}
	return out
}
