//go:build unix

package change

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// isNotDir reports a path that goes through something which is no directory, a link among them.
func isNotDir(err error) bool {
	return errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// fullDisk reports that there is no space, or that no more of it is allowed.
func fullDisk(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// local reports an error that concerns one path alone, so that others can still be changed.
func local(err error) bool {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return false
	}
	switch number {
	case unix.EACCES, unix.EPERM, unix.EROFS, unix.EXDEV:
		return true
	case unix.EBUSY, unix.ETXTBSY, unix.ENOTEMPTY, unix.EEXIST:
		return true
	case unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EISDIR:
		return true
	}
	return number == unix.ENAMETOOLONG || number == unix.EINVAL
}
