package fsroot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helve/internal/beneath"
)

// Temporary files are named tempPrefix + random + tempSuffix and lie beside the file they will
// become.
const (
	tempPrefix = ".helve-"
	tempSuffix = ".tmp"
)

// IsTemp tells whether a name is that of a temporary file of this package: listings leave it out.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// A Locked file is one that no other writer touches until Unlock. It is for one goroutine.
type Locked struct {
	set    *Set
	path   Path
	dir    *beneath.Dir
	stripe *stripe
	seen   fs.FileInfo // what Open or ReadFile saw last; nil: nothing
}

// Lock takes the file p for one writer, across goroutines and processes; its directory must exist.
// It waits until ctx is done, at most ten seconds, then ErrLocked. A caller holds one Locked at a
// time: two could wait for each other. Protected paths are refused here.
func (s *Set) Lock(ctx context.Context, p Path) (*Locked, error) {
	if err := s.allowed(p); err != nil {
		return nil, err
	}
	if p.rel == "." {
		return nil, kindError("write", p.String(), fs.ModeDir)
	}
	dir, err := descend("write", p.Parent())
	if err != nil {
		return nil, about(err, p)
	}
	st, err := s.locks.take(ctx, p.Parent())
	if err != nil {
		dir.Close()
		return nil, notLocked(p.String(), err)
	}
	st.clear()
	return &Locked{set: s, path: p, dir: dir, stripe: st}, nil
}

// Hold keeps other writers out of a directory below a root, as Lock does, until release is called.
// dir is a path of a listing, slash-separated, "." for the root. A caller holds one at a time.
func (s *Set) Hold(ctx context.Context, root int, dir string) (release func(), err error) {
	st, err := s.locks.take(ctx, Path{root: s.roots[root], rel: path.Clean(dir)})
	if err != nil {
		return nil, notLocked(dir, err)
	}
	return st.release, nil
}

// notLocked is the error of who did not get a lock: somebody else has it, or it cannot be had at all.
func notLocked(path string, err error) error {
	if errors.Is(err, ErrLocked) {
		return fail("write", path, err, "another process is writing here; try again")
	}
	return fail("write", path, err,
		"no lock could be had for it in helve's folder for state; XDG_STATE_HOME can name another")
}

// Unlock ends the lock. A second call does nothing.
func (l *Locked) Unlock() {
	if l.dir == nil {
		return
	}
	l.dir.Close()
	l.dir = nil
	l.stripe.release()
}

// Open opens the file as it is now; a missing file is fs.ErrNotExist. The caller closes it.
func (l *Locked) Open() (*os.File, fs.FileInfo, error) {
	f, fi, err := openRegular(l.dir, l.path, os.O_RDONLY)
	if err == nil {
		l.seen = fi
	}
	return f, fi, err
}

// ReadFile is Open and the content; more than limit bytes are ErrTooLarge.
func (l *Locked) ReadFile(limit int64) ([]byte, fs.FileInfo, error) {
	f, fi, err := l.Open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b, err := readAll(f, fi.Size(), limit, l.path)
	return b, fi, err
}

// Replace makes the file's content what write writes, all or nothing: a temporary file in the same
// directory takes the mode, owner and extended attributes of the old file (not set-user-ID, as with
// any write) and then its name. A file that is not there is made with mode 0666 less the umask.
// Refused, with the old file untouched: a file that changed since Open saw it or appeared since
// (ErrChanged), one with several hard links (ErrHardLink), one that has no write permission
// (ErrReadOnly, also for root), one whose owner or attributes cannot be kept (ErrAttributes), a
// full disk (ErrNoSpace).
//
// size is how many bytes write will write, 0 where that is not known: a large file's space is
// reserved first, which finds a full disk early and halves the time of the write.
func (l *Locked) Replace(size int64, write func(io.Writer) error) (fs.FileInfo, error) {
	old, err := l.before()
	if err != nil {
		return nil, err
	}
	if old != nil {
		defer old.Close()
	}
	name := tempPrefix + strings.ToLower(rand.Text()[:12]) + tempSuffix
	if err := l.stripe.note(filepath.Join(l.path.Parent().Abs(), name)); err != nil {
		return nil, l.explain(err)
	}
	fi, err := l.swap(name, old, size, write)
	if err != nil {
		l.dir.Remove(name)
		err = l.explain(err)
	}
	l.stripe.note("")
	return fi, err
}

// before looks at the file that will be replaced; nil when there is none.
func (l *Locked) before() (*os.File, error) {
	if err := l.writableDir(); err != nil {
		return nil, err
	}
	f, fi, err := openRegular(l.dir, l.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		if l.seen != nil {
			return nil, fail("write", l.path.String(), ErrChanged, "it was removed; read again")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := l.mayReplace(f, fi); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (l *Locked) writableDir() error {
	fi, err := l.dir.Lstat(".")
	if err != nil {
		return l.explain(err)
	}
	if fi.Mode().Perm()&0o222 == 0 {
		return fail("write", l.path.String(), ErrReadOnly, "its directory has no write permission")
	}
	return nil
}

// mayReplace refuses what a rename would silently break. Whether the file may be written is asked
// of the system by opening it for writing: that knows about access lists, attributes and mounts.
func (l *Locked) mayReplace(old *os.File, fi fs.FileInfo) error {
	refuse := func(err error, hint string) error { return fail("write", l.path.String(), err, hint) }
	switch {
	case l.seen != nil && !Same(l.seen, fi):
		return refuse(ErrChanged, "read it again")
	case hardLinks(old, fi) > 1:
		return refuse(ErrHardLink, "writing would part it from its other names; copy it first")
	case fi.Mode().Perm()&0o222 == 0:
		return refuse(ErrReadOnly, "ask the user to make it writable")
	}
	probe, _, err := openRegular(l.dir, l.path, os.O_WRONLY)
	if err != nil {
		return err
	}
	return probe.Close()
}

// Same tells whether two looks at a file saw the same file with the same size and time.
func Same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// swap makes the temporary file and gives it the name.
func (l *Locked) swap(name string, old *os.File, size int64, write func(io.Writer) error) (fs.FileInfo, error) {
	mode := fs.FileMode(0o600)
	if old == nil {
		mode = 0o666
	}
	f, err := l.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := fill(f, size, write); err != nil {
		return nil, err
	}
	if err := keep(f, old); err != nil {
		return nil, err
	}
	if err := l.flush(f); err != nil {
		return nil, err
	}
	was, err := stateOf(old)
	if err != nil {
		return nil, ErrChanged
	}
	if err := l.unchanged(was); err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	f.Close() // Windows renames closed files only
	again := func() error { return l.unchanged(was) }
	if err := giveName(l.dir, name, path.Base(l.path.rel), old, again); err != nil {
		return nil, err
	}
	l.seen = fi
	return fi, l.flushDir()
}

// reserved is the size from which reserving space pays.
const reserved = 1 << 20

// fill writes the content into space that was reserved for it, and gives back what it did not use.
func fill(f *os.File, size int64, write func(io.Writer) error) error {
	if size < reserved {
		return write(f)
	}
	if err := reserve(f, size); err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	end, err := f.Seek(0, io.SeekCurrent)
	if err != nil || end >= size {
		return err
	}
	return f.Truncate(end)
}

// keep gives the new file what the old one has besides its content.
func keep(f, old *os.File) error {
	if old == nil {
		return nil
	}
	fi, err := old.Stat()
	if err != nil {
		return err
	}
	if err := keepOwner(f, old, fi); err != nil {
		return fmt.Errorf("%w: owner: %w", ErrAttributes, err)
	}
	if err := f.Chmod(fi.Mode().Perm() | fi.Mode()&fs.ModeSticky); err != nil {
		return fmt.Errorf("%w: mode: %w", ErrAttributes, err)
	}
	if err := KeepAttrs(f, old); err != nil {
		return fmt.Errorf("%w: %w", ErrAttributes, err)
	}
	return nil
}

// stateOf is the state of an open file, nil without one.
func stateOf(f *os.File) (fs.FileInfo, error) {
	if f == nil {
		return nil, nil
	}
	return f.Stat()
}

// unchanged looks once more, just before the rename: an editor that knows nothing of the lock may
// have saved. was is the state of the old file, nil where there was none.
func (l *Locked) unchanged(was fs.FileInfo) error {
	now, err := l.dir.Lstat(path.Base(l.path.rel))
	if was == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return ErrChanged
	}
	if err != nil || !Same(was, now) || l.seen != nil && !Same(l.seen, now) {
		return ErrChanged
	}
	return nil
}

func (l *Locked) flush(f *os.File) error {
	if !l.set.opts.Sync {
		return nil
	}
	return f.Sync()
}

func (l *Locked) flushDir() error {
	if !l.set.opts.Sync || filepath.Separator == '\\' { // Windows cannot flush a directory
		return nil
	}
	d, err := l.dir.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// explain turns the system's error into one that says what became of the file.
func (l *Locked) explain(err error) error {
	p := l.path.String()
	var own *Error
	switch {
	case errors.As(err, &own):
		return err
	case isNoSpace(err):
		return fail("write", p, fmt.Errorf("%w: %w", ErrNoSpace, err), "the file is unchanged; free some space")
	case errors.Is(err, ErrChanged):
		return fail("write", p, ErrChanged, "another program wrote it; read it again")
	case errors.Is(err, ErrAttributes):
		return fail("write", p, err, "the file is unchanged")
	default:
		return fail("write", p, err, "the file is unchanged")
	}
}
