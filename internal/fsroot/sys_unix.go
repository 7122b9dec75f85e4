//go:build unix

package fsroot

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"helve/internal/beneath"
)

// nonBlock keeps an open from waiting for the other end of a pipe.
const nonBlock = unix.O_NONBLOCK | unix.O_NOCTTY

// hardLinks is the number of names the open file has.
func hardLinks(_ *os.File, fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// keepOwner gives the new file the owner and group of the old one, whose state is was.
func keepOwner(f, _ *os.File, was fs.FileInfo) error {
	want, ok := was.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if have, ok := fi.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

func isNoSpace(err error) bool { return isErrno(err, unix.ENOSPC) || isErrno(err, unix.EDQUOT) }

// lockFile takes the whole file for this process, or says at once that another holds it.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK || err == unix.EINTR {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// giveName makes the file from the file to, in place of old. It is done at once, whoever has it open.
func giveName(dir *beneath.Dir, from, to string, _ *os.File, _ func() error) error {
	return dir.Rename(from, to)
}

// busy tells whether an open is worth another try because another program has the file: it never is.
func busy(error) bool { return false }

// pathFault says why the system has no file of this path: any name may be.
func pathFault(string) string { return "" }

// hostPath is a path as this system writes it.
func hostPath(asked, _ string) string { return asked }

// ownName is the name under which a directory lists a file: the one it was asked for by.
func ownName(_ *Root, _, name string) string { return name }

// isLink tells whether a place leads elsewhere.
func isLink(fi fs.FileInfo) bool { return fi.Mode()&fs.ModeSymlink != 0 }
