//go:build unix

package history

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/internal/change"
)

// What a call did to each file has a word.
func TestWhatBecameOfAFileHasItsWord(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"changed", "gone", "moved", "mode"} {
		g.put(name, "content of "+name)
	}
	mode := change.Change{Path: "mode", Will: change.Entry{Type: change.File, Mode: 0o755}, Write: file("mode", "content of mode").Write}
	id := g.call(file("new", "new"), file("changed", "other\nlines\n"), gone("gone"), gone("moved"),
		file("elsewhere", "content of moved"), mode)
	got := map[string]FileChange{}
	for _, f := range g.store.Files(g.of(id).Changes, 10) {
		got[string(f.Path)] = f.Change
	}
	want := map[string]FileChange{"new": Created, "changed": Modified, "gone": Deleted, "elsewhere": Renamed, "mode": Mode}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Where files came and went again, the time of their folder is what is left to bring back. The folder stays.
func TestOnlyTheTimeOfAFolderComesBack(t *testing.T) {
	g := newGround(t)
	if err := os.Mkdir(g.path("d"), 0o750); err != nil {
		t.Fatal(err)
	}
	then := time.Unix(1000, 0)
	if err := os.Chtimes(g.path("d"), then, then); err != nil {
		t.Fatal(err)
	}
	first := g.call(file("a", "a"))
	g.call(file("d/x", "x"))
	g.call(gone("d/x"))
	plan, err := g.store.Plan(Wish{To: first})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) != 1 || plan.Steps[0].Path != "d" || plan.Steps[0].Will.Type != change.Dir || plan.Steps[0].Will.Mode != plan.Steps[0].Now.Mode {
		t.Fatalf("the steps are %+v", plan.Steps)
	}
	g.apply(plan, nil)
	st, err := os.Stat(g.path("d"))
	if err != nil {
		t.Fatal(err)
	}
	if !st.ModTime().Equal(then) || st.Mode().Perm() != 0o750 {
		t.Errorf("the folder is of %v, %v", st.ModTime(), st.Mode())
	}
}

// What is left of a call brings back the times of its own folders, not of those that were taken back already.
func TestWhatIsLeftOfACallKnowsItsFolders(t *testing.T) {
	c := &Call{
		Changes: []Change{{Place: change.Place{Path: "a/x"}}, {Place: change.Place{Path: "b/y"}}},
		Dirs:    []Dated{{Place: change.Place{Path: "a"}}, {Place: change.Place{Path: "b"}}},
	}
	c.Rest = c.Changes[1:]
	c.narrow()
	if len(c.Changes) != 1 || c.Changes[0].Path != "b/y" || !slices.Equal(c.positions, []int{1}) {
		t.Errorf("it is %+v at %v", c.Changes, c.positions)
	}
	if len(c.Dirs) != 1 || c.Dirs[0].Path != "b" {
		t.Errorf("its folders are %+v", c.Dirs)
	}
}

// What a build makes again is not kept, and the call names it once; all else of the call is.
func TestWhatABuildMakesAgainIsNotKept(t *testing.T) {
	g := newGround(t)
	g.store.o.Skip = func(p change.Place) bool { return p.Path == "made" }
	if err := os.MkdirAll(g.path("made/deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	id := g.call(file("made/a", "a"), file("made/deep/b", "b"), file("source", "s"))
	c := g.of(id)
	if len(c.Changes) != 1 || c.Changes[0].Path != "source" {
		t.Errorf("kept: %+v", c.Changes)
	}
	if len(c.Gaps) != 1 || !strings.HasPrefix(c.Gaps[0], "made is not kept") {
		t.Errorf("gaps: %q", c.Gaps)
	}
	if g.get("made/deep/b") != "b" {
		t.Error("what is not kept was not made")
	}
}

// git writes other bytes into the worktree than it has only where its configuration or attributes say so. That of a
// linked worktree is the main one's.
func TestGitConvertsWhereItIsTold(t *testing.T) {
	for _, c := range []struct {
		name, config, attributes string
		none, want               bool
	}{
		{"plain", "[core]\n\tbare = false\n", "", false, false},
		{"no configuration of its own", "", "", true, false},
		{"line ends", "[core]\n\tautoCRLF = true\n", "", false, true},
		{"another form of objects", "[extensions]\n\tobjectFormat = sha256\n", "", false, true},
		{"attributes", "", "* text=auto\n", false, true},
		{"attributes of another kind", "", "* linguist-generated\n", false, false},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "info"), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if !c.none {
			err = os.WriteFile(filepath.Join(dir, "config"), []byte(c.config), 0o644)
		}
		if c.attributes != "" {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte(c.attributes), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := converts(t.TempDir(), dir, 0, nil); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A call that nobody finished is settled once, by the next who looks: it happened, or it did not.
func TestWhatNobodyFinishedIsSettledOnce(t *testing.T) {
	for _, happened := range []bool{true, false} {
		g := newGround(t)
		g.call(file("a", "1"))
		r, err := g.store.Begin(Call{ID: "open", Time: time.Unix(9, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Add(change.Place{Path: "b"}, change.Entry{Type: change.Dir, Mode: 0o755}, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.Commit(); err != nil {
			t.Fatal(err)
		}
		if happened {
			if err := os.Mkdir(g.path("b"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		r.Close() // as one that is killed does
		list, err := g.store.List(0)
		if want := map[bool]int{true: 2, false: 1}[happened]; err != nil || len(list.Calls) != want {
			t.Errorf("happened %v: %d calls, %v", happened, len(list.Calls), err)
		}
		if _, err := os.Lstat(g.store.pending()); err == nil {
			t.Errorf("happened %v: it waits to be settled again", happened)
		}
	}
}

// Numbers of changes that a call does not have, in a damaged journal, mean nothing.
func TestNumbersThatMeanNothingAreLeftOut(t *testing.T) {
	for _, kind := range []Kind{Work, Undo} {
		c := &Call{Kind: kind, Changes: []Change{{Place: change.Place{Path: "a"}}, {Place: change.Place{Path: "b"}}}}
		c.refuse([]int{-1, 1, 2, 1 << 40})
		if len(c.Changes) != 1 || c.Changes[0].Path != "a" {
			t.Errorf("%s: its changes are %+v", kind, c.Changes)
		}
		if want := map[Kind]int{Work: 0, Undo: 1}[kind]; len(c.Left) != want {
			t.Errorf("%s: left alone are %+v", kind, c.Left)
		}
	}
}

// A content that is longer than asked for is not cut: it is an error.
func TestAContentIsWholeOrAnError(t *testing.T) {
	g := newGround(t)
	st := g.of(g.call(file("a", "12345"))).Changes[0].Now
	if b, err := g.store.Content(st, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := g.store.Content(st, 4); err == nil {
		t.Errorf("of at most 4 bytes: %q", b)
	}
}

// What stands at a place is read only while it is what was looked at.
func TestWhatChangedSinceALookIsNotRead(t *testing.T) {
	g := newGround(t)
	g.put("a", "as it was")
	at := change.Place{Path: "a"}
	now, _, err := g.store.look(at)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := g.store.standing(at, now); err != nil || string(b) != "as it was" {
		t.Errorf("%q, %v", b, err)
	}
	g.put("a", "another ")
	if _, err := g.store.standing(at, now); !errors.Is(err, ErrLate) {
		t.Errorf("got %v, want %v", err, ErrLate)
	}
}

// A comparison tells the scan how things stand: the next one finds what came after it.
func TestAComparisonGoesOnFromTheOneBefore(t *testing.T) {
	g := newGround(t)
	g.put("a", "1")
	sc, err := g.store.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compare := func(id string) []Change {
		changes, err := g.store.CompareRunning(context.Background(), sc, Call{ID: id, Tool: "bash", Time: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	g.put("a", "two")
	g.put("b", "new")
	if got := compare("first"); len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	if got := compare("second"); len(got) != 0 {
		t.Errorf("nothing happened since: %+v", got)
	}
	if err := os.Remove(g.path("b")); err != nil {
		t.Fatal(err)
	}
	if got := compare("third"); len(got) != 1 || got[0].Path != "b" || got[0].Was.Type != change.File {
		t.Errorf("b went: %+v", got)
	}
}

// Where the journal cannot be written anew, nothing is forgotten: its calls need their contents.
func TestNothingIsForgottenThatTheJournalHas(t *testing.T) {
	g := newGround(t)
	g.call(file("a", "first"))
	g.call(file("a", "second"))
	roots := rootsFile(g.store.o)
	if err := errors.Join(os.RemoveAll(roots), os.MkdirAll(filepath.Join(roots, "in", "the", "way"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if p, err := g.store.Prune(time.Now(), DefaultBytes); err == nil {
		t.Errorf("it says that it forgot %+v", p)
	}
	if err := os.RemoveAll(roots); err != nil {
		t.Fatal(err)
	}
	g.apply(g.store.PlanUndo(""))
	g.wantText("a", "first")
}

// A folder that cannot be made is named.
func TestAFolderThatCannotBeMadeIsNamed(t *testing.T) {
	g := newGround(t)
	state := filepath.Join(filepath.Dir(g.root), "state")
	if err := errors.Join(os.RemoveAll(state), os.WriteFile(state, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"prune": func() error { _, err := g.store.Prune(time.Time{}, 1); return err }(),
		"undo":  func() error { _, err := g.store.PlanUndo(""); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), state) || strings.Contains(err.Error(), "another call") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
