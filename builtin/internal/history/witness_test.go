//go:build unix

package history

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"helve/internal/change"
)

// A store tells whether a call was recorded through it, and how much it stored: what is there already is not stored
// again.
func TestAStoreTellsWhatWasStoredThroughIt(t *testing.T) {
	g := newGround(t)
	if g.store.Written() || g.store.Added() != 0 {
		t.Errorf("before any call: %v, %d bytes", g.store.Written(), g.store.Added())
	}
	g.call(file("a", "one content"))
	first := g.store.Added()
	if !g.store.Written() || first <= 0 {
		t.Errorf("after a call: %v, %d bytes", g.store.Written(), first)
	}
	g.call(file("b", "one content"))
	if n := g.store.Added(); n != first {
		t.Errorf("the same content again: %d bytes, were %d", n, first)
	}
	g.call(file("b", "another content"))
	if n := g.store.Added(); n <= first {
		t.Errorf("another content: %d bytes, were %d", n, first)
	}
	again := open(t, filepath.Dir(g.root))
	if _, err := again.List(0); err != nil || again.Written() || again.Added() != 0 {
		t.Errorf("another store: %v, %d bytes, %v", again.Written(), again.Added(), err)
	}
}

// An undo that cannot be made is an error, and changes nothing.
func TestAnUndoThatCannotBeginIsAnError(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "old"))
	g.call(file("a", "new"))
	work := filepath.Join(filepath.Dir(g.root), "state", "work")
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(work, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := g.store.PlanUndo("")
	if err == nil {
		var out *Outcome
		out, err = g.store.Apply(context.Background(), Call{ID: "undo", Time: time.Unix(9, 0), Tool: "undo"}, plan, false)
		if err == nil {
			t.Errorf("no error: %+v", out)
		}
	}
	if got := g.get("a"); got != "new" {
		t.Errorf("it is %q", got)
	}
	if err := os.Remove(work); err != nil {
		t.Fatal(err)
	}
	g.apply(g.store.PlanUndo(""))
	if got := g.get("a"); got != "old" {
		t.Errorf("later it is %q", got)
	}
}

// What cannot be forgotten is not said to be; a history that never was is.
func TestForgettingSaysWhetherItIsDone(t *testing.T) {
	g := newGround(t)
	if err := g.store.Forget(); err != nil {
		t.Error(err)
	}
	base := filepath.Dir(g.root)
	if err := os.RemoveAll(filepath.Join(base, "state")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "state"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.store.Forget(); err == nil {
		t.Error("it is said to be forgotten, in a folder that is a file")
	}
}

// The git directory of a place is the first folder of that name on the way to it.
func TestAPlaceKnowsItsGitDirectory(t *testing.T) {
	for path, want := range map[string]string{
		".git":             ".git",
		".git/config":      ".git",
		"a/.git/hooks/x":   "a/.git",
		"a/bc/.git/.git/y": "a/bc/.git",
		"a/.gitignore":     "",
		"a/x.git/b":        "",
		"a":                "",
	} {
		got, ok := gitDir(change.Place{Root: 1, Path: change.Name(path)})
		if ok != (want != "") || ok && (got.Path != change.Name(want) || got.Root != 1) {
			t.Errorf("%s: %+v, %v, want %q", path, got, ok, want)
		}
	}
}

// A call whose mark cannot be written is not recorded as done: a change that the journal does not know could not be
// undone.
func TestACallIsNotCommittedWithoutItsMark(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "1"))
	r, err := g.store.Begin(Call{ID: "blocked"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(g.store.pending()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(g.store.pending(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.Commit(); err == nil {
		t.Error("a call was committed whose mark cannot be written")
	}
	if err := os.Remove(g.store.pending()); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if list, err := g.store.List(0); err != nil || len(list.Calls) != 1 {
		t.Errorf("%d calls, want the one before: %v", len(list.Calls), err)
	}
}
