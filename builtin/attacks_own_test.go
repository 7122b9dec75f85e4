package builtin_test

import (
	"os"
	"strings"
	"testing"

	"helve/internal/testing/corpus"
)

// ownTests are the attacks that need a world of their own: where the test is that names them. Every other one of the groups path, file-input
// and fetch runs below, under its id.
var ownTests = map[string]string{
	"path-039":       "attacks_test.go",
	"file-input-033": bashAttacks, "file-input-035": bashAttacks, "file-input-038": bashAttacks, "file-input-042": bashAttacks, "file-input-043": bashAttacks,
	"fetch-043": webTests, "fetch-044": webTests, "fetch-069": webTests, "fetch-070": webTests, "fetch-080": webTests, "fetch-083": webTests,
}

const (
	bashAttacks = "attacks_bash_linux_test.go"
	webTests    = "internal/web/web_test.go"
)

// No attack is left out: a test of its own exists and names it.
func TestEveryAttackOnFilesAndTheWebHasATest(t *testing.T) {
	known := map[string]bool{}
	for _, c := range corpus.Attacks("path", "file-input", "fetch") {
		known[c.ID] = true
	}
	for id, file := range ownTests {
		b, err := os.ReadFile(file)
		if err != nil || !known[id] || file != "attacks_test.go" && !strings.Contains(string(b), id) {
			t.Errorf("%s is not named in %s, or not in the corpus: %v", id, file, err)
		}
	}
}
