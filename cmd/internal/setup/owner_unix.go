//go:build unix

package setup

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ours tells whose a file is, if it is somebody else's.
func ours(st fs.FileInfo) error {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || int(sys.Uid) == os.Geteuid() {
		return nil
	}
	return fmt.Errorf("it belongs to user %d, and this is user %d: run the command as its owner", sys.Uid, os.Geteuid())
}
