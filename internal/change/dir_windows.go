package change

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// A dir is a directory held open, so that it cannot be replaced meanwhile.
type dir struct {
	root *os.Root
	path string // absolute: renames between two roots want it
}

func openDir(path string) (*dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &dir{root, abs}, nil
}

// enter opens a directory in d, never through a link.
func (d *dir) enter(name string) (*dir, error) {
	want, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !want.IsDir() {
		return nil, &fs.PathError{Op: "enter", Path: name, Err: errors.New("is not a directory")}
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &dir{root, filepath.Join(d.path, name)}, nil
}

func (d *dir) close() { d.root.Close() }

// look tells what stands at a name. Nothing is the zero Entry, not an error. Windows gives no number and no time of
// the last change here, so that size and time of the content are what an entry is known by.
func (d *dir) look(name string) (Entry, error) {
	fi, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Entry{}, nil
	case err != nil:
		return Entry{}, err
	}
	e := Entry{Mode: fi.Mode().Perm(), Time: fi.ModTime().UnixNano()}
	switch {
	case fi.Mode().IsRegular():
		e.Type, e.Size = File, fi.Size()
	case fi.IsDir():
		e.Type = Dir
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := d.root.Readlink(name)
		if err != nil {
			return Entry{}, err
		}
		e.Type, e.Target = Link, Name(target)
	default:
		e.Type = Device
	}
	return e, nil
}

func (d *dir) create(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d *dir) open(name string) (*os.File, error) { return d.root.Open(name) }
func (d *dir) mkdir(name string) error            { return d.root.Mkdir(name, 0o700) }
func (d *dir) symlink(target, name string) error  { return d.root.Symlink(target, name) }
func (d *dir) remove(name string, _ bool) error   { return d.root.Remove(name) }
func (d *dir) replace(name, by string) error      { return d.root.Rename(name, by) }

func (d *dir) chmod(name string, mode fs.FileMode) error { return d.root.Chmod(name, mode.Perm()) }

func (d *dir) touch(name string, nanoseconds int64) error {
	at := time.Unix(0, nanoseconds)
	return d.root.Chtimes(name, at, at)
}

// chown does nothing: what is new inherits the access list of its directory.
func (d *dir) chown(string, Owner) error { return nil }

func (d *dir) listing() (*os.File, error) { return d.root.Open(".") }

// flush does nothing: Windows cannot flush a directory.
func (d *dir) flush() error { return nil }

func sameMount(a, b *dir) bool {
	return filepath.VolumeName(a.path) == filepath.VolumeName(b.path)
}

// renameSlowly fails if something has the new name: without a flag the call replaces nothing.
func renameSlowly(from, to spot) error { return moveFile(from, to, 0) }

// replace is a rename over the file that stands at the new name.
func replace(from, to spot) error {
	return moveFile(from, to, windows.MOVEFILE_REPLACE_EXISTING)
}

func moveFile(from, to spot, flags uint32) error {
	a, err := windows.UTF16PtrFromString(filepath.Join(from.in.path, from.name))
	if err != nil {
		return err
	}
	b, err := windows.UTF16PtrFromString(filepath.Join(to.in.path, to.name))
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(a, b, flags); err != nil {
		return &fs.PathError{Op: "rename", Path: to.name, Err: err}
	}
	return nil
}

// link is not tried: a file is moved aside instead.
func link(spot, spot) error { return errors.ErrUnsupported }

func (p plain) rename(from, to spot) error { return renameSlowly(from, to) }

func (p plain) exchange(a, b spot) error { return exchangeSlowly(a, b) }

// special is not for this system.
func (d *dir) special(string, Type) error { return errors.ErrUnsupported }

// dirAttributes has nothing to copy: what is new inherits the access list of its directory.
func (c *copier) dirAttributes(_, _ *dir) error { return nil }

// SameMode tells whether two modes of a file are one to this system: it keeps only whether it can be written.
func SameMode(a, b fs.FileMode) bool { return a&0o200 == b&0o200 }
