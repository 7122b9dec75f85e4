package tree

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Brackets have corners of their own: classes with and without a name that exists, ranges, negation, backslashes, and
// those that are never closed.
func TestABracketHidesWhatGitHides(t *testing.T) {
	dir, _ := randomTree(t, rand.New(rand.NewPCG(4, 4)), []string{".gitignore"})
	for _, name := range strings.Fields(`a b z A Z 0 9 _ - ! ^ : ] [ ; \ a] [: :] x] -] [a é`) {
		write(t, filepath.Join(dir, "names", name), "")
	}
	atoms := []string{"a", "z", "-", "!", "^", "[", "]", `\`, ":", "[:alpha:]", "[:punct:]", "[:digit:]", "[:nothing:]",
		"[:", ":]", "[:]", "a-z", "*"}
	r := rand.New(rand.NewPCG(4, 5))
	for range 300 {
		pattern := "["
		for range 1 + r.IntN(4) {
			pattern += atoms[r.IntN(len(atoms))]
		}
		pattern += "]"
		write(t, filepath.Join(dir, ".gitignore"), pattern+"\n")
		got := files(t, dir, Options{Hidden: true, Skip: []string{".git"}})
		want := run(t, dir, "git", "ls-files", "-z", "--others", "--exclude-standard")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n(-git +tree)\n%s", pattern, diff)
		}
	}
}
