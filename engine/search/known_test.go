package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/engine/tree"
)

// once is an engine as a command has it: nothing is remembered but the index.
func once(t testing.TB, dir, cache string) *Engine {
	t.Helper()
	tr, err := tree.At(dir, tree.Config{GlobalIgnore: filepath.Join(cache, "ignore")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	letGo(t)
	return NewIndexed(tr, cache)
}

// disturb changes a tree in one of the ways that an index of its directories must notice.
func disturb(t *testing.T, r *rand.Rand, dir, cache string) string {
	dirs := []string{"", "a", "a/b", "a/b/k", "c", "c/d", "c/e", "g", "g/h", "g/i", "g/i/l"}
	at := filepath.Join(dir, dirs[r.IntN(len(dirs))])
	file := filepath.Join(at, fmt.Sprintf("f%d.txt", r.IntN(6)))
	rules := []string{"f1*\n", "*.txt\n!f2.txt\n", "b/\n", "/a\n", "", "d\n"}[r.IntN(6)]
	text := []string{"alpha\n", "beta\n", "alpha beta\n"}[r.IntN(3)]
	switch what := r.IntN(12); what {
	case 0:
		write(t, file, text)
		return "write " + file
	case 1, 2, 3:
		_ = os.Remove(file)
		return "remove " + file
	case 4, 9, 10, 11:
		name := filepath.Join(at, []string{".gitignore", ".ignore", ".rgignore"}[r.IntN(3)])
		write(t, name, rules)
		return "rules in " + name
	case 5:
		name := filepath.Join(at, ".gitignore")
		_ = os.Remove(name)
		return "no rules in " + name
	case 6:
		write(t, []string{filepath.Join(dir, ".git/info/exclude"), filepath.Join(cache, "ignore")}[r.IntN(2)], rules)
		return "rules elsewhere"
	case 7:
		to := filepath.Join(dir, []string{"a", "c", "e"}[r.IntN(3)], fmt.Sprint("moved", r.IntN(3)))
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		_ = os.Rename(filepath.Join(dir, []string{"a/b", "c/d", "e/moved1"}[r.IntN(3)]), to)
		return "move to " + to
	default:
		name := filepath.Join(at, "x", "y")
		write(t, filepath.Join(name, ".git", "HEAD"), "")
		write(t, filepath.Join(name, "f1.txt"), text)
		return "repository " + name
	}
}

// A command trusts the index's listings of directories. It must answer as if it had read them all.
func TestCommandsWithAnIndexSeeEveryChange(t *testing.T) {
	seeds := uint64(4 * *times)
	if testing.Short() {
		seeds = 3
	}
	steps := slowly(60)
	for seed := range slowly(seeds) {
		r := rand.New(rand.NewPCG(11, seed))
		dir, cache := t.TempDir(), t.TempDir()
		write(t, filepath.Join(dir, ".git/HEAD"), "")
		var log []string
		for range slowly(120) {
			log = append(log, disturb(t, r, dir, cache))
		}
		backdate()
		resident(t, dir, cache) // both kinds may build it
		once(t, dir, cache).build(t)
		log = append(log, "build")
		for step := range steps {
			log = append(log, disturb(t, r, dir, cache))
			switch {
			case step%15 == 14:
				backdate()
				fallthrough
			case step == steps/2: // of what is young, too
				once(t, dir, cache).build(t)
				log = append(log, "build")
			}
			e := once(t, dir, cache)
			cold := New(e.tree)
			q := Query{Patterns: []string{[]string{"alpha", "beta", "gamma"}[r.IntN(3)]}, Sort: Sort(r.IntN(3)), Include: [][]string{nil, {"f*"}}[r.IntN(2)]}
			if diff := cmp.Diff(printed(t, cold, q), printed(t, e, q)); diff != "" {
				t.Fatalf("seed %d, step %d %+v (-cold +index)\n%s\n%s", seed, step, q, diff, strings.Join(log, "\n"))
			}
			g := GlobQuery{Pattern: []string{"*", "**/f?.txt", "a/**"}[r.IntN(3)], Sort: Sort(r.IntN(3))}
			if diff := cmp.Diff(globbed(t, cold, g), globbed(t, e, g)); diff != "" {
				t.Fatalf("seed %d, step %d %+v (-cold +index)\n%s\n%s", seed, step, g, diff, strings.Join(log, "\n"))
			}
		}
	}
}

// A segment of another version, such as one that an older program wrote, is no index.
func TestAnIndexOfAnotherVersionIsBuiltAnew(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "f.txt"), "alpha\n")
	backdate()
	e := once(t, dir, cache)
	e.build(t)
	names, err := filepath.Glob(filepath.Join(cache, "*", "*"+segmentSuffix))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(b), "helve search 2\n", "helve search 1\n", 1)
	if other == string(b) {
		t.Fatal("the version is not where it was")
	}
	write(t, names[0], other)
	e = once(t, dir, cache)
	if st := e.IndexStatus(); st.Segments != 0 {
		t.Errorf("%+v, want no index", st)
	}
	if got := printed(t, e, Query{Patterns: []string{"alpha"}}); got[0] != "f.txt:1:alpha" {
		t.Errorf("%q", got)
	}
	e.build(t)
	if st := e.IndexStatus(); st.Segments != 1 || st.Files != 1 {
		t.Errorf("%+v, want a new index", st)
	}
}
