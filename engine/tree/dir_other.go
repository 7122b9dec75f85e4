//go:build !linux || portable

package tree

import (
	"io"
	"io/fs"
	"os"

	"helve/internal/beneath"
)

// dirHandle is an open directory.
type dirHandle struct{ dir *beneath.Dir }

// Handle is an open file.
type Handle struct{ f *os.File }

// rawBuffer is used where directories are read with the system's own calls.
type rawBuffer struct{}

func openRoot(path string) (dirHandle, error) {
	info, err := os.Stat(path)
	if err != nil {
		return dirHandle{}, err
	}
	if !info.IsDir() {
		return dirHandle{}, &os.PathError{Op: "open", Path: path, Err: ErrNotDirectory}
	}
	dir, err := beneath.OpenDir(path)
	return dirHandle{dir}, err
}

func (h dirHandle) close() { h.dir.Close() }

func (h dirHandle) openDir(path string) (dirHandle, error) {
	dir, err := h.dir.Dir(path)
	return dirHandle{dir}, err
}

func (h dirHandle) list(_ *rawBuffer, to []dirent) ([]dirent, error) {
	f, err := h.dir.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return to, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		to = append(to, dirent{e.Name(), kindOf(e.Type())})
	}
	return to, err
}

func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return Regular
	case m.IsDir():
		return Directory
	case m&fs.ModeSymlink != 0:
		return Symlink
	}
	return Other
}

func (h dirHandle) kind(name string) Kind {
	info, err := h.dir.Lstat(name)
	if err != nil {
		return Other
	}
	return kindOf(info.Mode())
}

func (h dirHandle) stat(name string) (Stat, error) {
	info, err := h.dir.Lstat(name)
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

// self is the state of the directory itself: nothing to rely on, so that it is always read.
func (h dirHandle) self() (Stat, error) { return Stat{}, nil }

// statPath is the state of what is at a path, links followed; zero if there is nothing, and for a directory that
// there is one.
func statPath(path string) Stat {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Stat{}
	case info.IsDir():
		return Stat{Inode: 1}
	}
	return statOf(info)
}

func statOf(info fs.FileInfo) Stat { return Stat{Size: info.Size(), MTime: info.ModTime().UnixNano()} }

// readBounded returns the beginning of a regular file, nothing if it cannot be read: a rule file that went away has
// no rules.
func readBounded(path string, limit int64) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	return Handle{f}.begin(limit)
}

// read returns the beginning of a regular file below h, nothing if it cannot be read.
func (h dirHandle) read(path string, limit int64) []byte {
	info, err := h.dir.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := h.open(path)
	if err != nil {
		return nil
	}
	return f.begin(limit)
}

func (h dirHandle) open(name string) (Handle, error) {
	f, err := h.dir.OpenFile(name, os.O_RDONLY, 0)
	return Handle{f}, err
}

// Read reads like io.Reader.
func (h Handle) Read(p []byte) (int, error) { return h.f.Read(p) }

// ReadAt reads like io.ReaderAt, except that it may return less than asked without an error.
func (h Handle) ReadAt(p []byte, off int64) (int, error) {
	n, err := h.f.ReadAt(p, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// Stat returns the state of the open file, and whether it is a regular one.
func (h Handle) Stat() (Stat, bool, error) {
	info, err := h.f.Stat()
	if err != nil {
		return Stat{}, false, err
	}
	return statOf(info), info.Mode().IsRegular(), nil
}

// Close releases the descriptor.
func (h Handle) Close() error { return h.f.Close() }
