package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// An overlay in a user namespace refuses to rename a directory that lies below it: EXDEV, as between two file systems.
// Programs that do not expect that fail, git mv among them. So the kernel asks the launcher at every rename, and the
// launcher makes the directory one of the layer's own before it is renamed: it moves everything in it into a new one.
//
// What is asked about is a call of a confined process, and the launcher has more rights than that: it answers only by
// doing the very rename, in the same mounts, and leaves everything that is no directory to the kernel.

// asked has the kernel ask the launcher about a call.
var asked = bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF}

// The structures of include/uapi/linux/seccomp.h.
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	answer struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

// renames answers for the calls of one sandbox.
type renames struct {
	listener int
	busy     atomic.Int32 // calls that are being answered
	began    time.Time
	layered  bool
	absent   map[fileID][]string // the names that must not be made in a directory

	mu   sync.Mutex
	late map[uint32]lateAnswer // by thread
}

// A lateAnswer is one that nobody waited for: a signal had interrupted the call, which comes again.
type lateAnswer struct {
	call  call
	errno unix.Errno
}

// A call is a rename as a process asked for it.
type call struct {
	old, new       string
	oldDir, newDir int32
	flags          uint32
}

// serve answers until the sandbox ends.
func (r *renames) serve() {
	r.late = map[uint32]lateAnswer{}
	r.began = time.Now()
	debug.SetGCPercent(gcPercent) // a launcher that answers nobody needs no collector, this one may for hours
	for {
		var n notification
		errno := r.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		switch errno {
		case 0:
			r.busy.Add(1)
			go func() { // ends with its answer
				defer r.busy.Add(-1)
				r.answer(n)
			}()
		case unix.EINTR, unix.ENOENT: // the process ended meanwhile
		default:
			return
		}
	}
}

func (r *renames) ioctl(request uintptr, what unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(r.listener), request, uintptr(what))
	runtime.KeepAlive(what)
	return errno
}

// settle waits until no directory is being moved, which takes long only for a large one.
func (r *renames) settle() {
	for end := time.Now().Add(settleTime); time.Now().Before(end); {
		if r.busy.Load() == 0 {
			return
		}
		time.Sleep(settlePause)
	}
}

const (
	// settleTime bounds how long the end of a command waits for a directory that it was renaming.
	settleTime  = 10 * time.Second
	settlePause = time.Millisecond
	gcPercent   = 100
)

// answer decides one call. Whatever is not understood is left to the kernel, which does as ever.
func (r *renames) answer(n notification) {
	a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if made := r.makes(n); made || !r.layered {
		if made {
			a.flags, a.errno = 0, -int32(unix.EROFS)
		}
		r.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
		return
	}
	if slices.Contains(linkCalls, uint32(n.nr)) {
		if r.linksObject(n) {
			a.flags, a.errno = 0, -int32(unix.EXDEV)
		}
		r.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
		return
	}
	c, err := readCall(n)
	if err == nil {
		done, errno := r.decide(n, c)
		if done {
			a.flags = 0
			a.errno = -int32(errno)
		}
		if r.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) != 0 && done {
			r.remember(n.pid, lateAnswer{c, errno})
		}
		return
	}
	r.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
}

// objectPath is a file in git's store of objects.
var objectPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|/)objects/([0-9a-f]{2}/[0-9a-f]{38,}|pack/pack-[^/]+)$`)
})

// linksObject reports that a process links one of git's objects that was there before, as git clone does with a
// repository of this machine. It then compares the file's numbers, of which an overlay in a user namespace gives a
// linked file two. Where it may not link, it copies.
func (r *renames) linksObject(n notification) bool {
	dir, old := int32(unix.AT_FDCWD), n.args[0]
	if int(n.nr) != onlyPathsLink {
		dir, old = int32(n.args[0]), n.args[1]
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return false
	}
	defer mem.Close()
	path, err := readString(mem, old)
	if err != nil || !objectPath().MatchString(path) {
		return false
	}
	from, err := openBase(n.pid, dir, path)
	if err != nil {
		return false
	}
	defer unix.Close(from)
	var st unix.Stat_t
	if unix.Fstatat(from, path, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	return time.Unix(st.Ctim.Unix()).Before(r.began)
}

func (r *renames) remember(pid uint32, l lateAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late[pid] = l
}

// recall is the answer to a call that was interrupted, once.
func (r *renames) recall(pid uint32, c call) (lateAnswer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, found := r.late[pid]
	delete(r.late, pid)
	return l, found && l.call == c
}

// decide renames a directory for the process that asked. False: it is for the kernel to do.
func (r *renames) decide(n notification, c call) (bool, unix.Errno) {
	if l, found := r.recall(n.pid, c); found {
		return true, l.errno
	}
	from, err := openBase(n.pid, c.oldDir, c.old)
	if err != nil {
		return false, 0
	}
	defer unix.Close(from)
	to, err := openBase(n.pid, c.newDir, c.new)
	if err != nil {
		return false, 0
	}
	defer unix.Close(to)
	swaps := c.flags&unix.RENAME_EXCHANGE != 0
	if !isDir(from, c.old) && !(swaps && isDir(to, c.new)) {
		return false, 0
	}
	// The number of the process may have been given to another one while its memory was read.
	if r.ioctl(notifIDValid, unsafe.Pointer(&n.id)) != 0 {
		return false, 0
	}
	err = unix.Renameat2(from, c.old, to, c.new, uint(c.flags))
	if errors.Is(err, unix.EXDEV) {
		err = renameOver(from, to, c, swaps)
	}
	var errno unix.Errno
	errors.As(err, &errno)
	return true, errno
}

// renameOver makes the directories the layer's own and renames them then.
func renameOver(from, to int, c call, swaps bool) error {
	if err := adopt(from, c.old); err != nil {
		return err
	}
	if swaps {
		if err := adopt(to, c.new); err != nil {
			return err
		}
	}
	return unix.Renameat2(from, c.old, to, c.new, uint(c.flags))
}

// notifIDValid is SECCOMP_IOCTL_NOTIF_ID_VALID of include/uapi/linux/seccomp.h.
const notifIDValid = 0x40082102

// readCall reads the paths of a call from the memory of the process that waits for it.
func readCall(n notification) (call, error) {
	c := call{oldDir: unix.AT_FDCWD, newDir: unix.AT_FDCWD}
	a := n.args
	old, new := a[0], a[1]
	if int(n.nr) != onlyPaths {
		c.oldDir, c.newDir = int32(a[0]), int32(a[2])
		old, new = a[1], a[3]
	}
	if n.nr == unix.SYS_RENAMEAT2 {
		c.flags = uint32(a[4])
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return c, err
	}
	defer mem.Close()
	if c.old, err = readString(mem, old); err != nil {
		return c, err
	}
	c.new, err = readString(mem, new)
	return c, err
}

var errPath = errors.New("sandbox: not a path")

// readString reads a path that ends with NUL. It may lie at the end of what can be read, so it is read in pieces that
// cross no page.
func readString(mem *os.File, at uint64) (string, error) {
	const page = 4096
	var out []byte
	for len(out) < unix.PathMax {
		piece := make([]byte, page-at%page)
		n, err := mem.ReadAt(piece, int64(at))
		if n == 0 {
			return "", errors.Join(errPath, err)
		}
		if end := bytes.IndexByte(piece[:n], 0); end >= 0 {
			return string(append(out, piece[:end]...)), nil
		}
		out = append(out, piece[:n]...)
		at += uint64(n)
	}
	return "", errPath
}

// openBase opens the directory that a path of another process begins from. Paths through /proc mean another process
// there than here.
func openBase(pid uint32, dir int32, path string) (int, error) {
	base := fmt.Sprintf("/proc/%d/cwd", pid)
	switch {
	case path == "" || path == "/proc" || strings.HasPrefix(path, "/proc/"):
		return -1, errPath
	case strings.HasPrefix(path, "/"):
		base = "/"
	case dir != unix.AT_FDCWD:
		base = fmt.Sprintf("/proc/%d/fd/%d", pid, dir)
	}
	return unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

func isDir(at int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(at, strings.TrimRight(name, "/"), &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}
