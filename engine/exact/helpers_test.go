package exact

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/engine/code"
	"helve/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	if os.Getenv(rustDouble) != "" {
		double(os.Stdin, os.Stdout) // until nobody asks any more
		return
	}
	os.Exit(m.Run())
}

// folder is a workspace on disk for an index.
type folder string

func (f folder) Files(context.Context) (code.Listing, error) {
	var l code.Listing
	err := filepath.WalkDir(string(f), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(string(f), path)
		l.Files = append(l.Files, code.Entry{Path: filepath.ToSlash(rel), Size: info.Size(), ModTime: info.ModTime().UnixNano()})
		return nil
	})
	slices.SortFunc(l.Files, func(a, b code.Entry) int { return strings.Compare(a.Path, b.Path) })
	return l, err
}

func (f folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), filepath.FromSlash(path)))
}

func write(t *testing.T, dir, path, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workspace is a folder with files, and an index of it that asks a checker with these options.
func workspace(t *testing.T, o Options, files map[string]string) (string, *Checker, *code.Index) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		write(t, dir, path, text)
	}
	o.Dir = dir
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	c := New(o)
	t.Cleanup(func() { c.Close() })
	x := code.New(folder(dir), code.Options{Checker: c})
	t.Cleanup(func() { x.Close() })
	return dir, c, x
}

// users are those of a definition, with how sure that is.
func users(t *testing.T, x *code.Index, name string) string {
	t.Helper()
	s, err := x.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Dependents(t.Context(), name, code.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, u := range e.Edges {
		list = append(list, u.ID+" "+u.Sure.String())
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// patience is how long a test waits for a server that reads its project for the first time, on a machine that does much
// else.
const patience = 2 * time.Minute

// eventually asks until a server is warm.
func eventually(t *testing.T, x *code.Index, name, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if got = users(t, x, name); got == want {
			return
		}
	}
	t.Errorf("users of %s: %s, want %s", name, got, want)
}
