//go:build unix

package change

import (
	"errors"

	"golang.org/x/sys/unix"
)

func isNotDir(err error) bool { return errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) }

// fullDisk reports that there is no space, or that no more of it is allowed.
func fullDisk(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// local reports an error that concerns one path alone, so that others can still be changed.
func local(err error) bool {
	for _, e := range []error{unix.EACCES, unix.EPERM, unix.EROFS, unix.EXDEV, unix.EBUSY, unix.ETXTBSY, unix.ENOTEMPTY,
		unix.EEXIST, unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EISDIR, unix.ENAMETOOLONG, unix.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
