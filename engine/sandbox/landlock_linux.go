package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights of Landlock in the words of this package. Bits by include/uapi/linux/landlock.h.
const (
	llExecute    = 1 << 0
	llWriteFile  = 1 << 1
	llReadFile   = 1 << 2
	llReadDir    = 1 << 3
	llTruncate   = 1 << 14
	llIoctlDev   = 1 << 15
	llRead       = llExecute | llReadFile | llReadDir
	llOnFiles    = llExecute | llWriteFile | llReadFile | llTruncate | llIoctlDev
	llNet        = 1<<0 | 1<<1 // bind and connect by TCP
	llScopeAll   = 1<<0 | 1<<1 // abstract sockets, signals
	llRulePath   = 1
	llVersionAsk = 1
)

// llRights returns the file rights that a version of Landlock knows: rules that name others are refused. Version 2
// added moves between directories, 3 truncation, 5 ioctl on devices.
func llRights(abi int) uint64 {
	switch {
	case abi >= 5:
		return 1<<16 - 1
	case abi >= 3:
		return 1<<15 - 1
	case abi == 2:
		return 1<<14 - 1
	}
	return 1<<13 - 1
}

// landlockABI is the kernel's version of Landlock, 0 without.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, llVersionAsk)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// landlock confines this thread and what it starts. Inside namespaces it is a second wall; alone it is the only one.
func (p plan) landlock(abi int) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: llRights(abi)}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= 4 {
		size += unsafe.Sizeof(attr.Handled_access_net)
		// In a network namespace nobody is reachable anyway, and loopback should work.
		if p.Mechanism == Landlock && !p.Network {
			attr.Handled_access_net = llNet
		}
	}
	if abi >= 6 {
		size += unsafe.Sizeof(attr.Scoped)
		attr.Scoped = llScopeAll
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: create rules: %w", errno)
	}
	defer unix.Close(int(fd))
	err := p.landlockRules(int(fd), llRights(abi))
	if err != nil {
		return err
	}
	_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: restrict: %w", errno)
	}
	return nil
}

// landlockRules allows reading everything but what is masked, and writing what the level allows to write. What no
// rule allows is denied.
func (p plan) landlockRules(fd int, rights uint64) error {
	err := p.landlockReads(fd)
	if err != nil {
		return err
	}
	write := append(slices.Clone(p.Writable), p.Temp)
	if p.Mechanism != Landlock { // the mounts made these private
		write = append(slices.Clone(p.Writable), "/tmp", "/var/tmp", "/dev/shm", "/dev/pts")
	}
	if p.Level == Light && !p.Root {
		write = append(write, "/proc") // see mountProc; what is the machine's there, only root may change
	}
	for _, dir := range write {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if err := allow(fd, dir, rights); err != nil {
			return err
		}
	}
	for _, name := range devices {
		err := allow(fd, "/dev/"+name, llOnFiles&rights)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	// The command may open its own /dev/stdout and /dev/stderr.
	for stream := range 3 {
		err := allowOpen(fd, stream, llOnFiles&rights)
		if err != nil && err != unix.EBADFD { // a pipe needs no rule
			return fmt.Errorf("landlock: descriptor %d: %w", stream, err)
		}
	}
	return nil
}

// landlockReads allows reading. Where mounts hide what is masked, everything may be read; alone, Landlock hides it,
// and names stay visible everywhere: programs look at the directories above their own.
func (p plan) landlockReads(fd int) error {
	if p.Mechanism != Landlock {
		return allow(fd, "/", llRead)
	}
	err := allowExcept(fd, "/", llExecute|llReadFile, append(slices.Clone(p.Mask), "/dev"))
	if err != nil {
		return err
	}
	return allow(fd, "/", llReadDir)
}

// allow adds a rule for a path and what lies below it.
func allow(fd int, path string, rights uint64) error {
	d, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	defer unix.Close(d)
	if err := allowOpen(fd, d, rights); err != nil {
		return fmt.Errorf("landlock: rule for %s: %w", path, err)
	}
	return nil
}

// allowOpen adds a rule for what a descriptor names.
func allowOpen(fd, d int, rights uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(d, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= llOnFiles // a file's rule with a directory's rights is refused
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(d)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE,
		uintptr(fd), llRulePath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	runtime.KeepAlive(&attr)
	if errno != 0 {
		return errno
	}
	return nil
}

// maxEntries bounds the rules that go around one masked path.
const maxEntries = 20000

// allowExcept allows everything below dir but the masked paths: Landlock has no rule that takes away.
func allowExcept(fd int, dir string, rights uint64, masks []string) error {
	if slices.Contains(masks, dir) {
		return nil
	}
	if !slices.ContainsFunc(masks, func(m string) bool { return inside(m, dir) }) {
		err := allow(fd, dir, rights)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil // what this process cannot open, the command cannot either
		}
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > maxEntries {
		return nil // nothing below is allowed
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			continue // its target has a place of its own
		}
		err := allowExcept(fd, filepath.Join(dir, e.Name()), rights, masks)
		if err != nil {
			return err
		}
	}
	return nil
}
