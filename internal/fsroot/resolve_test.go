package fsroot_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/internal/fsroot"
)

// workspace is a directory "ws" with what the attacks of the corpus need, beside secrets that must stay unread.
func workspace(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	for _, d := range []string{"ws/a/b", "ws-evil"} {
		must(t, os.MkdirAll(filepath.Join(base, d), 0o755))
	}
	for name, text := range map[string]string{"ws/f": "ok", "ws/a/b/deep": "ok", "ws-evil/s": "SECRET", "secret": "SECRET"} {
		must(t, os.WriteFile(filepath.Join(base, name), []byte(text), 0o644))
	}
	if makesLinks(t) {
		for name, to := range linksOf(ws) {
			must(t, os.Symlink(to, filepath.Join(ws, name)))
		}
	}
	return ws
}

// linksOf are the links of the workspace ws, by name.
func linksOf(ws string) map[string]string {
	base := filepath.Dir(ws)
	return map[string]string{
		"rel_out":      "../secret",
		"abs_out":      base + "/secret",
		"dir_out":      base + "/ws-evil",
		"abs_in":       ws + "/f",
		"dirlink":      "a/b",
		"up":           "..",
		"loop":         "loop",
		"dangling":     "nofile_yet",
		"dangling_out": "../created_outside",
		"magic":        "/proc/self/root",
		"abs_dir":      ws + "/a",
	}
}

// makesLinks tells whether this system makes symbolic links for whoever runs the tests. Windows asks for a privilege,
// and Wine 8 says that it made one and makes none.
func makesLinks(t *testing.T) bool {
	t.Helper()
	name := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("to", name); err != nil {
		return false
	}
	_, err := os.Lstat(name)
	return err == nil
}

func needLinks(t *testing.T) {
	t.Helper()
	if !makesLinks(t) {
		t.Skip("this system makes no symbolic links")
	}
}

// unlinked tells whether a path leads through a link that this system could not make.
func unlinked(t *testing.T, ws, path string) bool {
	t.Helper()
	for name := range linksOf(ws) {
		if strings.Contains(path, name) && !makesLinks(t) {
			return true
		}
	}
	return false
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, o fsroot.Options, dirs ...string) *fsroot.Set {
	t.Helper()
	s, err := fsroot.Open(o, dirs...)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestResolveFindsThePlaceBehindEveryLink(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	for _, c := range []struct{ dir, in, want string }{
		{"", "f", "f"},
		{"", "./a/../f", "f"},
		{"", "a//b/./deep", "a/b/deep"},
		{"", ws + "/f", "f"},
		{"", ws, "."},
		{"", "abs_in", "f"},
		{"", "dirlink/deep", "a/b/deep"},
		{"", "dirlink/..", "a"},
		{"", "abs_dir/b/deep", "a/b/deep"},
		{"", "up/ws/f", "f"},
		{"", "../ws/f", "f"},
		{"", "dangling", "nofile_yet"},
		{"", "no/such/../dir", "no/dir"},
		{"", "-rf", "-rf"},
		{"a", "b/deep", "a/b/deep"},
		{ws + "/a/b", "../../f", "f"},
		{ws + "/a", "b/deep", "a/b/deep"},
	} {
		if unlinked(t, ws, c.in) {
			continue
		}
		p, err := s.Resolve(c.dir, c.in)
		if err != nil || p.Target() != c.want {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q", c.dir, c.in, p.Target(), err, c.want)
		}
	}
}

func TestResolveRefusesWhatLeadsOut(t *testing.T) {
	ws := workspace(t)
	s := open(t, fsroot.Options{}, ws)
	for id, c := range map[string]struct {
		in   string
		want error
	}{
		"path-001": {"../secret", fsroot.ErrOutside},
		"path-002": {"a/../../secret", fsroot.ErrOutside},
		"path-006": {ws + "//..//secret", fsroot.ErrOutside},
		"path-007": {"rel_out", fsroot.ErrOutside},
		"path-008": {"abs_out", fsroot.ErrOutside},
		"path-009": {"dir_out/s", fsroot.ErrOutside},
		"path-011": {"loop", fsroot.ErrLoop},
		"path-013": {"/proc/self/root/etc/shadow", fsroot.ErrOutside},
		"magic":    {"magic/etc/shadow", fsroot.ErrOutside},
		"path-014": {"/proc/self/cwd/../secret", fsroot.ErrOutside},
		"path-017": {"/dev/fd/0", fsroot.ErrOutside},
		"path-018": {"/dev/stdin", fsroot.ErrOutside},
		"path-020": {"f\x00.txt", fsroot.ErrBadPath},
		"path-021": {"", fsroot.ErrBadPath},
		"path-023": {strings.Repeat("x/x/x/x/", 750), fsroot.ErrBadPath},
		"deep":     {strings.Repeat("x/", 2000), nil}, // bounded by what exists
		"path-024": {"~root/.bashrc", fsroot.ErrOutside},
		"path-037": {"cafe\u0301/../../secret", fsroot.ErrOutside},
		"path-038": {"dangling_out", fsroot.ErrOutside},
		"path-043": {"..", fsroot.ErrOutside},
		"path-059": {"/home/u/.ssh", fsroot.ErrOutside},
		"prefix":   {ws + "-evil/s", fsroot.ErrOutside},
		"long":     {strings.Repeat("n", 256), fsroot.ErrBadPath},
		"file/":    {"f/x", fsroot.ErrNotDir},
	} {
		if unlinked(t, ws, c.in) {
			continue
		}
		p, err := s.Resolve("", c.in)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: Resolve(%.60q) = %.60q, %v; want %v", id, c.in, p.Target(), err, c.want)
		}
		if errors.Is(err, fsroot.ErrOutside) && c.in[0] != '~' {
			var e *fsroot.Error
			if !errors.As(err, &e) || !filepath.IsAbs(e.Path) {
				t.Errorf("%s: the refused place %q is not absolute", id, e.Path)
			}
		}
	}
}

// A path that leads through more folders than anybody works in is refused before it is followed to its end.
func TestAPathHasABoundedNumberOfNames(t *testing.T) {
	ws := workspace(t)
	deep := strings.Repeat("n/", 300)
	must(t, os.MkdirAll(filepath.Join(ws, deep), 0o755))
	s := open(t, fsroot.Options{}, ws)
	if _, err := s.Resolve("", deep); !errors.Is(err, fsroot.ErrBadPath) {
		t.Errorf("300 names: %v", err)
	}
	if _, err := s.Resolve("", deep[:2*200]); err != nil {
		t.Errorf("200 names: %v", err)
	}
}

func TestASecondRootHasPathsOfItsOwn(t *testing.T) {
	ws := workspace(t)
	lib, twin := filepath.Join(filepath.Dir(ws), "ws-evil"), filepath.Join(t.TempDir(), "ws-evil")
	must(t, os.Mkdir(twin, 0o755))
	s := open(t, fsroot.Options{}, ws, lib, twin)
	for in, want := range map[string]string{
		"dir_out/s":   "//ws-evil/s",
		lib + "/s":    "//ws-evil/s",
		"//ws-evil/s": "//ws-evil/s",
		"../ws-evil/": "//ws-evil/.",
		twin + "/x":   "//ws-evil-2/x",
		"f":           "f",
	} {
		if unlinked(t, ws, in) {
			continue
		}
		if p, err := s.Resolve("", in); err != nil || p.Target() != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", in, p.Target(), err, want)
		}
	}
	if _, err := s.Resolve("", "//other/s"); !errors.Is(err, fsroot.ErrOutside) {
		t.Errorf("an unknown root: %v", err)
	}
}

func TestARootGivenThroughALinkIsKnownByBothNames(t *testing.T) {
	needLinks(t)
	ws := workspace(t)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(ws, link))
	s := open(t, fsroot.Options{}, link)
	for _, in := range []string{link + "/f", ws + "/f", "f", "abs_in"} {
		if p, err := s.Resolve("", in); err != nil || p.Target() != "f" {
			t.Errorf("Resolve(%q) = %q, %v", in, p.Target(), err)
		}
	}
}

func TestFoldMakesVariantsOfAProtectedNameEqual(t *testing.T) {
	for _, name := range []string{".git/config", ".GIT/config", ".Git/Config", ".g\u200cit/config", ".git./config ", "\ufeff.git/config"} {
		if got := fsroot.Fold(name); got != ".git/config" {
			t.Errorf("Fold(%q) = %q", name, got)
		}
	}
	if fsroot.Fold("cafe\u0301") != fsroot.Fold("café") || fsroot.Fold("\u212Aey") != "key" || fsroot.Fold("../..") != "../.." {
		t.Error("Fold does not compose, fold the Kelvin sign, or leaves no dots")
	}
}

// FuzzResolve: a path that resolves is below its root and means the same again; its letters are clean.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"f", "../secret", "dirlink/../f", "up/ws/a", "abs_in", "//x/y", "a/\x00", "~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s := open(t, fsroot.Options{}, workspace(t))
		start := time.Now()
		p, err := s.Resolve("", in)
		if time.Since(start) > 30*time.Second {
			t.Fatalf("Resolve(%q) took %v", in, time.Since(start))
		}
		if err != nil {
			return
		}
		if !fs.ValidPath(p.Rel()) && !strings.ContainsRune(p.Rel(), '\\') && strings.ToValidUTF8(p.Rel(), "") == p.Rel() {
			t.Fatalf("Resolve(%q) = %q, not a clean path", in, p.Rel())
		}
		if q, err := s.Resolve("", "./"+p.Rel()); err != nil || q.Target() != p.Target() {
			t.Fatalf("Resolve(%q) = %q, but again: %q, %v", in, p.Target(), q.Target(), err)
		}
	})
}
