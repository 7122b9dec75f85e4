package search

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a lock that ends with the process. It does not wait.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		f.Close()
		if err == windows.ERROR_LOCK_VIOLATION {
			return nil, ErrIndexBusy
		}
		return nil, fmt.Errorf("index: lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
