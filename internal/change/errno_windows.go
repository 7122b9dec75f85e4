package change

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

func isNotDir(err error) bool { return errors.Is(err, windows.ERROR_DIRECTORY) }

// fullDisk reports that there is no space, or that no more of it is allowed.
func fullDisk(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// local reports an error that concerns one path alone, so that others can still be changed.
func local(err error) bool {
	for _, e := range []error{fs.ErrPermission, fs.ErrExist, fs.ErrNotExist, windows.ERROR_SHARING_VIOLATION} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
