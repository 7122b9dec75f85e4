//go:build !portable

package spawn

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// marks tells whether killMarked finds what left the group.
const marks = true

// killMarked ends the processes whose environment holds mark and tells how many there were. A child
// that left the group, or whose parent is gone, still has it.
func killMarked(mark string) int {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	n := 0
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + name + "/environ") // empty for those that have ended
		if err == nil && holds(env, mark) {
			syscall.Kill(pid, syscall.SIGKILL)
			n++
		}
	}
	return n
}

func holds(env []byte, mark string) bool {
	for e := range bytes.SplitSeq(env, []byte{0}) {
		if string(e) == mark {
			return true
		}
	}
	return false
}
