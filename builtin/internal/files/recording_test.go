package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/tool"
)

// recorded is a workspace whose calls are remembered, and a function that makes a set of changes as a command would.
func recorded(t *testing.T) (*record.Records, func(name string, set *change.Set) *record.Recording) {
	t.Helper()
	folders, err := folders.Open(folders.Options{Dirs: []string{t.TempDir()}, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folders.CloseTrees(); folders.Files.Close() })
	w := record.Open(folders, record.Options{History: record.History{On: true}})
	return w, func(name string, set *change.Set) *record.Recording {
		t.Helper()
		tx, err := change.Begin(w.Changes())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Close()
		rec := w.Record(&tool.Call{}, "bash", name, "a gap")
		defer rec.Close()
		rec.Plan(tx, set)
		report, err := tx.Apply(context.Background(), set)
		if err != nil {
			t.Fatal(err)
		}
		rec.Made(report)
		if why := rec.Note(); why != "" {
			t.Fatal(why)
		}
		return rec
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// What a transaction changed is in the history with its gaps, but for what was refused and for folders of builds.
func TestASetIsRecordedWithoutWhatWasRefused(t *testing.T) {
	w, commit := recorded(t)
	file := change.Entry{Type: change.File, Mode: 0o644}
	for _, name := range []string{"mine", "Cargo.toml"} {
		if err := os.WriteFile(filepath.Join(w.Dir(), name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit("one", &change.Set{Changes: []change.Change{
		{Path: "new", Will: file, Write: text("x")},
		{Path: "mine", Will: file, Write: text("x")}, // is there already
		{Path: "node_modules", Will: change.Entry{Type: change.Dir, Mode: 0o755}},
		{Path: "node_modules/x", Will: file, Write: text("x")},
		{Path: "target", Will: change.Entry{Type: change.Dir, Mode: 0o755}},
		{Path: "target/x", Will: file, Write: text("x")},
		{Path: "d", Will: change.Entry{Type: change.Dir, Mode: 0o755}},
		{Path: "d/target", Will: file, Write: text("x")}, // no build tool is at home in d
	}})
	store, err := w.Store()
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List(0)
	if err != nil || len(list.Calls) != 1 {
		t.Fatalf("%v: %d calls", err, len(list.Calls))
	}
	var got []string
	for _, c := range list.Calls[0].Changes {
		got = append(got, string(c.Path))
	}
	if diff := cmp.Diff([]string{"new", "d", "d/target"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	gaps := []string{
		"a gap",
		"node_modules is not kept: a build makes it again",
		"target is not kept: a build makes it again",
	}
	if diff := cmp.Diff(gaps, list.Calls[0].Gaps); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A history that cannot be written keeps nobody from their work; the result says that it cannot be undone.
func TestACallGoesOnWithoutAHistory(t *testing.T) {
	w, _ := recorded(t)
	dir := w.HistoryDir()
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where a folder should be
		t.Fatal(err)
	}
	rec := w.Record(&tool.Call{}, "edit", "edit a")
	defer rec.Close()
	if rec.Note() == "" || rec.Meta().Undo != "" {
		t.Errorf("it says %q, %v", rec.Note(), rec.Meta())
	}
	p, err := w.Files.Resolve("", "a/b")
	if err != nil {
		t.Fatal(err)
	}
	c := &fileChange{
		w:         New(w, Options{}),
		call:      &tool.Call{},
		path:      p,
		creates:   true,
		fileError: func(err error) error { return err },
		plan: func(look) (*revision, error) {
			return &revision{
				id:      func() (id [32]byte) { return id },
				size:    1,
				write:   text("x"),
				content: func() []byte { return []byte("x") },
			}, nil
		},
	}
	if _, err := c.commit(t.Context()); err != nil || c.note == "" {
		t.Errorf("%v, note %q", err, c.note)
	}
}

// A change that is refused at the last moment leaves a history that says what happened: its directories were made.
func TestADirectoryThatWasMadeForARefusedFileIsRecorded(t *testing.T) {
	w, _ := recorded(t)
	p, err := w.Files.Resolve("", "a/b/f")
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("no")
	c := &fileChange{
		w:         New(w, Options{}),
		call:      &tool.Call{},
		path:      p,
		creates:   true,
		fileError: func(err error) error { return err },
		plan: func(look) (*revision, error) {
			return &revision{id: func() (id [32]byte) { return id }, write: func(w io.Writer) error {
				if _, ok := w.(*os.File); ok {
					return bad
				}
				return nil
			}}, nil
		},
	}
	if _, err := c.commit(t.Context()); !errors.Is(err, bad) {
		t.Fatal(err)
	}
	store, err := w.Store()
	if err != nil {
		t.Fatal(err)
	}
	list, err := store.List(0)
	if err != nil || len(list.Calls) != 1 {
		t.Fatalf("%v: %d calls", err, len(list.Calls))
	}
	var got []history.Change
	got = append(got, list.Calls[0].Changes...)
	if len(got) != 2 || got[0].Path != "a" || got[1].Path != "a/b" {
		t.Error(fmt.Sprint(got))
	}
}
