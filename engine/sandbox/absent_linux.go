package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A protected path that is not there has nothing that a mount could cover. So the kernel asks the launcher about each
// call that makes a name, and the launcher refuses those that would make one of these.
//
// A process whose threads exchange the path while it is looked at can have another name made than was looked at: this
// keeps programs from what they do by habit, and most that mean it. What has to be kept from all runs over a layer, or
// somebody looks afterwards (Options.Looked).

// A makeCall is a system call that makes a name: the places of its arguments, -1 for one that it has not.
type makeCall struct {
	nr              uint32
	dir, path, flag int
}

// makeCalls are those that every machine has.
var makeCalls = []makeCall{
	{unix.SYS_OPENAT, 0, 1, 2},
	{unix.SYS_MKDIRAT, 0, 1, -1},
	{unix.SYS_MKNODAT, 0, 1, -1},
	{unix.SYS_SYMLINKAT, 1, 2, -1},
	{unix.SYS_LINKAT, 2, 3, -1},
	{unix.SYS_RENAMEAT, 2, 3, -1},
	{unix.SYS_RENAMEAT2, 2, 3, -1},
}

func makeCallOf(nr uint32) (makeCall, bool) {
	for _, list := range [][]makeCall{makeCalls, oldMakeCalls} {
		for _, c := range list {
			if c.nr == nr {
				return c, true
			}
		}
	}
	return makeCall{}, false
}

// isAsked has the kernel ask about a call, an open only if it may make a file, and loads the number again.
func (c makeCall) isAsked() []bpf.Instruction {
	if c.flag < 0 {
		return on(c.nr, asked)
	}
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.nr, SkipFalse: 4},
		bpf.LoadAbsolute{Off: offArgs + 8*uint32(c.flag), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.O_CREAT, SkipFalse: 1},
		asked,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
}

// A fileID tells a directory, by whatever path it is reached.
type fileID struct{ dev, ino uint64 }

func idOf(fd int) (fileID, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return fileID{uint64(st.Dev), st.Ino}, err
}

// prepare notes what is to be answered, before anything is asked. The directories are those that the command sees.
func (r *renames) prepare(p plan) {
	r.layered = p.holds()
	r.absent = map[fileID][]string{}
	for _, a := range p.Absent {
		fd, err := unix.Open(a.Dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // the command cannot reach it either
		}
		if id, err := idOf(fd); err == nil {
			r.absent[id] = append(r.absent[id], a.Name)
		}
		unix.Close(fd)
	}
}

// makes reports that a call would make a name that must not be made. A call whose path cannot be read is none that may.
func (r *renames) makes(n notification) bool {
	c, known := makeCallOf(uint32(n.nr))
	if !known || len(r.absent) == 0 {
		return false
	}
	name, err := readPath(n.pid, n.args[c.path])
	if errors.Is(err, os.ErrNotExist) {
		return false // it has ended
	}
	if err != nil {
		return true
	}
	dir := int32(unix.AT_FDCWD)
	if c.dir >= 0 {
		dir = int32(n.args[c.dir])
	}
	base := fmt.Sprintf("/proc/%d/cwd", n.pid)
	if dir != unix.AT_FDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", n.pid, dir)
	}
	at, err := unix.Open(base, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil && !strings.HasPrefix(name, "/") {
		return false // no such directory, for the kernel as well
	}
	return r.leadsToAbsent(at, n.pid, name, c.flag >= 0 || c.nr == oldCreate)
}

// readPath reads a path from the memory of another process.
func readPath(pid uint32, at uint64) (string, error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return "", err
	}
	defer mem.Close()
	return readString(mem, at)
}

// maxLinks is how many links the kernel follows in one path.
const maxLinks = 40

// leadsToAbsent follows a path, from a directory that it closes, to the name that would be made. An open that makes a
// file makes what a link names that leads nowhere.
func (r *renames) leadsToAbsent(at int, pid uint32, name string, follows bool) bool {
	defer func() { unix.Close(at) }()
	for range maxLinks {
		name = strings.TrimRight(name, "/")
		up, last := path.Split(ofProcess(name, pid))
		dir, err := openWithoutMagic(at, up)
		if errors.Is(err, unix.ELOOP) {
			return true // by way of /proc, which means another process there than here
		}
		if err != nil {
			return false // for the kernel as well
		}
		unix.Close(at)
		at = dir
		id, err := idOf(dir)
		if err != nil || slices.Contains(r.absent[id], last) {
			return true
		}
		if !follows {
			return false
		}
		if name, err = readLink(dir, last); err != nil {
			return false // no link
		}
	}
	return false
}

// ofProcess is a path with another process's own directory of /proc in the place of ours.
func ofProcess(name string, pid uint32) string {
	if rest, ok := strings.CutPrefix(name, "/proc/self/"); ok {
		return fmt.Sprintf("/proc/%d/%s", pid, rest)
	}
	return name
}

// openWithoutMagic opens the directory that a path leads to, but not by a link of /proc that is none in a file system.
func openWithoutMagic(at int, name string) (int, error) {
	if name == "" {
		name = "."
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	return unix.Openat2(at, name, &how)
}

func readLink(dir int, name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, buf)
	return string(buf[:max(n, 0)]), err
}
