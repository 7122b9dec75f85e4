//go:build unix

package history

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
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
