package tree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/internal/testing/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func resident1(t testing.TB, dir string) *Tree {
	t.Helper()
	var s Set
	tr, err := s.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func snapshot(t testing.TB, tr *Tree) *Snapshot {
	t.Helper()
	s, err := tr.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mutate does one random thing to a tree of files, as editors, builds and version control do.
func mutate(r *rand.Rand, dir string) string {
	dirs := []string{".", "a", "a/b", "c", "a/b/d", ".h"}
	names := []string{"x", "y", "z.o", "w.c", "a", "b", ".k"}
	p := func() string { return filepath.Join(dir, dirs[r.IntN(len(dirs))], names[r.IntN(len(names))]) }
	one, two := p(), p()
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		_ = os.MkdirAll(filepath.Dir(one), 0o755)
		return fmt.Sprint("write ", one, os.WriteFile(one, fmt.Append(nil, r.Int()), 0o644))
	case 4:
		return fmt.Sprint("remove ", one, os.Remove(one))
	case 5:
		d := filepath.Join(dir, dirs[1+r.IntN(len(dirs)-1)])
		return fmt.Sprint("remove all ", d, os.RemoveAll(d))
	case 6:
		return fmt.Sprint("rename ", one, " ", two, os.Rename(one, two))
	case 7, 8:
		d, e := filepath.Join(dir, dirs[1+r.IntN(len(dirs)-1)]), p()
		return fmt.Sprint("rename ", d, " ", e, os.Rename(d, e))
	case 9:
		return fmt.Sprint("mkdir ", one, os.MkdirAll(one, 0o755))
	case 10:
		f, err := os.OpenFile(one, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return "none"
		}
		defer f.Close()
		_, err = f.WriteString("more")
		return fmt.Sprint("append ", one, err)
	case 11:
		at := filepath.Join(dir, dirs[r.IntN(len(dirs))], ".gitignore")
		return fmt.Sprint("rules ", at, os.WriteFile(at, []byte([]string{"*.o\n", "/a/\n", "x\n!y\n", "b/\n", ""}[r.IntN(5)]), 0o644))
	case 12:
		return fmt.Sprint("symlink ", one, os.Symlink(two, one))
	}
	if git := filepath.Join(dir, ".git"); r.IntN(4) > 0 {
		return fmt.Sprint("git ", os.MkdirAll(filepath.Join(git, "info"), 0o755), os.WriteFile(filepath.Join(git, "info", "exclude"), []byte([]string{"y\n", "c/\n", ""}[r.IntN(3)]), 0o644))
	}
	return fmt.Sprint("no git ", os.RemoveAll(filepath.Join(dir, ".git")))
}

// slowly is how often a random test does something: n times, but a few times on Windows, where a call of the file system
// takes so long (under Wine a millisecond) that all of it would take minutes.
func slowly[N uint64 | int](n N) N {
	if runtime.GOOS == "windows" {
		return (n + 9) / 10
	}
	return n
}

func TestSnapshotIsFreshAfterEveryChange(t *testing.T) {
	for seed := range slowly(uint64(20)) {
		r := rand.New(rand.NewPCG(11, seed))
		dir := t.TempDir()
		tr := resident1(t, dir)
		for step := range 100 {
			var done []string
			for range 1 + r.IntN(4) {
				done = append(done, mutate(r, dir))
			}
			if diff := cmp.Diff(table(t, dir), listed(snapshot(t, tr))); diff != "" {
				t.Fatalf("seed %d step %d after\n%v\n(-walk +resident)\n%s", seed, step, done, diff)
			}
		}
	}
}

// table is what a walk of its own finds.
func table(t testing.TB, dir string) map[string]Stat {
	t.Helper()
	tr, err := At(dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	return listed(snapshot(t, tr))
}

func listed(s *Snapshot) map[string]Stat {
	all := map[string]Stat{}
	for _, e := range s.Newest() {
		all[e.Path] = e.Stat
	}
	return all
}

func TestNewestComesFirst(t *testing.T) {
	dir := t.TempDir()
	tr := resident1(t, dir)
	for i := range 5 {
		write(t, filepath.Join(dir, fmt.Sprintf("f%d", i)), "")
	}
	first := snapshot(t, tr)
	write(t, filepath.Join(dir, "f2"), "changed")
	var times []int64
	for _, e := range snapshot(t, tr).Newest() {
		times = append(times, -e.Stat.MTime)
	}
	if !slices.IsSorted(times) || len(times) != 5 || first.Len() != 5 {
		t.Errorf("times %v, want 5 descending", times)
	}
}

func BenchmarkSnapshotAfterAnEdit(b *testing.B) {
	tr := resident1(b, corpus(b))
	snapshot(b, tr)
	file := filepath.Join(tr.Root(), "helve-benchmark.tmp")
	defer os.Remove(file)
	for b.Loop() {
		write(b, file, "x")
		snapshot(b, tr)
	}
}
