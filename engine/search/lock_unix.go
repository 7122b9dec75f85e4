//go:build unix

package search

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes a lock that ends with the process. It does not wait.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if err == unix.EWOULDBLOCK {
			return nil, ErrIndexBusy
		}
		return nil, fmt.Errorf("index: lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
