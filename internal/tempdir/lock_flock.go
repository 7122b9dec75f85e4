//go:build linux || darwin

package tempdir

import (
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock of a folder; nil: somebody has it, or there is none to take. It ends with the process, as the
// programs that this one starts do not inherit it.
func lock(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	return f
}

// own reports whether a folder is this user's.
func own(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
