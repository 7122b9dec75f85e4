//go:build !linux || portable

package beneath

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Dir is a directory held open: it stays the same one when its name is given to another. It is safe for concurrent
// use until Close.
type Dir struct{ root *os.Root }

// OpenDir opens a directory by its path on this host. Links in it are followed: whoever names it means what it is.
func OpenDir(name string) (*Dir, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory. What was opened through it stays open.
func (d *Dir) Close() error { return d.root.Close() }

// Dir opens a directory below d, name by name, and makes sure at each that it is the directory which stood there, not a
// link put in its place: os.Root alone would follow one to another place below d.
func (d *Dir) Dir(rel string) (*Dir, error) {
	at, err := d.root.OpenRoot(".")
	if err != nil || rel == "." || rel == "" {
		return &Dir{at}, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(rel, "/"), "/") {
		next, err := enter(at, name)
		at.Close()
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: rel, Err: err}
		}
		at = next
	}
	return &Dir{at}, nil
}

func enter(at *os.Root, name string) (*os.Root, error) {
	want, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode()&fs.ModeSymlink != 0:
		return nil, ErrLink
	case !want.IsDir():
		return nil, syscall.ENOTDIR
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := next.Stat(".")
	if err != nil || !os.SameFile(want, got) {
		next.Close()
		return nil, ErrLink
	}
	return next, nil
}

// OpenFile opens a file below d, as os.OpenFile does. A link that leads to another place below d is followed.
func (d *Dir) OpenFile(rel string, flag int, perm fs.FileMode) (*os.File, error) {
	return d.root.OpenFile(filepath.FromSlash(rel), flag, perm)
}

// Lstat tells what lies at a path below d. A link is a link.
func (d *Dir) Lstat(rel string) (fs.FileInfo, error) { return d.root.Lstat(filepath.FromSlash(rel)) }

// Readlink reads where the link at a path below d leads.
func (d *Dir) Readlink(rel string) (string, error) { return d.root.Readlink(filepath.FromSlash(rel)) }

// MkdirAll makes the directory at a path below d and those on the way to it.
func (d *Dir) MkdirAll(rel string, perm fs.FileMode) error {
	return d.root.MkdirAll(filepath.FromSlash(rel), perm)
}

// Rename gives an entry of d another name in d; what has that name is replaced.
func (d *Dir) Rename(from, to string) error { return d.root.Rename(from, to) }

// Remove removes a file that is an entry of d.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }
