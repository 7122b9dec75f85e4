//go:build !portable

package beneath

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A Dir is a directory held open: it stays the same one when its name is given to another. It is safe for concurrent
// use until Close.
type Dir struct {
	fd   int
	name string // as it was opened, for the names of files
}

// OpenDir opens a directory by its path on this host. Links in it are followed: whoever names it means what it is.
func OpenDir(name string) (*Dir, error) {
	fd, err := openName(unix.AT_FDCWD, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == unix.EACCES { // entries can be opened by their names without the right to list them
		fd, err = openName(unix.AT_FDCWD, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &Dir{fd, name}, nil
}

// Close closes the directory. What was opened through it stays open.
func (d *Dir) Close() error { return unix.Close(d.fd) }

// Dir opens a directory below d.
func (d *Dir) Dir(rel string) (*Dir, error) {
	fd, err := Open(d.fd, rel, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err == unix.EACCES {
		fd, err = Open(d.fd, rel, unix.O_PATH|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		return nil, d.explain("open", rel, err)
	}
	return &Dir{fd, d.join(rel)}, nil
}

// OpenFile opens a file below d, as os.OpenFile does.
func (d *Dir) OpenFile(rel string, flag int, perm fs.FileMode) (*os.File, error) {
	fd, err := Open(d.fd, rel, flag, uint32(perm.Perm()))
	if err != nil {
		return nil, d.explain("open", rel, err)
	}
	return os.NewFile(uintptr(fd), d.join(rel)), nil
}

// Lstat tells what lies at a path below d. A link is a link.
func (d *Dir) Lstat(rel string) (fs.FileInfo, error) {
	f, err := d.OpenFile(rel, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// Readlink reads where the link at a path below d leads.
func (d *Dir) Readlink(rel string) (string, error) {
	fd, err := Open(d.fd, rel, unix.O_PATH, 0)
	if err != nil {
		return "", d.explain("readlink", rel, err)
	}
	defer unix.Close(fd)
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", buf)
	if err != nil {
		return "", d.explain("readlink", rel, err)
	}
	return string(buf[:n]), nil
}

// MkdirAll makes the directory at a path below d and those on the way to it.
func (d *Dir) MkdirAll(rel string, perm fs.FileMode) error {
	at := d.fd
	for name := range strings.SplitSeq(rel, "/") {
		err := unix.Mkdirat(at, name, uint32(perm.Perm()))
		if err != nil && err != unix.EEXIST {
			closeOther(at, d.fd)
			return d.explain("mkdir", rel, err)
		}
		next, err := Open(at, name, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err == unix.ENOTDIR && isLink(at, name) {
			err = unix.ELOOP
		}
		closeOther(at, d.fd)
		if err != nil {
			return d.explain("mkdir", rel, err)
		}
		at = next
	}
	closeOther(at, d.fd)
	return nil
}

// Rename gives an entry of d another name in d; what has that name is replaced.
func (d *Dir) Rename(from, to string) error {
	return d.explain("rename", to, unix.Renameat(d.fd, from, d.fd, to))
}

// Remove removes a file that is an entry of d.
func (d *Dir) Remove(name string) error {
	return d.explain("remove", name, unix.Unlinkat(d.fd, name, 0))
}

func (d *Dir) join(rel string) string { return filepath.Join(d.name, rel) }

// explain makes a PathError of a number, and says where it was a link.
func (d *Dir) explain(op, rel string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, unix.ENOTDIR) && d.linkAt(rel) {
		err = unix.ELOOP
	}
	if errors.Is(err, unix.ELOOP) {
		err = errors.Join(ErrLink, err)
	}
	return &fs.PathError{Op: op, Path: rel, Err: err}
}

// linkAt reports a link at the end of a path that was refused: there the kernel may say that it is no directory.
func (d *Dir) linkAt(rel string) bool {
	rel = strings.TrimSuffix(rel, "/")
	up, err := Open(d.fd, path.Dir(rel), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(up)
	return isLink(up, path.Base(rel))
}
