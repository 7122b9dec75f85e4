package syntax

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestNoFileHasAReaderRecurseWithoutABound(t *testing.T) {
	const nested = 100_000
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20)) // beyond it the program ends
	for _, extension := range extensions {
		for _, opening := range []string{"{", "[", "(", "x{"} {
			Extract("deep"+extension, []byte(strings.Repeat(opening, nested)))
		}
	}
}
