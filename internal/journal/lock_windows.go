package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedAt is the byte that stands for the lock, in the high half of an offset: Windows keeps others from reading what
// is locked, and no head is as long.
const lockedAt = 1

// tryLock takes the lock of a file, and tells whether it was free. It ends with the file.
func tryLock(f *os.File) (bool, error) {
	at := windows.Overlapped{OffsetHigh: lockedAt}
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: lockedAt}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}
