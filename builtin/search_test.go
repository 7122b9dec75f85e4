package builtin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/tool"
)

// R4.10, R2.8: lines as path:line:text, newest file first, capped in words.
func TestGrepFindsLinesNewestFirst(t *testing.T) {
	h := open(t, builtin.Options{})
	for i, f := range []string{"old.go", "sub/new.go", "note.txt"} {
		h.put(f, "one\nfunc Two() {}\nfunc Three() {}\n")
		when := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(h.dir, f), when, when); err != nil {
			t.Fatal(err)
		}
	}
	h.put("node_modules/x.go", "func Two() {}\n")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": `func T`, "include": "*.go"}, "sub/new.go:2:func Two() {}\nsub/new.go:3:func Three() {}\nold.go:2:func Two() {}\nold.go:3:func Three() {}"},
		{args{"pattern": `func T`, "mode": "files"}, "note.txt\nsub/new.go\nold.go"},
		{args{"pattern": `func T`, "mode": "count", "path": "sub"}, "sub/new.go:2"},
		{args{"pattern": `two`, "-i": true, "path": "old.go"}, "old.go:2:func Two() {}\n[repaired: ignore_case: given as \"-i\"]"},
		{args{"pattern": `Two`, "path": "old.go", "-C": 1}, "old.go-1-one\nold.go:2:func Two() {}\nold.go-3-func Three() {}\n[repaired: context: given as \"-C\"]"},
		{args{"pattern": `two`}, "No matches found for pattern: two"},
		{args{"pattern": `$(touch pwned)"; touch pwned; "`}, "No matches found for pattern: $(touch pwned)\"; touch pwned; \""},
		{args{"pattern": `func`, "head_limit": 1, "type": "go"}, "sub/new.go:2:func Two() {}\n[≥ 1 matches; stopped at the cap: narrow with include, type or path, or go on with offset=1]"},
	} {
		if got := h.call("grep", c.args).Text(); got != c.want {
			t.Errorf("%v:\n got %q\nwant %q", c.args, got, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "pwned")); err == nil {
		t.Error("the pattern was run by a shell")
	}
}

// R4.9, R2.9.
func TestGlobFindsFilesNewestFirst(t *testing.T) {
	h := open(t, builtin.Options{})
	for i, f := range []string{"a.go", "x/b.go", "x/y/c.go", "node_modules/d.go", ".git/e.go"} {
		h.put(f, "")
		when := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(h.dir, f), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "*.go"}, "x/y/c.go\nx/b.go\na.go"},
		{args{"pattern": "x/*.go"}, "x/b.go"},
		{args{"pattern": "**/y/*.go"}, "x/y/c.go"},
		{args{"pattern": "*.go", "path": "x"}, "x/y/c.go\nx/b.go"},
		{args{"pattern": h.dir + "/x/*.go"}, "x/b.go"},
		{args{"pattern": "*.{rs,py}"}, "No files found matching pattern: *.{rs,py}"},
	} {
		res := h.call("glob", c.args)
		if res.Text() != c.want || res.Err != nil {
			t.Errorf("%v:\n got %q %v\nwant %q", c.args, res.Text(), res.Err, c.want)
		}
	}
	var meta struct {
		Pattern, Cwd string
		Count        int
	}
	if err := json.Unmarshal(h.call("glob", args{"pattern": "*.go"}).Meta, &meta); err != nil || meta.Count != 3 || meta.Cwd != h.dir || meta.Pattern != "*.go" {
		t.Errorf("%+v, %v", meta, err)
	}
}

func TestSearchStaysInTheWorkspace(t *testing.T) {
	h := open(t, builtin.Options{})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(h.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]args{"grep": {"pattern": "s3cret"}, "glob": {"pattern": "secret*"}} {
		if got := h.call(name, a).Text(); strings.Contains(got, "s3cret\n") || strings.Contains(got, "secret.txt") {
			t.Errorf("%s followed a link out: %q", name, got)
		}
		for _, p := range []string{outside, "link", "..", "/"} {
			b := args{"path": p}
			for k, v := range a {
				b[k] = v
			}
			res := h.call(name, b)
			if res.Err == nil || res.Err.Code != tool.Permission {
				t.Errorf("%s in %s: %q, %v", name, p, res.Text(), res.Err)
			}
		}
	}
	for _, p := range []string{"../*", outside + "/*", "x/../../*"} {
		if res := h.call("glob", args{"pattern": p}); res.Err == nil || res.Err.Code != tool.Permission {
			t.Errorf("glob %s: %q, %v", p, res.Text(), res.Err)
		}
	}
}

func TestABadPatternIsExplained(t *testing.T) {
	h := open(t, builtin.Options{})
	for _, p := range []string{"(", "a(?!b)", `(x)\1`, "[z-a]"} {
		if res := h.call("grep", args{"pattern": p}); res.Err == nil || res.Err.Code != tool.Validation || !strings.Contains(res.Text(), "at byte") {
			t.Errorf("%s: %q, %v", p, res.Text(), res.Err)
		}
	}
}

// Why nothing was found is said: an ignore rule that hides everything is no "no matches".
func TestWhatHidesEverythingIsNamed(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put(".git/HEAD", "ref: refs/heads/main\n")
	h.put(".gitignore", "/*\n")
	h.put("a.txt", "here\n")
	if got := h.call("grep", args{"pattern": "here"}).Text(); !strings.Contains(got, "hidden by .gitignore:1") {
		t.Errorf("%q", got)
	}
	if got := h.call("glob", args{"pattern": "*.txt"}).Text(); !strings.Contains(got, "hidden by .gitignore:1") {
		t.Errorf("%q", got)
	}
}

// Nothing found in what is visible: the rules that hid other files are named, for what is looked for may be there.
func TestRulesThatHidFilesAreNamedWhenNothingIsFound(t *testing.T) {
	h := open(t, builtin.Options{})
	h.put(".git/HEAD", "ref: refs/heads/main\n")
	h.put(".gitignore", "# made\nbuild/\n")
	h.put("build/a.txt", "here\n")
	h.put("build/b.txt", "there\n")
	h.put("src/c.txt", "elsewhere entirely\n")
	want := "No matches found for pattern: ^here\n[not searched: 2 hidden by .gitignore:2 (build/)]"
	got := ""
	for end := time.Now().Add(time.Minute); got != want && time.Now().Before(end); { // what is hidden is glanced at: a busy machine may see less
		got = h.call("grep", args{"pattern": "^here"}).Text()
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := h.call("grep", args{"pattern": "elsewhere"}).Text(); got != "src/c.txt:1:elsewhere entirely" {
		t.Errorf("%q", got)
	}
	if got := h.call("ls", args{}).Text(); !strings.Contains(got, "2 files hidden by .gitignore:2 (build/)") {
		t.Errorf("%q", got)
	}
}
