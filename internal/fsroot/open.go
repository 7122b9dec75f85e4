package fsroot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"syscall"

	"helve/internal/beneath"
)

// Open opens the regular file at p for reading. A directory is ErrDirectory; pipes, devices and
// sockets are ErrNotRegular and are never waited for; a place that became a link after Resolve is
// ErrChanged. The caller closes the file.
func (s *Set) Open(p Path) (*os.File, fs.FileInfo, error) {
	dir, err := descend("open", p.Parent())
	if err != nil {
		return nil, nil, about(err, p)
	}
	defer dir.Close()
	if p.rel == "." {
		return nil, nil, kindError("open", p.String(), fs.ModeDir)
	}
	return openRegular(dir, p, os.O_RDONLY)
}

// ReadFile returns the content of the regular file at p; more than limit bytes are ErrTooLarge.
func (s *Set) ReadFile(p Path, limit int64) ([]byte, fs.FileInfo, error) {
	f, fi, err := s.Open(p)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b, err := readAll(f, fi.Size(), limit, p)
	return b, fi, err
}

// readAll reads a file that may grow meanwhile: size is where it begins to allocate, limit where it
// gives up.
func readAll(f io.Reader, size, limit int64, p Path) ([]byte, error) {
	if size > limit {
		return nil, tooLarge(p)
	}
	b := make([]byte, 0, size+1)
	r := io.LimitReader(f, limit+1)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, tooLarge(p)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, fail("read", p.String(), err, "")
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

func tooLarge(p Path) error { return fail("read", p.String(), ErrTooLarge, "read a part of it") }

// Stat tells what is at p, without opening it.
func (s *Set) Stat(p Path) (fs.FileInfo, error) {
	if p.rel == "." {
		return p.root.dir.Lstat(".")
	}
	dir, err := descend("stat", p.Parent())
	if err != nil {
		return nil, about(err, p)
	}
	defer dir.Close()
	fi, err := dir.Lstat(path.Base(p.rel))
	if err != nil {
		return nil, absent("stat", p, err)
	}
	return fi, nil
}

// ReadDir lists a directory by name, at most limit entries read; more tells that there are others.
// Links are listed as links.
func (s *Set) ReadDir(p Path, limit int) (entries []fs.DirEntry, more bool, err error) {
	dir, err := descend("list", p)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	f, err := dir.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, false, absent("list", p, err)
	}
	defer f.Close()
	entries, err = f.ReadDir(limit + 1)
	if err != nil && err != io.EOF {
		return nil, false, fail("list", p.String(), err, "")
	}
	if len(entries) > limit {
		entries, more = entries[:limit], true
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, more, nil
}

// MkdirAll makes the directory p and those above it, with mode 0777 less the umask.
func (s *Set) MkdirAll(p Path) error {
	if err := s.allowed(p); err != nil {
		return err
	}
	err := p.root.dir.MkdirAll(p.rel, 0o777)
	if err != nil {
		return absent("make directory", p, err)
	}
	dir, err := descend("make directory", p)
	if err != nil {
		return err
	}
	return dir.Close()
}

func (s *Set) allowed(p Path) error {
	if s.opts.Protected == nil {
		return nil
	}
	if err := s.opts.Protected(p.root.name, Fold(p.rel)); err != nil {
		return &Error{Op: "write", Path: p.String(), Err: errors.Join(ErrProtected, err)}
	}
	return nil
}

// descend opens the directory p. A link on the way, which was put there after Resolve, is refused: it
// might lead to another, perhaps protected, place in the same root.
func descend(op string, p Path) (*beneath.Dir, error) {
	at, err := p.root.dir.Dir(p.rel)
	switch {
	case err == nil:
		return at, nil
	case p.rel == ".":
		return nil, fail(op, p.String(), err, "the root is gone")
	}
	return nil, absent(op, p, err)
}

// maxReplaced is how often a file may be replaced while it is being opened. Editors and other
// agents replace files by a rename, and whoever looks and then opens meets one of these now and
// then; so many in a row are no accident.
const maxReplaced = 100

// openRegular opens the file p in its open directory. It looks before it opens, so that a device is
// not even touched, and again at what it opened.
func openRegular(dir *beneath.Dir, p Path, flag int) (*os.File, fs.FileInfo, error) {
	for range maxReplaced {
		f, fi, err := openOnce(dir, p, flag)
		if f != nil || err != nil {
			return f, fi, err
		}
	}
	return nil, nil, fail("open", p.String(), ErrChanged, "it is replaced all the time; try again")
}

// openOnce returns no file and no error if what it opened is not what it had looked at.
func openOnce(dir *beneath.Dir, p Path, flag int) (*os.File, fs.FileInfo, error) {
	name := path.Base(p.rel)
	want, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, absent("open", p, err)
	}
	if want.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, fail("open", p.String(), ErrChanged, "it became a symbolic link; try again")
	}
	if err := kindError("open", p.String(), want.Mode()); err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, flag|nonBlock, 0)
	switch {
	case busy(err):
		return nil, nil, nil
	case err != nil:
		return nil, nil, absent("open", p, err)
	}
	got, err := f.Stat()
	if err != nil || !os.SameFile(want, got) || !got.Mode().IsRegular() {
		f.Close()
		return nil, nil, nil
	}
	return f, got, nil
}

// absent gives the system's error the path that the model knows.
func absent(op string, p Path, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(op, p.String(), fs.ErrNotExist, "")
	case errors.Is(err, ErrChanged), errors.Is(err, beneath.ErrLink):
		return fail(op, p.String(), ErrChanged, "a directory on the way was replaced; try again")
	case isErrno(err, syscall.ENOTDIR):
		return fail(op, p.String(), ErrNotDir, "")
	default:
		return fail(op, p.String(), err, "")
	}
}

// about makes an error of a parent directory one of the file that was asked for.
func about(err error, p Path) error {
	var e *Error
	if errors.As(err, &e) && errors.Is(e.Err, fs.ErrNotExist) {
		return fail(e.Op, p.String(), fs.ErrNotExist, "")
	}
	return err
}
