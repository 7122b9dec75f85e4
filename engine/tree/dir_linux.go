//go:build !portable

package tree

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"helve/internal/beneath"
)

// dirHandle is an open directory.
type dirHandle struct{ fd int }

// Handle is an open file. It is a bare descriptor: os.File would cost a third of the time of reading a small file.
type Handle struct{ fd int }

// rawBuffer holds what getdents returned and the names copied out of it. A walk lists thousands of directories, and
// each worker does it with one buffer.
type rawBuffer struct {
	dents []byte
	names []byte // one behind the other
	ends  []int  // of the names
	kinds []Kind
}

const (
	dentsSize  = 64 << 10 // one call for almost every directory
	direntName = 19       // offset of the name in struct linux_dirent64
	// A file that became a pipe since it was listed must not block.
	fileFlags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
)

// openRoot opens the root of a tree. Whoever named it meant what it is, links included.
func openRoot(path string) (dirHandle, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return dirHandle{-1}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return dirHandle{fd}, nil
}

func (h dirHandle) close() { unix.Close(h.fd) }

// openDir opens a directory below h, "" being h itself. No link on the way to it is followed.
func (h dirHandle) openDir(path string) (dirHandle, error) {
	fd, err := beneath.Open(h.fd, path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	return dirHandle{fd}, err
}

// list appends the entries of h. The names of a directory share one string.
func (h dirHandle) list(b *rawBuffer, to []dirent) ([]dirent, error) {
	if b.dents == nil {
		b.dents = make([]byte, dentsSize)
	}
	b.names = b.names[:0]
	b.ends = b.ends[:0]
	b.kinds = b.kinds[:0]
	var failed error
	for {
		n, err := unix.Getdents(h.fd, b.dents)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			failed = err
			break
		}
		b.parse(b.dents[:n])
	}
	names, from := string(b.names), 0
	for i, end := range b.ends {
		to = append(to, dirent{names[from:end], b.kinds[i]})
		from = end
	}
	return to, failed
}

// parse reads struct linux_dirent64 of getdents64(2): inode, offset, length of the record, kind, name, a zero.
func (b *rawBuffer) parse(d []byte) {
	for len(d) > direntName {
		size := int(binary.NativeEndian.Uint16(d[16:]))
		name := d[direntName:size]
		name = name[:bytes.IndexByte(name, 0)]
		kind := kindOf(d[18])
		d = d[size:]
		if string(name) == "." || string(name) == ".." {
			continue
		}
		b.names = append(b.names, name...)
		b.ends = append(b.ends, len(b.names))
		b.kinds = append(b.kinds, kind)
	}
}

func kindOf(t byte) Kind {
	switch t {
	case unix.DT_REG:
		return Regular
	case unix.DT_DIR:
		return Directory
	case unix.DT_LNK:
		return Symlink
	case unix.DT_UNKNOWN:
		return Unknown
	}
	return Other
}

// kind asks for what a listing did not tell.
func (h dirHandle) kind(name string) Kind {
	var st unix.Stat_t
	if beneath.Stat(h.fd, name, &st) != nil {
		return Other
	}
	return kindOf(byte(st.Mode & unix.S_IFMT >> 12))
}

// stat is the state of what is below h. A link is a link.
func (h dirHandle) stat(name string) (Stat, error) {
	var st unix.Stat_t
	err := beneath.Stat(h.fd, name, &st)
	return statOf(&st), err
}

// self is the state of the directory itself.
func (h dirHandle) self() (Stat, error) {
	var st unix.Stat_t
	err := unix.Fstat(h.fd, &st)
	return statOf(&st), err
}

// statPath is the state of what is at a path, links followed; zero if there is nothing. Of a directory it holds the
// inode alone.
func statPath(path string) Stat {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return Stat{}
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return Stat{Inode: st.Ino}
	}
	return statOf(&st)
}

func statOf(st *unix.Stat_t) Stat {
	return Stat{
		Size:  st.Size,
		MTime: st.Mtim.Nano(),
		CTime: st.Ctim.Nano(),
		Inode: st.Ino,
	}
}

// readBounded returns the beginning of a regular file, nothing if it cannot be read: a rule file that went away has
// no rules.
func readBounded(path string, limit int64) []byte {
	fd, err := unix.Open(path, fileFlags, 0)
	if err != nil {
		return nil
	}
	return Handle{fd}.begin(limit)
}

// read returns the beginning of a regular file below h, nothing if it cannot be read.
func (h dirHandle) read(path string, limit int64) []byte {
	f, err := h.open(path)
	if err != nil {
		return nil
	}
	return f.begin(limit)
}

// open opens a file below h. No link is followed.
func (h dirHandle) open(name string) (Handle, error) {
	fd, err := beneath.Open(h.fd, name, fileFlags, 0)
	return Handle{fd}, err
}

// Read reads like io.Reader.
func (h Handle) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(h.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ReadAt reads like io.ReaderAt, except that it may return less than asked without an error.
func (h Handle) ReadAt(p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(h.fd, p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Stat returns the state of the open file, and whether it is a regular one.
func (h Handle) Stat() (Stat, bool, error) {
	var st unix.Stat_t
	err := unix.Fstat(h.fd, &st)
	return statOf(&st), st.Mode&unix.S_IFMT == unix.S_IFREG, err
}

// Close releases the descriptor.
func (h Handle) Close() error { return unix.Close(h.fd) }
