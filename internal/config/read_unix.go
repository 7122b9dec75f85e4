//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"helve/internal/state"
)

const openFlags = syscall.O_NONBLOCK | syscall.O_CLOEXEC

// isNull tells that the null device itself stands there: sandboxes of others mount it over what is not to be made, so
// that for whoever looks from inside one the file is absent. A link to it is somebody's own doing.
func isNull(path string) bool {
	st, err := os.Lstat(path)
	null, bad := os.Stat(os.DevNull)
	if err != nil || bad != nil || st.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	one, ok := st.Sys().(*syscall.Stat_t)
	other, fine := null.Sys().(*syscall.Stat_t)
	return ok && fine && one.Rdev == other.Rdev
}

func isLoop(err error) bool {
	return errors.Is(err, syscall.ELOOP)
}

// foreign tells why a file is not this user's or the administrator's own.
func foreign(st fs.FileInfo) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	if uid := int(sys.Uid); !state.Owns(uid) {
		return fmt.Sprintf("belongs to user %d", uid)
	}
	return openToAll(st)
}

func openToAll(st fs.FileInfo) string {
	if st.Mode().Perm()&0o002 != 0 && st.Mode()&fs.ModeSticky == 0 {
		return fmt.Sprintf("may be written by everybody (%v)", st.Mode().Perm())
	}
	return ""
}
