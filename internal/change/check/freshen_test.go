//go:build unix

package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
	"helve/internal/change/check"
)

// Git takes a file that was put in place for the one that it has in its index, where the index was made with it: that of
// a set that was not freshened it takes for another one.
func TestAnIndexKnowsTheFilesThatComeWithIt(t *testing.T) {
	needGit(t)
	for _, fresh := range []bool{false, true} {
		g := newGround(t)
		g.sh(repository)
		s := g.after("mkdir -p e/f && echo n | tee n m && echo g >e/f/g && touch -d 2020-01-01 m n e/f/g && " +
			"git add m n e && echo more >>n && sleep 1.1") // git compares whole seconds
		if fresh {
			check.Freshen(g.options(), s)
		}
		if r, err := g.tx.Apply(t.Context(), s); err != nil || len(r.Refused) > 0 {
			t.Fatalf("%+v: %v", r, err)
		}
		out, err := g.try(g.root, "git diff-files --name-only")
		if err != nil {
			t.Fatal(err, out)
		}
		differ := strings.Fields(out)
		if !slices.Contains(differ, "n") {
			t.Errorf("fresh %v: n was changed after it was added, and is not among %q", fresh, differ)
		}
		if slices.Contains(differ, "m") == fresh || slices.Contains(differ, "e/f/g") {
			t.Errorf("fresh %v: what is as it was added: %q", fresh, differ)
		}
		g.sh("git fsck --strict 2>&1")
	}
}

// A folder that is nested too deeply to be looked through is not taken as one in which nothing was found.
func TestASetThatCannotBeLookedThroughIsNotJudged(t *testing.T) {
	g := newGround(t)
	g.begin()
	must(t, os.Mkdir(filepath.Join(g.folder, "after"), 0o755))
	nested(t, filepath.Join(g.folder, "after"), 2100)
	one := change.Change{Path: "d", Will: change.Entry{Type: change.Dir, Mode: 0o755}, Whole: true, From: "after/d"}
	s := &change.Set{Changes: []change.Change{one, file("a", "x", 0o644)}}
	if found, err := check.Check(t.Context(), g.options(), s); err == nil {
		t.Errorf("of what nobody looked through was found %+v", found)
	}
}

// nested makes folders in each other, deeper than a path can say.
func nested(t *testing.T, in string, deep int) {
	t.Helper()
	at, err := os.OpenRoot(in)
	must(t, err)
	for range deep {
		must(t, at.Mkdir("d", 0o755))
		next, err := at.OpenRoot("d")
		at.Close()
		must(t, err)
		at = next
	}
	at.Close()
}
