package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"helve/builtin/internal/history"
	"helve/internal/change"
)

// seeing is a store with names for its calls.
func seeing(t *testing.T, root string) (*history.Store, func() string) {
	t.Helper()
	dir := t.TempDir()
	s, err := history.Open(history.Options{
		Dir:   filepath.Join(dir, "history"),
		Roots: []string{root},
		Work:  filepath.Join(dir, "work"),
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return s, func() string { n++; return fmt.Sprintf("call%d", n) }
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func see(t *testing.T, s *history.Store, session string, paths ...string) {
	t.Helper()
	var at []change.Place
	for _, p := range paths {
		at = append(at, change.Place{Path: change.Name(p)})
	}
	if err := s.See(history.Call{Tool: "Edit", Session: session}, at); err != nil {
		t.Fatal(err)
	}
}

func remembered(t *testing.T, s *history.Store, want ...string) {
	t.Helper()
	list, err := s.List(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list.Calls {
		for _, ch := range c.Changes {
			got = append(got, fmt.Sprintf("%s %s", c.Session, ch.Path))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("remembered %q, want %q", got, want)
	}
}

func TestWhatAnotherProgramChangedIsKnownAsItStoodBefore(t *testing.T) {
	root := t.TempDir()
	s, id := seeing(t, root)
	put(t, filepath.Join(root, "a.txt"), "old\n")
	see(t, s, "one", "a.txt", "new/deep/b.txt")
	put(t, filepath.Join(root, "a.txt"), "new\n")
	put(t, filepath.Join(root, "new/deep/b.txt"), "b\n")
	if err := s.Seen("two", id); err != nil { // of another conversation
		t.Fatal(err)
	}
	remembered(t, s)
	if err := s.Seen("one", id); err != nil {
		t.Fatal(err)
	}
	remembered(t, s, "one a.txt", "one new", "one new/deep", "one new/deep/b.txt")
	if s.Waiting() {
		t.Error("what was settled still waits")
	}
	p, err := s.Plan(history.Wish{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), history.Call{ID: "undo1", Time: time.Now(), Kind: history.Undo}, p, false); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "a.txt"))
	if _, gone := os.Lstat(filepath.Join(root, "new")); err != nil || string(text) != "old\n" || !os.IsNotExist(gone) {
		t.Errorf("after the undo: %q, %v, %v", text, err, gone)
	}
}

// Two of a client's calls about one file may be judged before the first has happened.
func TestOfTwoEditsOfOneFileEachIsKnown(t *testing.T) {
	root := t.TempDir()
	s, id := seeing(t, root)
	file := filepath.Join(root, "a.txt")
	put(t, file, "0\n")
	see(t, s, "one", "a.txt")
	see(t, s, "one", "a.txt")
	put(t, file, "1\n")
	if err := s.Seen("", id); err != nil {
		t.Fatal(err)
	}
	remembered(t, s, "one a.txt")
	put(t, file, "2\n")
	if err := s.Seen("", id); err != nil {
		t.Fatal(err)
	}
	remembered(t, s, "one a.txt", "one a.txt")
	list, err := s.List(0)
	if err != nil {
		t.Fatal(err)
	}
	if newest := list.Calls[0].Changes[0]; newest.Was.Object == "" || newest.Was.Object != list.Calls[1].Changes[0].Now.Object {
		t.Errorf("the second begins at %q, the first ended at %q", newest.Was.Object, list.Calls[1].Changes[0].Now.Object)
	}
}

func TestAChangeThatNeverCameIsNone(t *testing.T) {
	root := t.TempDir()
	s, id := seeing(t, root)
	put(t, filepath.Join(root, "a.txt"), "old\n")
	see(t, s, "one", "a.txt")
	if err := s.Seen("", id); err != nil {
		t.Fatal(err)
	}
	remembered(t, s)
	if !s.Waiting() {
		t.Error("the change may still come, and nobody waits for it")
	}
}

func TestWhatWaitsIsBoundedAndSurvivesDamage(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(t.TempDir(), "history")
	s, err := history.Open(history.Options{Dir: dir, Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		see(t, s, "one", fmt.Sprint("f", i))
	}
	list, err := os.ReadDir(filepath.Join(dir, "seen"))
	if err != nil || len(list) != 256 {
		t.Fatalf("%d wait (%v), want 256", len(list), err)
	}
	put(t, filepath.Join(dir, "seen", list[0].Name()), "{")
	put(t, filepath.Join(root, "f299"), "x")
	if err := s.Seen("", func() string { return "call" }); err != nil {
		t.Fatal(err)
	}
	remembered(t, s, "one f299")
}

// Processes that open a new history at once have one history: what one of them wrote stays.
func TestWhoOpensAHistoryTogetherWithOthersLosesNothing(t *testing.T) {
	for i := range 100 {
		root, dir := t.TempDir(), filepath.Join(t.TempDir(), "history")
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				s, err := history.Open(history.Options{Dir: dir, Roots: []string{root}})
				if err != nil {
					t.Errorf("round %d, %d: %v", i, n, err)
					return
				}
				name := fmt.Sprint(n, ".txt")
				see(t, s, name, name)
				put(t, filepath.Join(root, name), "new\n")
				if err := s.Seen(name, func() string { return name }); err != nil {
					t.Errorf("round %d, %d: %v", i, n, err)
				}
			})
		}
		all.Wait()
		s, err := history.Open(history.Options{Dir: dir, Roots: []string{root}})
		if err != nil {
			t.Fatal(err)
		}
		if list, err := s.List(0); err != nil || len(list.Calls) != 4 {
			t.Fatalf("round %d: %d calls of 4 are known: %v", i, len(list.Calls), err)
		}
	}
}
