package programs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/internal/resolved"
	"helve/internal/secrets"
)

// spoken is a path in what a program says.
var spoken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/[^\s'":,;()\[\]]+`)
})

// maxSpoken bounds the paths that are looked at.
const maxSpoken = 50

// Missed is what to do where a program that failed speaks of a file of the home that is there, outside of its sandbox;
// "" where it speaks of none. Of files that may hold secrets nothing is told.
func (n Need) Missed(said, home string, roots []string) string {
	home = resolved.Path(home)
	for _, path := range spoken().FindAllString(said, maxSpoken) {
		path = strings.TrimRight(path, ".")
		_, err := os.Stat(path)
		if err != nil || path == home || home == "" || !resolved.Within(home, resolved.Path(path)) {
			continue
		}
		shown := func(dir string) bool { return resolved.Within(resolved.Path(dir), resolved.Path(path)) }
		known := slices.ContainsFunc(n.Readable, shown) || slices.ContainsFunc(roots, shown)
		if known || (*secrets.List)(nil).Has(path) {
			continue
		}
		return path + " is there, outside of its sandbox: name it in sandbox.readable, or among the command's words"
	}
	return ""
}
