package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhatNotEverybodyMayReadIsFound in every depth and whatever it is, as far as the bounds go.
func TestWhatNotEverybodyMayReadIsFound(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, mode := range map[string]os.FileMode{"open": 0o755, "open/deep": 0o755, "closed": 0o750, "listed": 0o754, "entered": 0o751} {
		if err := os.MkdirAll(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(at(name), 0o755)
		if err := os.WriteFile(at(name+"/secret"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"public": 0o644, "group": 0o640, "open/run": 0o711, "open/read": 0o604} {
		if err := os.WriteFile(at(name), nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("secret", at("open/link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}

	c := closedPaths{left: 100, buf: make([]byte, 512)}
	c.in(unix.AT_FDCWD, dir, dir)
	slices.Sort(c.found)
	var want []string
	for _, name := range []string{"closed", "entered", "group", "listed", "open/deep/secret", "open/run", "open/secret", "pipe"} {
		want = append(want, at(name))
	}
	if !slices.Equal(c.found, want) {
		t.Errorf("found %q\nwant  %q", c.found, want)
	}
}

// TestTheLookForClosedFilesIsBounded: in what it looks at, and in what it finds.
func TestTheLookForClosedFilesIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range maxPrivate + 50 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []closedPaths{{left: 10_000}, {left: 1}, {}} {
		c.buf = make([]byte, 512) // of which each call fills some ten names
		bound := min(maxPrivate+1, c.left+50)
		c.in(unix.AT_FDCWD, dir, dir)
		if len(c.found) > bound {
			t.Errorf("found %d, want at most %d", len(c.found), bound)
		}
	}
}
