package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The flags of a mount in the sandbox: no set-user-ID, no devices, and for most no writing.
const (
	attrSafe     = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrReadOnly = attrSafe | unix.MOUNT_ATTR_RDONLY
)

// tree is a copy of a part of the file system that is not mounted anywhere yet.
type tree struct {
	path string
	fd   int
}

// copyTree copies what is mounted at path, with everything below it.
func copyTree(path string, attr uint64) (tree, error) {
	const whole = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, whole)
	if err != nil {
		return tree{}, fmt.Errorf("copy the mount of %s: %w", path, err)
	}
	if attr == 0 {
		return tree{path, fd}, nil
	}
	err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr})
	if err != nil {
		unix.Close(fd)
		return tree{}, fmt.Errorf("restrict the mount of %s: %w", path, err)
	}
	return tree{path, fd}, nil
}

// mount puts the tree at its place and closes it.
func (t tree) mount() error { return t.mountAt(t.path) }

func (t tree) mountAt(path string) error {
	defer unix.Close(t.fd)
	err := unix.MoveMount(t.fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
	if err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return nil
}

// mountAll builds the file system of the sandbox in this mount namespace. What is to be writable or visible is copied
// before everything becomes read-only and the temporary directories are covered, and mounted again after it.
func (p plan) mountAll() error {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err != nil {
		return fmt.Errorf("separate the mounts: %w", err)
	}
	roots, err := p.copyRoots()
	if err != nil {
		return err
	}
	if err := p.copyKept(); err != nil {
		return err
	}
	devs := p.copyDevices()
	shared, err := p.copyShared()
	if err != nil {
		return err
	}
	if p.Reads != nil {
		return p.mountConfined(roots, devs)
	}
	err = unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attrReadOnly})
	if err != nil {
		return fmt.Errorf("make everything read-only: %w", err)
	}
	steps := []func() error{
		p.mountTemp,
		func() error { return mountRoots(roots) },
		p.mountGuards,
		func() error { return mountDevices(devs) },
		p.mountProc,
		p.mountMasks,
		func() error { return mountRoots(shared) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mountConfined builds a root directory that holds what may be read, and nothing else.
func (p plan) mountConfined(shown, devs []tree) error {
	if err := newRoot(); err != nil {
		return err
	}
	steps := []func() error{
		p.mountProc, // while the old one is still there
		leaveOldRoot,
		p.mountTemp,
		p.Reads.furnish,
		func() error { return mountRoots(shown) },
		p.mountGuards,
		func() error { return mountDevices(devs) },
		p.mountMasks,
		p.Reads.close,
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
	if p.Reads != nil {
		paths = append(paths, p.Reads.Show...)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for _, l := range p.Layers {
		t, err := p.lay(l)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	for _, path := range paths {
		attr := uint64(attrReadOnly)
		switch {
		case p.layered(path), path == sharedMemory:
			continue // a layer's root, or in it; and what /dev would cover
		case slices.Contains(p.Writable, path):
			attr = attrSafe
		case p.Level == Light: // a home in a temporary directory
		case p.Reads == nil && !hiddenByTemp(path), insideAny(path, p.Writable):
			continue // visible without a copy of its own
		}
		if attr == attrReadOnly && p.Reads != nil && underOther(path, paths) {
			continue // shown with the directory that it lies in
		}
		t, err := copyTree(path, attr)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	// Outer ones come first: a layer may lie in a directory that is shown or writable.
	sort.SliceStable(list, func(i, j int) bool { return list[i].path < list[j].path })
	return list, nil
}

func hiddenByTemp(path string) bool { return insideAny(path, tempDirs) }

// mountRoots puts them back, outer ones first; in a temporary directory their place must be made.
func mountRoots(roots []tree) error {
	for _, t := range roots {
		makePlace(t)
		if err := t.mount(); err != nil {
			return err
		}
	}
	return nil
}

// makePlace makes the directory or file on which a tree is mounted. An error shows when it is mounted.
func makePlace(t tree) {
	var st unix.Stat_t
	isFile := unix.Fstat(t.fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR
	if isFile {
		os.MkdirAll(filepath.Dir(t.path), 0o755)
		makeFile(t.path, 0o600)
		return
	}
	os.MkdirAll(t.path, 0o755)
}

// makeFile makes an empty file to mount on.
func makeFile(path string, mode os.FileMode) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, mode)
	if err == nil {
		f.Close()
	}
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

// freeze makes one mount read-only, not those below it.
func freeze(path string) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// mountProc shows the processes of the sandbox only, and bounds their number where rlimits cannot: root has none.
func (p plan) mountProc() error {
	err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err != nil {
		return fmt.Errorf("mount a private /proc: %w", err)
	}
	if boundedByNamespace() {
		most := fmt.Sprint(max(p.Limits.Processes, minPIDMax))
		err = os.WriteFile("/proc/sys/kernel/pid_max", []byte(most), 0)
		if err != nil && p.Root { // others have the limit on a user's processes
			return fmt.Errorf("bound the number of processes: %w", err)
		}
	}
	if p.Level == Light && !p.Root {
		return nil // a browser writes there which numbers its own sandbox has
	}
	return freeze("/proc")
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
	_, err := fmt.Sscanf(release, "%d.%d", &a, &b)
	if err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

// minPIDMax is the smallest bound that the kernel takes: 300 numbers are reserved.
const minPIDMax = 301

// void is an unreadable file that masked files are covered with. It has a name only while the mounts are made.
const void = "/dev/shm/.void"

// mountMasks hides secrets and sockets under empty directories and an unreadable file.
func (p plan) mountMasks() error {
	makeFile(void, 0o000)
	defer os.Remove(void)
	for _, path := range p.Mask {
		st, err := os.Stat(path)
		if err != nil || underOther(path, p.Mask) {
			continue // already hidden with its directory
		}
		if st.IsDir() {
			err = mountTmpfs(path, "mode=000,size=4k,ro")
		} else {
			err = p.coverFile(path)
		}
		if err != nil {
			return fmt.Errorf("mask %s: %w", path, err)
		}
	}
	return nil
}

// coverFile hides a file under one that cannot be read, or under what of it may be.
func (p plan) coverFile(path string) error {
	over := void
	i := slices.IndexFunc(p.Covers, func(c cover) bool { return c.Path == path })
	if i >= 0 {
		over = void + strconv.Itoa(i)
		if err := os.WriteFile(over, p.Covers[i].Text, 0o444); err != nil {
			return err
		}
		defer os.Remove(over)
	}
	t, err := copyTree(over, attrReadOnly)
	if err != nil {
		return err
	}
	return t.mountAt(path)
}

// underOther reports a path below another one of a list.
func underOther(path string, masks []string) bool {
	return slices.ContainsFunc(masks, func(m string) bool {
		return m != path && strings.HasPrefix(path, m+"/")
	})
}
