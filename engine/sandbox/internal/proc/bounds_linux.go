package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// fillRate is how fast memory can be filled, in bytes a second: what two cores were seen to do. The nearer a tree
	// is to its bound, the sooner comes the next look.
	fillRate = 8 << 30
	// The shortest and the longest time between two looks.
	soonest = 10 * time.Millisecond
	latest  = 500 * time.Millisecond
	// rarely is how often files in memory are looked for where the machine's shared memory tells nothing: others may
	// give theirs back while a tree takes some.
	rarely = 2 * time.Second
	// The machine has no memory left below this part of all, and below so many bytes.
	scarcePart  = 32
	scarceBytes = 512 << 20
	// goodPart of its bound is what a tree must have to be ended because the machine has none left.
	goodPart = 8
)

// A gauge knows how much a tree uses.
type gauge struct {
	bounds Bounds
	shared int64     // bytes that the cheap count has too much: pages of files, and those that several processes share
	shmem  int64     // the least that the machine's shared memory was: files in memory are looked for when it has grown
	exact  time.Time // when they were looked for
	folder int64     // bytes of the folder when the tree began
	due    time.Time // when to look into the folder again
}

// newGauge begins to look at a tree.
func newGauge(b Bounds) *gauge {
	g := &gauge{bounds: b, shmem: meminfo()["Shmem"], exact: time.Now()}
	if b.Folder != "" {
		g.folder, _ = folderSize(b.Folder, b.Entries)
	}
	return g
}

// look tells why the tree is to be ended, "" while it is not, and when to look again.
func (g *gauge) look(pids []int) (over string, pause time.Duration) {
	threads, resident := usage(pids)
	b := g.bounds
	if b.Processes > 0 && threads > b.Processes {
		return fmt.Sprintf("it had %d processes, more than the %d that it may have", threads, b.Processes), 0
	}
	if over := g.lookIntoFolder(); over != "" {
		return over, 0
	}
	if b.Memory <= 0 {
		return "", latest
	}
	machine := meminfo()
	if resident < b.Memory {
		g.shared = 0
	}
	used := max(resident-g.shared, 0)
	if used > b.Memory || g.filesDue(machine["Shmem"]) {
		used, g.exact = exactly(pids), time.Now()
		g.shared = max(resident-used, 0)
	}
	switch {
	case used > b.Memory:
		const over = "its processes used %s of memory together, more than the %s that they may"
		return fmt.Sprintf(over, gigabytes(used), gigabytes(b.Memory)), 0
	case scarce(machine) && used > b.Memory/goodPart:
		return fmt.Sprintf("the machine has no memory left, and its processes used %s", gigabytes(used)), 0
	}
	left := time.Duration(float64(b.Memory-used) / fillRate * float64(time.Second))
	return "", min(max(left, soonest), latest)
}

// folderShare bounds what looking into the folder costs: after a look that took a second the next comes twenty later.
const folderShare = 20

// lookIntoFolder tells why the folder has more than it may, "" while it has not.
func (g *gauge) lookIntoFolder() string {
	b := g.bounds
	began := time.Now()
	if b.Folder == "" || began.Before(g.due) {
		return ""
	}
	size, entries := folderSize(b.Folder, b.Entries)
	g.due = time.Now().Add(folderShare * time.Since(began))
	switch {
	case entries > b.Entries:
		return fmt.Sprintf("%s had more than the %d files and folders that it may have", b.Folder, b.Entries)
	case size-g.folder > b.Grown:
		by, may := gigabytes(size-g.folder), gigabytes(b.Grown)
		return fmt.Sprintf("%s grew by %s, more than the %s that it may", b.Folder, by, may)
	}
	return ""
}

// folderSize counts what a folder takes on its disk, each file once, and its entries up to one more than most.
func folderSize(dir string, most int) (bytes int64, entries int) {
	const block = 512 // of st_blocks
	twice := map[uint64]bool{}
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		var st unix.Stat_t
		if err != nil || unix.Lstat(path, &st) != nil {
			return nil // it is gone, or nobody may look into it
		}
		if entries++; entries > most {
			return filepath.SkipAll
		}
		if st.Nlink > 1 && st.Mode&unix.S_IFMT == unix.S_IFREG {
			if twice[st.Ino] {
				return nil
			}
			twice[st.Ino] = true
		}
		bytes += st.Blocks * block
		return nil
	})
	return bytes, entries
}

// filesDue reports that the tree may have files in memory of more than half its bound.
func (g *gauge) filesDue(shmem int64) bool {
	g.shmem = min(g.shmem, shmem)
	half := g.bounds.Memory / 2
	return shmem-g.shmem > half || shmem > half && time.Since(g.exact) > rarely
}

// scarce reports a machine without memory to speak of.
func scarce(machine map[string]int64) bool {
	total, available := machine["MemTotal"], machine["MemAvailable"]
	return total > 0 && available < min(total/scarcePart, scarceBytes)
}

// usage counts threads, and the bytes that processes have in memory: those of files too, and shared ones more than
// once.
func usage(pids []int) (threads int, resident int64) {
	// proc(5): fields 20 and 24 of stat, counted behind the program's name, which is the second.
	const threadsAt, pagesAt = 20 - 3, 24 - 3
	for _, pid := range pids {
		fields := statOf(pid)
		if len(fields) <= pagesAt {
			continue // it has ended
		}
		n, _ := strconv.Atoi(fields[threadsAt])
		pages, _ := strconv.ParseInt(fields[pagesAt], 10, 64)
		threads += n
		resident += pages * int64(os.Getpagesize())
	}
	return threads, resident
}

// exactly counts the bytes that processes have: each page once, pages of files not at all.
func exactly(pids []int) int64 {
	var own, shared int64
	files := map[[2]uint64]int64{}
	for _, pid := range pids {
		parts, err := sizes("/proc/" + itoa(pid) + "/smaps_rollup")
		switch {
		case errors.Is(err, os.ErrPermission): // nobody may look into it
			_, resident := usage([]int{pid})
			own += resident
		case err == nil:
			own += parts["Pss_Anon"] + parts["SwapPss"]
			shared += parts["Pss_Shmem"]
		}
		filesInMemory(pid, files)
	}
	var inFiles int64
	for _, n := range files {
		inFiles += n
	}
	return own + max(shared, inFiles) // what is mapped stands in both
}

// filesInMemory adds the files without a name that a process holds and that lie in memory alone.
func filesInMemory(pid int, files map[[2]uint64]int64) {
	const block = 512 // of st_blocks
	dir := "/proc/" + itoa(pid) + "/fd"
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		target, err := os.Readlink(path)
		if err != nil || !strings.HasPrefix(target, "/memfd:") {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil {
			files[[2]uint64{uint64(st.Dev), st.Ino}] = st.Blocks * block
		}
	}
}

// meminfo is what the machine has, in bytes.
func meminfo() map[string]int64 {
	all, err := sizes("/proc/meminfo")
	if err != nil {
		return nil
	}
	return all
}

// sizes reads lines such as "Pss_Anon: 12 kB", as bytes.
func sizes(path string) (map[string]int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) != 3 || string(fields[2]) != "kB" {
			continue
		}
		n, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err == nil {
			out[strings.TrimSuffix(string(fields[0]), ":")] = n << 10
		}
	}
	return out, nil
}

// Memory is how much a machine has, or the part of it that this process's control groups leave it, in bytes. 0: not
// known.
func Memory() int64 {
	total := meminfo()["MemTotal"]
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return total
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // cgroups(7): number, controllers, path
		if len(parts) != 3 {
			continue
		}
		dir, file := "/sys/fs/cgroup", "memory.max"
		if parts[1] != "" {
			dir, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		if parts[1] == "" || parts[1] == "memory" {
			total = least(total, dir, parts[2], file)
		}
	}
	return total
}

// least is the lowest bound of a control group and of those around it.
func least(total int64, dir, group, file string) int64 {
	for at := group; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(dir, at, file))
		n, failed := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && failed == nil && n > 0 {
			total = min(total, n)
		}
		if at == "/" || at == "." {
			return total
		}
	}
}
