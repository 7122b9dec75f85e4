package schema

import (
	"strings"

	rawjson "helve/internal/json"
)

// A node is a JSON value that remembers its spelling and its order: schemas and arguments alike.
type node = rawjson.Node

// isDigits tells of text that is nothing but digits, after a minus sign perhaps.
func isDigits(text string) bool {
	text = strings.TrimPrefix(text, "-")
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
