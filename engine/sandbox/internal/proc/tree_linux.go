package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxRounds bounds the chase after a tree that forks while it is ended.
	maxRounds = 200
	// roundPause lets killed processes disappear.
	roundPause = time.Millisecond
)

func itoa(n int) string { return strconv.Itoa(n) }

// killTree ends every process of the tree. What forks while it is being ended is found in the next round.
func killTree(root int, marker string) {
	for range maxRounds {
		tree := treeOf(root, marker)
		if len(tree) == 0 {
			return
		}
		for _, pid := range tree {
			unix.Kill(pid, unix.SIGKILL)
		}
		time.Sleep(roundPause)
	}
}

// entry is what /proc tells about one process.
type entry struct {
	pid, parent, session int
	state                byte
}

// treeOf lists the living processes that descend from root, share its session, or carry its marker.
func treeOf(root int, marker string) []int {
	entries := allProcesses()
	in := related(entries, root)
	var tree []int
	for _, e := range entries {
		ended := e.state == 'Z' || e.state == 'X'
		if !ended && (in[e.pid] || carries(e.pid, marker)) {
			tree = append(tree, e.pid)
		}
	}
	return tree
}

// related are the processes that descend from root or share its session. A list of /proc is in no order of birth, so
// it is gone through until nobody is added. What process 1 adopted is no longer of its parent's tree.
func related(entries []entry, root int) map[int]bool {
	in := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for _, e := range entries {
			child := in[e.parent] && e.parent > 1
			if !in[e.pid] && (child || e.session == root) {
				in[e.pid], grown = true, true
			}
		}
	}
	return in
}

// carries tells whether a process has the marker of a tree. The environment of another user's process cannot be read,
// and so is not of this tree.
func carries(pid int, marker string) bool {
	if marker == "" || pid == os.Getpid() {
		return false
	}
	env, err := os.ReadFile("/proc/" + itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(marker))
}

// allProcesses reads /proc. What ends meanwhile is left out.
func allProcesses() []entry {
	var out []entry
	for _, pid := range allPIDs() {
		if e, ok := readStat(pid); ok {
			out = append(out, e)
		}
	}
	return out
}

// allPIDs lists the numbers of processes that /proc shows.
func allPIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// readStat reads /proc/PID/stat.
func readStat(pid int) (entry, bool) {
	fields := statOf(pid)
	if len(fields) < 4 {
		return entry{}, false
	}
	parent, _ := strconv.Atoi(fields[1])
	session, _ := strconv.Atoi(fields[3])
	return entry{pid, parent, session, fields[0][0]}, true
}

// statOf are the fields of /proc/PID/stat behind the program's name, which may hold spaces and brackets; none of a
// process that has ended.
func statOf(pid int) []string {
	text, err := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	after := text[bytes.LastIndexByte(text, ')')+1:]
	return strings.Fields(string(after))
}
