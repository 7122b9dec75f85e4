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
