package check

import (
	"bytes"
	"fmt"
	"strings"
)

// judgeTodo tells why the list of a rebase is dangerous: its exec lines are run when it goes on.
func (v *view) judgeTodo(p place) string {
	text, err := v.read(p, maxText)
	if err != nil {
		return "a rebase's list: " + err.Error()
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 1 && (words[0] == "exec" || words[0] == "x") {
			return fmt.Sprintf("git runs a line of it when the rebase goes on: %q", shown(strings.TrimSpace(line)))
		}
	}
	return ""
}

// judgeStrategy tells why a note of how to merge is dangerous: git runs a program with that name behind "git-merge-",
// and one with a slash is a path.
func (v *view) judgeStrategy(p place) string {
	text, err := v.read(p, maxText)
	if err != nil {
		return "a rebase's strategy: " + err.Error()
	}
	if bytes.ContainsAny(text, "/\\") {
		return fmt.Sprintf("git runs what its strategy names when it goes on: %q", shown(strings.TrimSpace(string(text))))
	}
	return ""
}
