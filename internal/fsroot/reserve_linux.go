//go:build !portable

package fsroot

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve takes the blocks of a file before they are written. Without it ext4 takes them at the
// rename, which then waits. A file system that cannot is no obstacle; a full one is.
func reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if isNoSpace(err) {
		return err
	}
	return nil
}
