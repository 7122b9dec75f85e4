package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The flags of a mount in the sandbox: no set-user-ID, no devices, and for most no writing.
const (
	attrSafe     = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrReadOnly = attrSafe | unix.MOUNT_ATTR_RDONLY
)

// devices that every program may use.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// tree is a copy of a part of the file system that is not mounted anywhere yet.
type tree struct {
	path string
	fd   int
}

// copyTree copies what is mounted at path, with everything below it.
func copyTree(path string, attr uint64) (tree, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return tree{}, fmt.Errorf("copy the mount of %s: %w", path, err)
	}
	if attr != 0 {
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr}); err != nil {
			unix.Close(fd)
			return tree{}, fmt.Errorf("restrict the mount of %s: %w", path, err)
		}
	}
	return tree{path, fd}, nil
}

// mount puts the tree at its place and closes it.
func (t tree) mount() error { return t.mountAt(t.path) }

func (t tree) mountAt(path string) error {
	defer unix.Close(t.fd)
	if err := unix.MoveMount(t.fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return nil
}

// mountAll builds the file system of the sandbox in this mount namespace.
func (p plan) mountAll() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separate the mounts: %w", err)
	}
	roots, err := p.copyRoots()
	if err != nil {
		return err
	}
	devs := copyDevices()
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attrReadOnly}); err != nil {
		return fmt.Errorf("make everything read-only: %w", err)
	}
	steps := []func() error{
		p.mountTemp,
		func() error { return mountRoots(roots) },
		p.mountGuards,
		func() error { return mountDevices(devs) },
		p.mountProc,
		p.mountMasks,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// copyRoots copies what will be writable, and what a temporary directory would hide.
func (p plan) copyRoots() ([]tree, error) {
	var list []tree
	paths := append(slices.Clone(p.Writable), p.Visible...)
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		attr := uint64(attrReadOnly)
		if slices.Contains(p.Writable, path) {
			attr = attrSafe
		} else if !hiddenByTemp(path) {
			continue
		} else if slices.ContainsFunc(p.Writable, func(w string) bool { return inside(path, w) }) {
			continue
		}
		t, err := copyTree(path, attr)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func hiddenByTemp(path string) bool {
	return slices.ContainsFunc(tempDirs, func(d string) bool { return inside(path, d) })
}

// mountRoots puts them back, outer ones first; in a temporary directory their place must be made.
func mountRoots(roots []tree) error {
	for _, t := range roots {
		if hiddenByTemp(t.path) {
			makePlace(t)
		}
		if err := t.mount(); err != nil {
			return err
		}
	}
	return nil
}

// makePlace makes the directory or file on which a tree is mounted. An error shows when it is mounted.
func makePlace(t tree) {
	var st unix.Stat_t
	if unix.Fstat(t.fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		os.MkdirAll(filepath.Dir(t.path), 0o755)
		makeFile(t.path, 0o600)
		return
	}
	os.MkdirAll(t.path, 0o755)
}

func makeFile(path string, mode os.FileMode) {
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, mode); err == nil {
		f.Close()
	}
}

// mountTemp gives the sandbox temporary directories of its own. They are kept in memory and end with it.
func (p plan) mountTemp() error {
	for _, d := range tempDirs {
		st, err := os.Lstat(d)
		if err != nil || !st.IsDir() {
			continue // absent, or /var/run as a link
		}
		mode, size := "1777", p.Limits.TempBytes
		if d == "/run" || d == "/var/run" {
			mode, size = "755", 1<<20
		}
		if err := mountTmpfs(d, fmt.Sprintf("mode=%s,size=%d", mode, size)); err != nil {
			return err
		}
	}
	return nil
}

func mountTmpfs(path, options string) error {
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mount a private %s: %w", path, err)
	}
	return nil
}

// mountGuards keeps protected paths read-only and pins the directories that lead to them.
func (p plan) mountGuards() error {
	for _, g := range p.Guard {
		attr := uint64(attrReadOnly)
		if g.Pin {
			attr = attrSafe
		}
		t, err := copyTree(g.Path, attr)
		if err != nil {
			return err
		}
		if err := t.mount(); err != nil {
			return err
		}
	}
	return nil
}

// copyDevices copies the harmless devices before devices are switched off everywhere.
func copyDevices() []tree {
	var list []tree
	for _, name := range devices {
		if t, err := copyTree("/dev/"+name, unix.MOUNT_ATTR_NOSUID); err == nil {
			list = append(list, t)
		}
	}
	return list
}

// mountDevices builds a /dev that holds the harmless devices only.
func mountDevices(devs []tree) error {
	if err := mountTmpfs("/dev", "mode=755,size=64k"); err != nil {
		return err
	}
	for _, t := range devs {
		makeFile(t.path, 0o600)
		if err := t.mount(); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return err
		}
	}
	for _, d := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	if err := mountTmpfs("/dev/shm", "mode=1777,size=64m"); err != nil {
		return err
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("mount private terminals: %w", err)
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/dev", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// mountProc shows the processes of the sandbox only, and bounds their number where rlimits cannot: root has none.
func (p plan) mountProc() error {
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount a private /proc: %w", err)
	}
	if boundedByNamespace() {
		if err := os.WriteFile("/proc/sys/kernel/pid_max", []byte(fmt.Sprint(max(p.Limits.Processes, minPIDMax))), 0); err != nil && p.Root {
			return fmt.Errorf("bound the number of processes: %w", err)
		}
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/proc", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// boundedByNamespace reports a kernel where every PID namespace has a bound of its own, since Linux 6.14. Before, the
// same file is the whole machine's, and root of a namespace that is root outside, too, would change it there.
func boundedByNamespace() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	return since(unix.ByteSliceToString(u.Release[:]), 6, 14)
}

// since reports a kernel's release of at least this version.
func since(release string, major, minor int) bool {
	var a, b int
	if n, err := fmt.Sscanf(release, "%d.%d", &a, &b); n != 2 || err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

// minPIDMax is the smallest bound that the kernel takes: 300 numbers are reserved.
const minPIDMax = 301

// mountMasks hides secrets and sockets under empty directories and an unreadable file.
func (p plan) mountMasks() error {
	const void = "/dev/shm/.void"
	made := false
	for _, path := range p.Mask {
		st, err := os.Stat(path)
		if err != nil || underMasked(path, p.Mask) {
			continue // already hidden with its directory
		}
		if st.IsDir() {
			err = mountTmpfs(path, "mode=000,size=4k,ro")
		} else {
			if !made {
				makeFile(void, 0o000)
				made = true
			}
			var t tree
			if t, err = copyTree(void, attrReadOnly); err == nil {
				err = t.mountAt(path)
			}
		}
		if err != nil {
			return fmt.Errorf("mask %s: %w", path, err)
		}
	}
	if made {
		os.Remove(void)
	}
	return nil
}

func underMasked(path string, masks []string) bool {
	return slices.ContainsFunc(masks, func(m string) bool { return m != path && strings.HasPrefix(path, m+"/") })
}
