//go:build !portable

package beneath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// layout makes a directory with a link of each kind.
func layout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "in", "a", "b"), 0o755))
	must(t, os.Mkdir(filepath.Join(dir, "out"), 0o755))
	for _, name := range []string{"in/a/b/f", "in/f", "out/f"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	for name, to := range map[string]string{"in/out": "../out", "in/a/self": "b", "in/a/b/link": "f", "in/abs": "/"} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	return filepath.Join(dir, "in")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Both ways of opening give the same answers; the second is that of kernels without openat2.
func TestNothingBeneathIsReachedThroughALink(t *testing.T) {
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	ways := map[string]func(int, string, int, uint32) (int, error){"openat2": openPath, "descend": descend, "Open": Open}
	for _, c := range []struct {
		path  string
		flags int
		want  error
	}{
		{"f", 0, nil},
		{"a/b/f", 0, nil},
		{"a/b", unix.O_DIRECTORY, nil},
		{"a/b/nothing", 0, unix.ENOENT},
		{"a/nothing/f", 0, unix.ENOENT},
		{"f/f", 0, unix.ENOTDIR},
		{"a/b/f", unix.O_DIRECTORY, unix.ENOTDIR},
		{"out/f", 0, unix.ELOOP},
		{"abs/etc/passwd", 0, unix.ELOOP},
		{"a/self/f", 0, unix.ELOOP},
		{"a/b/link", 0, unix.ELOOP},
		{"a/../../out/f", 0, unix.EXDEV},
		{"../out/f", 0, unix.EXDEV},
	} {
		for name, open := range ways {
			if name == "openat2" && !hasOpenat2() {
				continue // this kernel has the other way only
			}
			fd, err := open(root.fd, c.path, c.flags|unix.O_RDONLY|unix.O_NOFOLLOW, 0)
			if err == nil {
				unix.Close(fd)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s %s: %v, want %v", name, c.path, err, c.want)
			}
		}
	}
}

func TestASlashBehindALinkDoesNotFollowIt(t *testing.T) {
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	for _, path := range []string{"out/", "abs/", "a/self/"} {
		fd, err := Open(root.fd, path, unix.O_DIRECTORY, 0)
		if err == nil {
			unix.Close(fd)
			t.Errorf("%s was opened", path)
		}
		if _, err := root.Dir(path); !errors.Is(err, ErrLink) {
			t.Errorf("Dir(%s): %v, want %v", path, err, ErrLink)
		}
	}
}

func TestADirMakesReadsAndRemovesBelowItself(t *testing.T) {
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	must(t, root.MkdirAll("x/y/z", 0o755))
	sub, err := root.Dir("x/y")
	must(t, err)
	defer sub.Close()
	f, err := sub.OpenFile("new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	must(t, err)
	must(t, f.Close())
	must(t, sub.Rename("new", "other"))
	fi, err := root.Lstat("x/y/other")
	must(t, err)
	if fi.Mode() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	must(t, sub.Remove("other"))
	if _, err := root.Lstat("x/y/other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	to, err := root.Readlink("a/self")
	must(t, err)
	if to != "b" {
		t.Errorf("Readlink: %q", to)
	}
	for _, path := range []string{"out/made", "a/self/made"} {
		if err := root.MkdirAll(path, 0o755); !errors.Is(err, ErrLink) {
			t.Errorf("MkdirAll(%s): %v, want %v", path, err, ErrLink)
		}
	}
}

// What is refused says where it stood, and that it was refused.
func TestWhatCannotBeDoneIsAnErrorThatNamesThePath(t *testing.T) {
	if _, err := OpenDir(filepath.Join(layout(t), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenDir of nothing: %v", err)
	}
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	for name, c := range map[string]struct {
		do   func(string) error
		path string
		want error
	}{
		"Dir of nothing":          {func(p string) error { _, err := root.Dir(p); return err }, "a/nothing", fs.ErrNotExist},
		"Dir of a file":           {func(p string) error { _, err := root.Dir(p); return err }, "f", unix.ENOTDIR},
		"OpenFile of nothing":     {func(p string) error { _, err := root.OpenFile(p, 0, 0); return err }, "nothing", fs.ErrNotExist},
		"OpenFile through a link": {func(p string) error { _, err := root.OpenFile(p, 0, 0); return err }, "out/f", ErrLink},
		"Lstat of nothing":        {func(p string) error { _, err := root.Lstat(p); return err }, "a/b/nothing", fs.ErrNotExist},
		"Readlink of a file":      {func(p string) error { _, err := root.Readlink(p); return err }, "f", unix.ENOENT},
		"Readlink of nothing":     {func(p string) error { _, err := root.Readlink(p); return err }, "nothing", fs.ErrNotExist},
		"MkdirAll below a file":   {func(p string) error { return root.MkdirAll(p, 0o755) }, "f/made", unix.ENOTDIR},
		"Remove of nothing":       {func(p string) error { return root.Remove(p) }, "nothing", fs.ErrNotExist},
		"Rename of nothing":       {func(p string) error { return root.Rename("nothing", p) }, "other", fs.ErrNotExist},
	} {
		err := c.do(c.path)
		var at *fs.PathError
		if !errors.Is(err, c.want) || !errors.As(err, &at) || at.Path != c.path || at.Op == "" {
			t.Errorf("%s: %v, want %v at %s", name, err, c.want, c.path)
		}
		if errors.Is(err, ErrLink) != (c.want == ErrLink) {
			t.Errorf("%s: %v: no link stands there", name, err)
		}
	}
	var st unix.Stat_t
	if err := Stat(root.fd, "a/nothing", &st); err != unix.ENOENT {
		t.Errorf("Stat of nothing: %v", err)
	}
	if err := Stat(root.fd, "a/b/f", &st); err != nil || st.Size != int64(len("in/a/b/f")) {
		t.Errorf("Stat of a file: %d bytes, %v", st.Size, err)
	}
}

// The rights that a new file is to have are for new files alone, one name deep or several.
func TestOpenMakesAFileWithTheRightsThatAreAskedFor(t *testing.T) {
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	for _, path := range []string{"new", "a/b/new"} {
		f, err := root.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		must(t, f.Close())
		f, err = root.OpenFile(path, os.O_RDONLY, 0o777)
		must(t, err)
		fi, err := f.Stat()
		must(t, err)
		must(t, f.Close())
		if fi.Mode() != 0o600 || f.Name() != filepath.Join(root.name, path) {
			t.Errorf("%s: %s has %v", path, f.Name(), fi.Mode())
		}
	}
}

// Stat is as careful as Open: what it tells of lies beneath, and a link is told of itself.
func TestStatFollowsNoLink(t *testing.T) {
	root, err := OpenDir(layout(t))
	must(t, err)
	defer root.Close()
	for path, want := range map[string]error{
		"f":        nil,
		"a/b/f":    nil,
		"out":      nil,
		"a/self":   nil,
		"out/f":    unix.ELOOP,
		"a/self/f": unix.ELOOP,
		"..":       unix.EXDEV,
		"../out":   unix.EXDEV,
	} {
		var st unix.Stat_t
		if err := Stat(root.fd, path, &st); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		link := path == "out" || path == "a/self"
		if want == nil && link != (st.Mode&unix.S_IFMT == unix.S_IFLNK) {
			t.Errorf("%s: mode %o, a link: %v", path, st.Mode, link)
		}
	}
}
