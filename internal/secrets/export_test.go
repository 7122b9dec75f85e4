package secrets

import "slices"

// Patterns are all of the table.
func Patterns() []string {
	s := lists()
	return slices.Concat(s["names"], s["keys"], s["harmless"])
}
