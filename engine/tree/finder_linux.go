//go:build !portable

package tree

import (
	"slices"

	"golang.org/x/sys/unix"
)

// telling are the file systems on which a directory's times change with each name that comes or goes, on this machine's
// clock. Those of networks and of programs need not.
var telling = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
	unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
}

// timesTell reports whether a directory's times tell that nothing came or went in it, and which file system that holds
// for.
func (h dirHandle) timesTell() (device uint64, ok bool) {
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Fstatfs(h.fd, &fs) != nil || unix.Fstat(h.fd, &st) != nil {
		return 0, false
	}
	return st.Dev, slices.Contains(telling, int64(fs.Type))
}

// peek is the state of a directory below h, and its file system. A link on the way is followed: whoever compares what
// it finds with what it knows, outer directories first, knows all names on the way.
func (h dirHandle) peek(path string) (st Stat, device uint64, err error) {
	var s unix.Stat_t
	if path == "" {
		err = unix.Fstat(h.fd, &s)
	} else {
		err = unix.Fstatat(h.fd, path[:len(path)-1], &s, unix.AT_SYMLINK_NOFOLLOW)
	}
	return statOf(&s), s.Dev, err
}
