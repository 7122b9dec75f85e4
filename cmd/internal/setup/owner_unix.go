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
	const next = "run the command as its owner"
	return fmt.Errorf("it belongs to user %d, and this is user %d: %s", sys.Uid, os.Geteuid(), next)
}
