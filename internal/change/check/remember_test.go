package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/internal/change"
)

// workspace makes files in a directory; a text that begins with "-> " is a link.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if to, isLink := strings.CutPrefix(text, "-> "); isLink {
		err = os.Symlink(to, path)
	} else {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a command wrote while nothing held it back is judged like what a layer holds, put aside, and as it was before.
func TestWhatWasWrittenAlreadyIsPutAside(t *testing.T) {
	const settings = "[core]\n\trepositoryformatversion = 0\n"
	for name, c := range map[string]struct {
		do   func(dir string)
		want []string // what is found
	}{
		"nothing": {func(string) {}, nil},
		"ordinary files": {func(dir string) {
			put(t, dir, "a.go", "package b")
			put(t, dir, "new/x", "x")
			put(t, dir, ".git/refs/heads/side", "x")
		}, nil},
		"a remote": {func(dir string) {
			put(t, dir, ".git/config", settings+"[remote \"o\"]\n\turl = https://host/x\n")
		}, nil},
		"a program of git's": {func(dir string) {
			put(t, dir, ".git/config", settings+"\tfsmonitor = evil\n")
		}, []string{".git/config"}},
		"a hook": {func(dir string) { put(t, dir, ".git/hooks/pre-commit", "evil") }, []string{".git/hooks/pre-commit"}},
		"a common directory": {func(dir string) {
			put(t, dir, "build/evil/config", settings+"\tfsmonitor = evil\n")
			put(t, dir, "build/evil/HEAD", "ref: refs/heads/main")
			os.MkdirAll(filepath.Join(dir, "build/evil/objects"), 0o755)
			os.MkdirAll(filepath.Join(dir, "build/evil/refs"), 0o755)
			put(t, dir, ".git/commondir", "../build/evil\n")
		}, []string{".git/commondir", "build/evil/config"}},
		"direnv, new and changed": {func(dir string) {
			put(t, dir, ".envrc", "evil")
			put(t, dir, ".mcp.json", "{}")
			put(t, dir, ".vscode/tasks.json", "evil")
		}, []string{".envrc", ".mcp.json", ".vscode/tasks.json"}},
		"written again as it was": {func(dir string) {
			put(t, dir, ".envrc", "mine")
			put(t, dir, ".git/config", settings)
		}, nil},
		"gone": {func(dir string) { os.Remove(filepath.Join(dir, ".envrc")) }, nil},
		"a link in place of it": {func(dir string) {
			os.Remove(filepath.Join(dir, ".envrc"))
			put(t, dir, ".envrc", "-> a.go")
		}, []string{".envrc"}},
		"a nested repository": {func(dir string) {
			put(t, dir, "sub/.git/HEAD", "ref: refs/heads/main")
			put(t, dir, "sub/.git/config", "[core]\n\tsshCommand = evil\n")
			put(t, dir, "sub/.git/objects/x", "")
			put(t, dir, "sub/.git/refs/x", "")
		}, []string{"sub/.git/config"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspace(t, map[string]string{
				"a.go": "package a", ".envrc": "mine", ".vscode/tasks.json": "{}", ".git/config": settings,
				".git/HEAD": "ref: refs/heads/main", ".git/objects/ab/c": "x", ".git/refs/heads/main": "x",
			})
			past, err := Remember(t.Context(), Options{Roots: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			c.do(dir)
			found, was, err := past.Dangers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, string(f.Path))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			tx, err := change.Begin(change.Options{Roots: []string{dir}, State: filepath.Join(t.TempDir(), "state")})
			if err != nil {
				t.Fatal(err)
			}
			back, err := tx.PutAside(was)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range back {
				if text, err := os.ReadFile(b.Kept); b.Err != nil || err != nil && len(text) == 0 && name != "a link in place of it" {
					t.Errorf("%+v: %q, %v", b, text, err)
				}
			}
			tx.Close()
			if found, _, err := past.Dangers(t.Context()); len(found) > 0 || err != nil {
				t.Errorf("afterwards %v, %v", found, err)
			}
			for _, at := range was {
				text, err := os.ReadFile(filepath.Join(dir, string(at.Path)))
				if at.Was.Type == change.None && !os.IsNotExist(err) || at.Was.Type == change.File && string(text) != string(at.Text) {
					t.Errorf("%s holds %q, %v", at.Path, text, err)
				}
			}
		})
	}
}

// What helve itself writes meanwhile, because somebody approved it, stays.
func TestWhatIsAcceptedStays(t *testing.T) {
	dir := workspace(t, map[string]string{"a": "x"})
	past, err := Remember(t.Context(), Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".vscode/tasks.json", "{}")
	put(t, dir, ".envrc", "evil")
	if err := past.Accept(change.Place{Path: ".vscode/tasks.json"}); err != nil {
		t.Fatal(err)
	}
	found, _, err := past.Dangers(t.Context())
	if err != nil || len(found) != 1 || found[0].Path != ".envrc" {
		t.Errorf("%v %v", found, err)
	}
}

func TestWhatIsThereAndRunsLater(t *testing.T) {
	dir := workspace(t, map[string]string{
		"a": "x", ".envrc": "", ".vscode/a/b": "", "sub/.git/HEAD": "", ".git/HEAD": "", "linked/.git": "gitdir: x",
	})
	past, err := Remember(t.Context(), Options{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range past.Lasting() {
		got = append(got, string(p.Path))
	}
	if want := []string{".envrc", ".git", ".vscode", "linked/.git", "sub/.git"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
