package refactoring

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/engine/code/refactor"
	"helve/tool"
)

// A plan that is not the one that was shown is not carried out, and nothing of it.
func TestARefactoringRunsWhatWasApproved(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.go": "package a\n\nfunc f() {}\n", "b.go": "package a\n\nfunc g() { f() }\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folders, err := folders.Open(folders.Options{Dirs: []string{dir}, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folders.CloseTrees(); folders.Files.Close() })
	w := record.Open(folders, record.Options{History: record.History{On: true}})
	planned := func(context.Context) (*refactor.Changes, error) {
		b, err := os.ReadFile(filepath.Join(dir, "b.go"))
		at := strings.Index(string(b), "f()")
		return &refactor.Changes{Files: []refactor.FileEdits{
			{Path: "a.go", Before: []byte(files["a.go"]), Edits: []refactor.TextEdit{{Start: 16, End: 17, New: "h"}}},
			{Path: "b.go", Before: b, Edits: []refactor.TextEdit{{Start: at, End: at + 1, New: "h"}}},
		}}, err
	}
	call := func() *tool.Job {
		t.Helper()
		j, err := refactorJob(t.Context(), w, &tool.Call{Name: "rename_symbol", Dir: dir}, "rename_symbol", "rename f to h", false, planned)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Effects) != 2 {
			t.Fatalf("%d effects, want one for each file", len(j.Effects))
		}
		return j
	}
	j := call()
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("package a\n\nfunc g() { f(); f() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "files changed after this was approved") {
		t.Errorf("%v, want that files changed", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "a.go")); string(b) != files["a.go"] {
		t.Errorf("a.go is %q: a part was done", b)
	}
	res, err := call().Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(res.Text(), "Done: 0 edits in 2 files") {
		t.Errorf("%s", res.Text())
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "a.go")); string(b) != "package a\n\nfunc h() {}\n" {
		t.Errorf("a.go is %q", b)
	}
}
