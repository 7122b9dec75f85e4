//go:build !portable

package pipes

import (
	"os"

	"golang.org/x/sys/unix"
)

// Unread is the number of bytes that were written to the pipe and not read yet; 0 for what is
// closed or no pipe.
func Unread(f *os.File) (n int) {
	c, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	err = c.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	if err != nil {
		return 0
	}
	return n
}
