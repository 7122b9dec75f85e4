//go:build unix

package history

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// look looks before a command, in a store that is opened for that alone.
func (g *ground) look(key string, scan bool) {
	g.t.Helper()
	l := Look{
		Key:  key,
		Call: Call{Tool: "Bash", Title: "make", Session: "s", Parent: key},
		Note: json.RawMessage(`{"n":1}`),
	}
	if err := LooksOf(g.again()).Begin(context.Background(), l, scan); err != nil {
		g.t.Fatal(err)
	}
}

// again is the same store, as another process has it.
func (g *ground) again() *Store {
	g.t.Helper()
	s, err := Open(g.store.o)
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

func TestALookOutlivesTheProcessThatLooked(t *testing.T) {
	g := newGround(t)
	g.put("a", "one\n")
	g.put("gone", "two\n")
	g.look("k1", true)
	g.put("a", "other\n")
	g.put("new", "three\n")
	if err := os.Remove(g.path("gone")); err != nil {
		t.Fatal(err)
	}
	// somebody looks at the history while the command goes on
	if l, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i1", LookEnd{}); err != nil || !ok || l.Over {
		t.Fatal(l, ok, err)
	}
	g.put("late", "four\n")
	l, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i2", LookEnd{Last: true})
	if err != nil || !ok || !l.Over || string(l.Note) != `{"n":1}` {
		t.Fatal(l, ok, err)
	}
	g.put("later", "by nobody of ours\n")
	if _, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i3", LookEnd{Last: true}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	list, err := g.again().List(0)
	if err != nil || len(list.Calls) != 2 || list.Calls[0].Parent != "k1" || list.Calls[1].ID != "i1" {
		t.Fatalf("%+v, %v", list, err)
	}
	var all []string
	for _, c := range Fold(list.Calls) {
		all = append(all, string(c.Path))
		if c.Was.Lost != "" {
			t.Errorf("%s: %s", c.Path, c.Was.Lost)
		}
	}
	if got := strings.Join(all, " "); got != "a gone new late" {
		t.Errorf("changed: %s", got)
	}
	LooksOf(g.again()).Forget("k1")
	if _, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i4", LookEnd{Last: true}); ok || err != nil {
		t.Error("it waits still", err)
	}
	if left, _ := os.ReadDir(g.store.o.looks()); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestALookWithoutAScanChangesNothing(t *testing.T) {
	g := newGround(t)
	g.look("k1", false)
	g.put("a", "by nobody of ours\n")
	if _, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i1", LookEnd{Last: true}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if list, err := g.again().List(0); err != nil || len(list.Calls) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWhatComesAfterTheEndOfACommandIsNotItsWork(t *testing.T) {
	g := newGround(t)
	g.put("mine", "one\n")
	g.look("k1", true)
	g.put("new", "its work\n")
	entry, err := os.Stat(g.path("new"))
	if err != nil {
		t.Fatal(err)
	}
	ended := entry.ModTime().Add(20 * time.Millisecond)
	for g.put("mine", "by hand\n"); ; g.put("mine", "by hand\n") {
		if st, err := os.Stat(g.path("mine")); err != nil || st.ModTime().After(ended) {
			break
		}
	}
	if _, ok, err := LooksOf(g.again()).Compare(t.Context(), "k1", "i1", LookEnd{Last: true, At: ended}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	list, err := g.again().List(0)
	if err != nil || len(list.Calls) != 1 || len(list.Calls[0].Changes) != 1 || list.Calls[0].Changes[0].Path != "new" {
		t.Errorf("%+v, %v", list, err)
	}
	g.look("k2", true)
	g.put("mine", "again\n")
	if l, _, err := LooksOf(g.again()).Compare(t.Context(), "k2", "i2", LookEnd{Last: true, Never: true}); !l.Over || err != nil {
		t.Errorf("%+v, %v", l, err)
	}
	if list, err := g.again().List(0); err != nil || len(list.Calls) != 1 {
		t.Errorf("of a command that never began: %+v, %v", list, err)
	}
}

func TestLooksAreBoundedAndDamagedOnesGo(t *testing.T) {
	g := newGround(t)
	for i := range mostLooks + 3 {
		g.look("k"+strings.Repeat("a", i+1), i%2 == 0)
	}
	all, err := LooksOf(g.store).List()
	if err != nil || len(all) != mostLooks || all[0].Key != "kaaaa" {
		t.Fatalf("%d wait, %v", len(all), err)
	}
	for key, text := range map[string]string{"kaaaa": "{", "kaaaaa": `{"key":"other"}`} {
		if err := os.WriteFile(LooksOf(g.store).File(key), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, err = LooksOf(g.store).List(); err != nil || len(all) != mostLooks-2 {
		t.Errorf("with damaged ones %d wait, %v", len(all), err)
	}
	// a scan that cannot be read is an error, and no change of anybody's
	if err := os.WriteFile(LooksOf(g.store).file("kaaaaaaa", scanEnd), []byte("no scan"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := LooksOf(g.store).Compare(t.Context(), "kaaaaaaa", "i1", LookEnd{Last: true}); !ok || err == nil {
		t.Errorf("a damaged scan was read: %v", ok)
	}
	for _, key := range []string{"", "../k", "K", "a.b"} {
		if err := LooksOf(g.store).Begin(t.Context(), Look{Key: key}, false); err == nil {
			t.Errorf("%q names a look", key)
		}
	}
}

// In a workspace with other folders a look says nothing: what is not open would count as deleted.
func TestALookIsComparedWithItsOwnFoldersAlone(t *testing.T) {
	g := newGround(t)
	g.put("a", "one\n")
	g.look("k1", true)
	o := g.store.o
	o.Roots = []string{g.root, t.TempDir()}
	more, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	g.put("a", "two\n")
	if l, ok, err := LooksOf(more).Compare(t.Context(), "k1", "i1", LookEnd{Last: true}); err != nil || !ok || l.Over {
		t.Errorf("%+v, %v, %v", l, ok, err)
	}
	if l, ok, err := LooksOf(g.store).Compare(t.Context(), "k1", "i2", LookEnd{Last: true}); err != nil || !ok || !l.Over {
		t.Errorf("%+v, %v, %v", l, ok, err)
	}
}

func TestItIsKnownWhetherTheCommandOfALookRuns(t *testing.T) {
	g := newGround(t)
	g.look("k1", false)
	if LooksOf(g.store).Runs("k1") {
		t.Error("nobody holds it")
	}
	held := flock.New(LooksOf(g.store).File("k1"), flock.SetFlag(os.O_RDONLY))
	if ok, err := held.TryRLock(); !ok || err != nil {
		t.Skip("there are no locks here: ", err)
	}
	if !LooksOf(g.store).Runs("k1") {
		t.Error("it is held")
	}
	held.Close()
	for end := time.Now().Add(10 * time.Second); LooksOf(g.store).Runs("k1"); {
		if time.Now().After(end) {
			t.Fatal("it runs still")
		}
	}
}
