package standin

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Clear removes what an earlier version left in a workspace, unless one is at work there: it holds a shared lock on the
// directory as long as it needs them. What cannot be removed stays.
func Clear(dir string) {
	var left []string
	for _, n := range names {
		if Is(dir, n) && own(filepath.Join(dir, n)) {
			left = append(left, n)
		}
	}
	if len(left) == 0 {
		return
	}
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close() // and with it the lock goes
	if syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	for _, n := range slices.Backward(left) {
		if Is(dir, n) {
			os.Remove(filepath.Join(dir, n)) // never what has something in it
		}
	}
}

// own reports what this user made, who alone can have made it as such a thing; root clears for everybody.
func own(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && (os.Geteuid() == 0 || int(sys.Uid) == os.Geteuid())
}
