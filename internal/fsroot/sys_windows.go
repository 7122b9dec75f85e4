package fsroot

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const nonBlock = 0

// hardLinks is the number of names the open file has.
func hardLinks(f *os.File, _ fs.FileInfo) uint64 {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// keepOwner does nothing: a new file inherits the access list of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func isNoSpace(err error) bool {
	return isErrno(err, windows.ERROR_DISK_FULL) || isErrno(err, windows.ERROR_HANDLE_DISK_FULL)
}

func lockFile(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies far beyond the note that the file holds, which others may read.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}
