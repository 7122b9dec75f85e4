package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/agent/memory"
)

// tree writes files, by their paths below a new folder; a name with a slash at its end is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, o memory.Options) memory.Memory {
	t.Helper()
	m, err := memory.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shown are the files with their texts, in order.
func shown(m memory.Memory) []string {
	var out []string
	for _, f := range m.Files {
		out = append(out, f.Path+": "+strings.TrimSpace(f.Text))
	}
	return out
}

func TestTheNearestFileComesLast(t *testing.T) {
	top := tree(t, map[string]string{
		".git/HEAD":                        "ref: refs/heads/main\n",
		"AGENTS.md":                        "top",
		"app/CLAUDE.md":                    "between",
		"app/web/AGENTS.md":                "here",
		"app/web/CLAUDE.md":                "not read",
		"app/web/a/b/AGENTS.md":            "deep",
		"app/web/c/GEMINI.md":              "gemini",
		"app/web/c/CLAUDE.md":              "claude",
		"app/web/node_modules/x/AGENTS.md": "of others",
		"app/web/out/AGENTS.md":            "ignored",
		"app/web/.gitignore":               "out/\n",
		"beside/AGENTS.md":                 "beside",
	})
	own := tree(t, map[string]string{"AGENTS.md": "own"})
	m := read(t, memory.Options{Dir: filepath.Join(top, "app", "web"), Own: own})
	want := []string{
		filepath.Join(own, "AGENTS.md") + ": own", "../../AGENTS.md: top", "../CLAUDE.md: between", "AGENTS.md: here",
		"c/CLAUDE.md: claude", "c/GEMINI.md: gemini", "a/b/AGENTS.md: deep",
	}
	if d := cmp.Diff(want, shown(m)); d != "" || len(m.Left) > 0 {
		t.Errorf("left %q, -want +got:\n%s", m.Left, d)
	}
	var at []int
	for _, word := range []string{"own", "top", "between", "here", "deep"} {
		at = append(at, strings.Index(m.Text(), "\n"+word))
	}
	if !slices.IsSorted(at) || at[0] < 0 {
		t.Errorf("the order is %v in\n%s", at, m.Text())
	}
}

func TestImportsAreReadOnce(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md": "See @docs/style.md, and (@docs/test.md).\n@AGENTS.md @docs/none.md\n" +
			"Mail a@b.c, ask @someone or use @types/node.\n`@docs/code.md`\n```\n@docs/code.md\n```\n@.env\n",
		"docs/style.md": "style, with @test.md and @../AGENTS.md",
		"docs/test.md":  "test",
		"docs/code.md":  "code",
		".env":          "KEY=1",
	})
	m := read(t, memory.Options{Dir: dir})
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Path)
	}
	if d := cmp.Diff([]string{"AGENTS.md", "docs/style.md", "docs/test.md"}, names); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	left := []string{"AGENTS.md imports @docs/none.md, which is not there", ".env may hold secrets, and is not imported"}
	if d := cmp.Diff(left, m.Left); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// Whatever lies in a workspace, reading it ends, and is told.
func TestWhatIsNoTextForAModelIsLeftOut(t *testing.T) {
	outside := tree(t, map[string]string{"secret.md": "outside"})
	chain := map[string]string{}
	for i := range 9 {
		chain[fmt.Sprintf("c%d.md", i)] = fmt.Sprintf("link %d @c%d.md", i, i+1)
	}
	chain["AGENTS.md"] = "@c0.md"
	for _, c := range []struct {
		name  string
		files map[string]string
		link  string // AGENTS.md is one, to this
		texts int
		left  string
	}{
		{name: "ten megabytes", files: map[string]string{"AGENTS.md": strings.Repeat("a line\n", 10<<20/7)},
			texts: 1, left: "AGENTS.md is cut: there is room for 65534 of its 10485755 bytes"},
		{name: "one line of a megabyte", files: map[string]string{"AGENTS.md": strings.Repeat("é", 1<<19)},
			texts: 1, left: "AGENTS.md is cut"},
		{name: "binary", files: map[string]string{"AGENTS.md": "ELF\x00\x01"}, left: "AGENTS.md is no text in UTF-8"},
		{name: "other bytes", files: map[string]string{"AGENTS.md": "caf\xe9"}, left: "AGENTS.md is no text in UTF-8"},
		{name: "a folder", files: map[string]string{"AGENTS.md/": ""}, left: "AGENTS.md cannot be read: open: AGENTS.md: is a directory"},
		{name: "a link outside", link: filepath.Join(outside, "secret.md"), left: "AGENTS.md leads out of the workspace"},
		{name: "an import outside", files: map[string]string{"AGENTS.md": "@../" + filepath.Base(outside) + "/secret.md @/etc/passwd"},
			texts: 1, left: "leads out of the workspace"},
		{name: "a link to itself", link: "AGENTS.md", left: "AGENTS.md cannot be read: "},
		{name: "a link to nothing", link: "nowhere.md"},
		{name: "a link inside", files: map[string]string{"docs/a.md": "inside"}, link: "docs/a.md", texts: 1},
		{name: "a circle", files: map[string]string{"AGENTS.md": "@a.md", "a.md": "@b.md", "b.md": "@a.md @AGENTS.md"}, texts: 3},
		{name: "a chain", files: chain, texts: 6, left: "c4.md imports @c5.md, which is left out: texts import others 5 deep at most"},
		{name: "nothing in it", files: map[string]string{"AGENTS.md": " \n"}},
		{name: "a mark before it", files: map[string]string{"AGENTS.md": "\ufefftext\r\n"}, texts: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, c.files)
			if c.link != "" {
				if runtime.GOOS == "windows" {
					t.Skip("links need a right of their own on Windows")
				}
				if err := os.Symlink(c.link, filepath.Join(dir, "AGENTS.md")); err != nil {
					t.Fatal(err)
				}
			}
			m := read(t, memory.Options{Dir: dir})
			left := strings.Join(m.Left, "\n")
			if len(m.Files) != c.texts || !strings.Contains(left, c.left) || c.left == "" && left != "" {
				t.Errorf("got %d texts, left %q", len(m.Files), left)
			}
			all := m.Text()
			if strings.Contains(all, "outside") || len(all) > memory.DefaultBytes+1000 || strings.Contains(all, "\ufeff") {
				t.Errorf("%d bytes: %.300q", len(all), all)
			}
		})
	}
}

// What no person sees, no model reads as words.
func TestHiddenCharactersAreWrittenOut(t *testing.T) {
	m := read(t, memory.Options{Dir: tree(t, map[string]string{"AGENTS.md": "be kind\U000e0041\u202e"})})
	if text := m.Text(); !strings.Contains(text, `be kind\U000e0041\u202e`) {
		t.Errorf("%q", text)
	}
}

// The nearest file has the room that there is.
func TestAllTextsTogetherHaveABound(t *testing.T) {
	own := tree(t, map[string]string{"AGENTS.md": strings.Repeat("own\n", 1000)})
	dir := tree(t, map[string]string{"AGENTS.md": strings.Repeat("here\n", 20), "a/AGENTS.md": "nested"})
	m := read(t, memory.Options{Dir: dir, Own: own, MaxBytes: 1000})
	size := 0
	for _, f := range m.Files {
		size += len(f.Text)
	}
	left := "a/AGENTS.md is left out: there is no room for its 6 bytes"
	if size > 1000 || len(m.Files) != 2 || len(m.Files[1].Text) != 100 || !slices.Contains(m.Left, left) {
		t.Errorf("%d bytes, left %q: %q", size, m.Left, shown(m))
	}
	many := map[string]string{}
	for i := range 300 {
		many[fmt.Sprintf("d%03d/AGENTS.md", i)] = "x"
	}
	m = read(t, memory.Options{Dir: tree(t, many)})
	if len(m.Files) != 100 || len(m.Left) != 200 {
		t.Errorf("%d files, %d left out", len(m.Files), len(m.Left))
	}
}

func TestWhatChangedCountsAsItWasUntilItIsTrusted(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "one\n", "a/AGENTS.md": "a\n", "b/AGENTS.md": "b\n"})
	own := tree(t, map[string]string{"AGENTS.md": "own"})
	o := memory.Options{Dir: dir, Own: own}
	store := memory.Store{Dir: filepath.Join(t.TempDir(), "memory")}
	trusted := func() []memory.File {
		t.Helper()
		files, err := store.Trusted(dir)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}

	used, same := read(t, o).Using(trusted())
	if same || len(used.Files) != 1 || !used.Files[0].Own {
		t.Errorf("nothing is trusted, and these count: %q (%v)", shown(used), same)
	}
	if err := store.Trust(dir, read(t, o), time.Now()); err != nil {
		t.Fatal(err)
	}
	if used, same = read(t, o).Using(trusted()); !same || len(used.Files) != 4 {
		t.Errorf("all are trusted, and these count: %q (%v)", shown(used), same)
	}

	for name, text := range map[string]string{"AGENTS.md": "two\n", "c/AGENTS.md": "c\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "b", "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	now := read(t, o)
	used, same = now.Using(trusted())
	want := []string{filepath.Join(own, "AGENTS.md") + ": own", "AGENTS.md: one", "a/AGENTS.md: a"}
	if d := cmp.Diff(want, shown(used)); d != "" || same {
		t.Errorf("same: %v, -want +got:\n%s", same, d)
	}
	diff := now.Difference(trusted())
	for _, line := range []string{"--- AGENTS.md", "-one\n", "+two\n", "+++ c/AGENTS.md", "+c\n"} {
		if !strings.Contains(diff, line) {
			t.Errorf("the difference lacks %q:\n%s", line, diff)
		}
	}
	if had, err := store.Revoke(dir); !had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
	if had, err := store.Revoke(dir); had || err != nil || len(trusted()) > 0 {
		t.Errorf("%v, %v", had, err)
	}
}

// A store that cannot be read trusts nothing, and says so.
func TestADamagedStoreTrustsNothing(t *testing.T) {
	dir, store := tree(t, map[string]string{"AGENTS.md": "x"}), memory.Store{Dir: t.TempDir()}
	if err := store.Trust(dir, read(t, memory.Options{Dir: dir}), time.Now()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(store.Dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"workspace":"/elsewhere","files":[{"path":"AGENTS.md","text":"x"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Trusted(dir); err == nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}
