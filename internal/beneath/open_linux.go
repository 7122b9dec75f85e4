//go:build !portable

package beneath

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Open opens what lies at a path below an open directory. flags are those of open(2); O_CLOEXEC and O_NOFOLLOW are
// always set. A link, at the path or on the way to it, is ELOOP; with O_DIRECTORY a link at the path itself may be
// ENOTDIR, as open(2) has it. perm is that of a file that O_CREAT makes.
func Open(dir int, path string, flags int, perm uint32) (int, error) {
	path = strings.TrimSuffix(path, "/") // with it, openat follows a link in spite of O_NOFOLLOW
	flags |= unix.O_CLOEXEC | unix.O_NOFOLLOW
	switch {
	case path == "..", strings.HasPrefix(path, "/"), strings.HasPrefix(path, "../"):
		return -1, unix.EXDEV
	case path == "":
		path = "."
	}
	if !strings.Contains(path, "/") {
		return openName(dir, path, flags, perm) // one name that is not followed is below: two thirds of the time
	}
	if hasOpenat2() {
		return openPath(dir, path, flags, perm)
	}
	return descend(dir, path, flags, perm)
}

// openName opens an entry of a directory, again if a signal interrupted it.
func openName(dir int, name string, flags int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, perm)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// maxAgain bounds how often a path is opened again because the tree changed in that moment. The kernel asks for it only
// where it walks upwards, which clean paths never do.
const maxAgain = 100

// openPath has the kernel walk the whole path.
func openPath(dir int, path string, flags int, perm uint32) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	if flags&unix.O_CREAT != 0 {
		how.Mode = uint64(perm)
	}
	var fd int
	var err error
	for range maxAgain {
		fd, err = unix.Openat2(dir, path, &how)
		if err != unix.EINTR && err != unix.EAGAIN {
			break
		}
	}
	return fd, err
}

// hasOpenat2 asks the kernel once. A filter around this process may refuse the call, too.
var hasOpenat2 = sync.OnceValue(func() bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC})
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
})

// descend opens a path one name after the other. No name has a slash behind it, and none is followed.
func descend(dir int, path string, flags int, perm uint32) (int, error) {
	at := dir
	for {
		name, rest, more := strings.Cut(path, "/")
		if name == ".." {
			closeOther(at, dir)
			return -1, unix.EXDEV
		}
		if !more {
			fd, err := openName(at, name, flags, perm)
			closeOther(at, dir)
			return fd, err
		}
		next, err := openName(at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err == unix.ENOTDIR && isLink(at, name) {
			err = unix.ELOOP
		}
		closeOther(at, dir)
		if err != nil {
			return -1, err
		}
		at, path = next, rest
	}
}

// closeOther closes a directory on the way, not the one at which it began.
func closeOther(fd, dir int) {
	if fd != dir {
		unix.Close(fd)
	}
}

func isLink(dir int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

// Stat tells what lies at a path below an open directory. A link at the path itself is a link; one on the way to it is
// ELOOP.
func Stat(dir int, path string, st *unix.Stat_t) error {
	if !strings.Contains(path, "/") && path != ".." {
		return unix.Fstatat(dir, path, st, unix.AT_SYMLINK_NOFOLLOW)
	}
	fd, err := Open(dir, path, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fstat(fd, st)
}
