package tree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/engine/tree"
)

// keyFiles looks for *.key.
type keyFiles struct {
	t    *testing.T
	dir  string
	file string
	f    *tree.Finder
	what tree.Wanted
	asks atomic.Int64
}

func newKeyFiles(t *testing.T) *keyFiles {
	k := &keyFiles{t: t, dir: t.TempDir(), file: filepath.Join(t.TempDir(), "in", "found")}
	k.f = tree.NewFinder(k.dir, k.file)
	k.what = tree.Wanted{Key: "keys", Skip: []string{"skipped"}, Want: func(path string) bool {
		k.asks.Add(1)
		return strings.HasSuffix(path, ".key")
	}}
	return k
}

func (k *keyFiles) put(names ...string) {
	k.t.Helper()
	for _, name := range names {
		path := filepath.Join(k.dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *keyFiles) move(from, to string) {
	k.t.Helper()
	err := os.Rename(filepath.Join(k.dir, from), filepath.Join(k.dir, to))
	if err != nil {
		k.t.Fatal(err)
	}
}

// settle waits until the directories' times are old enough to be trusted.
func (k *keyFiles) settle() { time.Sleep(250 * time.Millisecond) }

func (k *keyFiles) finds(want ...string) {
	k.t.Helper()
	got, err := k.f.Find(k.t.Context(), k.what)
	if err != nil || !slices.Equal(got, want) {
		k.t.Errorf("got %q %v, want %q", got, err, want)
	}
}

func TestAFinderKnowsOfEveryChange(t *testing.T) {
	t.Parallel()
	everyChange(newKeyFiles(t))
}

func TestAWatchingFinderKnowsOfEveryChange(t *testing.T) {
	t.Parallel()
	k := newKeyFiles(t)
	k.f.Watch()
	t.Cleanup(func() { k.f.Close() })
	everyChange(k)
}

func everyChange(k *keyFiles) {
	t := k.t
	k.put("a.key", "old/b.key", "old/deep/er/c", ".hidden/d.key", "out/e.key", "skipped/f.key", "x/y/g", "z/y/h")
	k.put("swap/one/i.key", "swap/two/i")
	k.put(".gitignore")
	err := os.WriteFile(filepath.Join(k.dir, ".gitignore"), []byte("out/\n*.key\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	k.settle()
	all := []string{".hidden/d.key", "a.key", "old/b.key", "out/e.key", "swap/one/i.key"}
	k.finds(all...)
	k.finds(all...)
	change := func(name string, do func(), add, gone []string) {
		k.t.Run(name, func(t *testing.T) {
			do()
			for _, g := range gone {
				all = slices.DeleteFunc(all, func(s string) bool { return s == g })
			}
			all = append(all, add...)
			slices.Sort(all)
			outer := k.t
			k.t = t
			defer func() { k.t = outer }()
			k.finds(all...)
			k.finds(all...)
			k.settle()
			k.finds(all...)
			k.finds(all...)
		})
	}
	one := func(s ...string) []string { return s }
	change("in an old directory", func() { k.put("old/deep/er/n.key") }, one("old/deep/er/n.key"), nil)
	change("in a new directory", func() { k.put("new/er/n.key") }, one("new/er/n.key"), nil)
	change("ignored", func() { k.put("out/n.key") }, one("out/n.key"), nil)
	change("renamed file", func() { k.move("x/y/g", "x/y/g.key") }, one("x/y/g.key"), nil)
	change("moved file", func() { k.move("x/y/g.key", "z/y/g.key") }, one("z/y/g.key"), one("x/y/g.key"))
	change("moved directory", func() { k.move("z", "x/z") }, one("x/z/y/g.key"), one("z/y/g.key"))
	change("exchanged directories", func() {
		k.move("swap/one", "swap/three")
		k.move("swap/two", "swap/one")
		k.move("swap/three", "swap/two")
	}, one("swap/two/i.key"), one("swap/one/i.key"))
	change("a directory with the times of another", func() {
		old := filepath.Join(k.dir, "old")
		info, err := os.Stat(old)
		if err != nil {
			t.Fatal(err)
		}
		k.put("old/m.key")
		if err := os.Chtimes(old, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}, one("old/m.key"), nil)
	change("gone", func() { os.RemoveAll(filepath.Join(k.dir, "old")) }, nil,
		one("old/b.key", "old/deep/er/n.key", "old/m.key"))
	change("a file where a directory was", func() { k.put("old") }, nil, nil)
}

// A directory that changes again and again within one tick of its clock.
func TestAFinderDoesNotTrustYoungTimes(t *testing.T) {
	k := newKeyFiles(t)
	var want []string
	for i := range 50 {
		name := fmt.Sprintf("d/%02d.key", i)
		k.put(name)
		want = append(want, name)
		k.finds(want...)
	}
}

func manyDirs(k *keyFiles) {
	for i := range 100 {
		k.put(fmt.Sprintf("d%02d/x", i))
	}
	k.put("d07/a.key")
}

func TestAFinderReadsWhatAnotherKept(t *testing.T) {
	k := newKeyFiles(t)
	manyDirs(k)
	k.settle()
	k.finds("d07/a.key")
	k.asks.Store(0)
	k.f = tree.NewFinder(k.dir, k.file)
	k.put("d08/b.key")
	k.finds("d07/a.key", "d08/b.key")
	if !tree.TimesTell(k.dir) {
		t.Skip("directories' times are not trusted here: nothing is remembered")
	}
	if k.asks.Load() != 2 {
		t.Errorf("asked about %d files, want the 2 of the directory that changed", k.asks.Load())
	}
	k.what.Key = "more"
	k.asks.Store(0)
	k.f = tree.NewFinder(k.dir, k.file)
	k.finds("d07/a.key", "d08/b.key")
	if k.asks.Load() != 102 {
		t.Errorf("asked about %d files by another key, want all 102", k.asks.Load())
	}
}

func TestAFinderReliesOnNoDamagedFile(t *testing.T) {
	k := newKeyFiles(t)
	manyDirs(k)
	k.settle()
	k.finds("d07/a.key")
	data, err := os.ReadFile(k.file)
	if err != nil && !tree.TimesTell(k.dir) {
		t.Skip("directories' times are not trusted here: nothing is remembered")
	}
	if err != nil {
		t.Fatal(err)
	}
	damages := [][]byte{{}, data[:len(data)/2], append([]byte("x"), data...)}
	for i := 0; i < len(data); i += len(data)/20 + 1 {
		d := slices.Clone(data)
		d[i] ^= 0x41
		damages = append(damages, d)
	}
	for _, d := range damages {
		if err := os.WriteFile(k.file, d, 0o600); err != nil {
			t.Fatal(err)
		}
		k.f = tree.NewFinder(k.dir, k.file)
		k.finds("d07/a.key")
	}
}

func TestAFinderLooksAtNoMoreThanItMay(t *testing.T) {
	k := newKeyFiles(t)
	manyDirs(k)
	k.settle()
	k.finds("d07/a.key")
	k.what.Most = 50
	if _, err := k.f.Find(t.Context(), k.what); !errors.Is(err, tree.ErrTooMany) {
		t.Errorf("known: got %v", err)
	}
	if _, err := k.f.Find(t.Context(), k.what); !errors.Is(err, tree.ErrTooMany) {
		t.Errorf("read anew: got %v", err)
	}
	k.what.Most = 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.f = tree.NewFinder(k.dir, "")
	if _, err := k.f.Find(ctx, k.what); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
	k.finds("d07/a.key")
}

// A directory above the root is exchanged: no watch tells of it.
func TestAFinderKnowsThatItsRootIsAnother(t *testing.T) {
	k := newKeyFiles(t)
	outer := k.dir
	k.put("a/root/one.key", "b/root/two.key")
	k.dir = filepath.Join(outer, "a", "root")
	k.f = tree.NewFinder(k.dir, k.file)
	k.f.Watch()
	t.Cleanup(func() { k.f.Close() })
	k.settle()
	for range 4 {
		k.finds("one.key")
	}
	k.dir = outer
	k.move("a", "c")
	k.move("b", "a")
	k.finds("two.key")
}

// When nothing happened no directory but the root is looked at.
func TestAWatchingFinderPaysForChangesAlone(t *testing.T) {
	k := newKeyFiles(t)
	manyDirs(k)
	k.settle()
	k.f.Watch()
	t.Cleanup(func() { k.f.Close() })
	k.finds("d07/a.key")
	k.finds("d07/a.key")
	if !tree.TimesTell(k.dir) {
		t.Skip("directories' times are not trusted here: nothing is remembered")
	}
	if !tree.Still(k.f) {
		t.Error("nothing happened, and directories are compared all the same")
	}
	k.finds("d07/a.key")
	k.put("d09/b.key")
	k.finds("d07/a.key", "d09/b.key")
	if tree.Still(k.f) {
		t.Error("a directory was read, and is not compared again")
	}
}

func FuzzBranches(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 2, 2, 1, 1, 1, 'x', 0})
	f.Add([]byte{0, 1, 2, 2, 2, 2, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		again, ok := tree.Branches(data)
		if ok && len(again) > 10*len(data)+100 {
			t.Errorf("%d bytes became %d", len(data), len(again))
		}
	})
}

// The files of workspaces that nobody comes back to do not stay for ever; those that are in use do.
func TestAFinderRemovesWhatNobodyUses(t *testing.T) {
	k := newKeyFiles(t)
	if !tree.TimesTell(k.dir) {
		t.Skip("directories' times are not trusted here: nothing is remembered")
	}
	manyDirs(k)
	k.settle()
	k.finds("d07/a.key")
	beside := func(name string, days int) string {
		path := filepath.Join(filepath.Dir(k.file), name)
		when := time.Now().AddDate(0, 0, -days)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone, kept := beside("gone", 31), beside("kept", 29)
	long := time.Now().AddDate(0, -6, 0)
	if err := os.Chtimes(k.file, long, long); err != nil {
		t.Fatal(err)
	}
	k.f = tree.NewFinder(k.dir, k.file)
	k.finds("d07/a.key")
	fi, err := os.Stat(k.file)
	if err != nil || time.Since(fi.ModTime()) > time.Hour {
		t.Errorf("a file that is used counts as unused: %v", err)
	}
	for i := range 100 { // enough that it is written again
		k.put(fmt.Sprintf("more%02d/x", i))
	}
	k.settle()
	k.finds("d07/a.key")
	if _, err := os.Stat(gone); err == nil {
		t.Error("what nobody used for a month is still there")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("what was used within a month is gone: ", err)
	}
}
