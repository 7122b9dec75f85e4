package code

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"helve/engine/code/internal/syntax"
)

// generated is a tree with files whose size is that of generated code, which is never asked for their text.
type generated struct {
	*memory
	large map[string]int64
}

func (g generated) Files(ctx context.Context) (Listing, error) {
	l, err := g.memory.Files(ctx)
	for i := range l.Files {
		if size := g.large[l.Files[i].Path]; size > 0 {
			l.Files[i].Size = size
		}
	}
	return l, err
}

// TestFilesThatAreTooLargeAreNamed: by language, and however the index came to know of them.
func TestFilesThatAreTooLargeAreNamed(t *testing.T) {
	g := generated{
		tree(map[string]string{
			"use.ts": "import { hot } from './gen/a'\nexport function use() { hot() }\n", "gen/a.ts": "", "gen/b.js": "", "gen/c.py": "", "gen/d.json": "",
			"min.js": strings.Repeat("a();", 50_000), "bin.js": "\x00",
		}),
		map[string]int64{"gen/a.ts": 50 << 20, "gen/b.js": syntax.MaxFileSize + 1, "gen/c.py": 50 << 20, "gen/d.json": 50 << 20, "use.ts": 1000},
	}
	cache := t.TempDir()
	o := Options{Cache: cache, Key: "/work"}
	x := New(g, o)
	check := func(s *Snapshot, path string, files int, first string) {
		t.Helper()
		if u := s.tree.Unread(path); u.Files != files || u.First != first || files > 0 && u.Why != syntax.TooLarge {
			t.Errorf("not read beside %q: %+v, want %d files, %s first", path, u, files, first)
		}
	}
	for _, s := range []*Snapshot{snapshot(t, x), snapshot(t, New(g, o))} { // the second is read from the cache
		check(s, "use.ts", 2, "gen/a.ts")
		check(s, "x.py", 1, "gen/c.py")
		check(s, "x.go", 0, "")
		check(s, "", 3, "gen/a.ts")
	}
	g.write("gen/0.py", "")
	g.large["gen/0.py"] = 40 << 20
	g.remove("gen/a.ts")
	s := snapshot(t, x)
	check(s, "use.ts", 1, "gen/b.js")
	check(s, "x.py", 2, "gen/0.py")
	_, err := s.Dependents(t.Context(), "hot", Page{})
	if err == nil || !strings.HasSuffix(err.Error(), "(not read: gen/0.py, larger than 32 MB, and 2 more)") {
		t.Errorf("a name that only such a file may define: %v", err)
	}
}

// TestAFileThatCannotBeOpenedIsNamed: nobody knows what it uses.
func TestAFileThatCannotBeOpenedIsNamed(t *testing.T) {
	m := tree(map[string]string{"a.go": "package a\n\nfunc F() {}\n", "b.go": "package a\n"})
	s := snapshot(t, New(closed{m, "b.go"}, Options{}))
	if u := s.tree.Unread("a.go"); u.Files != 1 || u.First != "b.go" || !strings.Contains(u.Why, "locked") {
		t.Errorf("got %+v", u)
	}
}

// closed is a tree of which one file cannot be opened.
type closed struct {
	Source
	path string
}

func (c closed) Open(path string) (io.ReadCloser, error) {
	if path == c.path {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("locked")}
	}
	return c.Source.Open(path)
}
