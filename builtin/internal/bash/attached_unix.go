//go:build unix

package bash

import (
	"os"

	"golang.org/x/sys/unix"
)

// duplicate is the same open file once more, which no other program inherits.
func duplicate(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn() // Fd would make it wait
	if err != nil {
		return nil, err
	}
	var fd int
	var failed error
	err = conn.Control(func(own uintptr) {
		fd, failed = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
