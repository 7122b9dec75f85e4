package change

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// dirFlags open a directory without the right to list it, which names in it do not need.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

func modified(st *unix.Stat_t) int64 { return st.Mtim.Nano() }
func altered(st *unix.Stat_t) int64  { return st.Ctim.Nano() }

// mountOf is the number of the mount that a directory lies in: renames stay within one, and one file system may be
// mounted more than once.
func mountOf(d *dir) (uint64, bool) {
	var st unix.Statx_t
	err := unix.Statx(d.fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st)
	return st.Mnt_id, err == nil && st.Mask&unix.STATX_MNT_ID != 0
}

// chmodOpen is chmod for kernels whose call cannot spare links: by a descriptor that holds the very entry.
func (d *dir) chmodOpen(name string, mode fs.FileMode) error {
	fd, err := openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), bits(mode))
}

// rename moves an entry to a name where nothing stands; fs.ErrExist if something does.
func (p plain) rename(from, to spot) error {
	if !p {
		err := renameat(from, to, unix.RENAME_NOREPLACE)
		if !unknown(err) {
			return named("rename", to.name, err)
		}
	}
	return renameSlowly(from, to)
}

// exchange has two entries take each other's place, in one step where the file system can.
func (p plain) exchange(a, b spot) error {
	if !p {
		err := renameat(a, b, unix.RENAME_EXCHANGE)
		if !unknown(err) {
			return named("exchange", b.name, err)
		}
	}
	return exchangeSlowly(a, b)
}

func renameat(from, to spot, flags uint) error {
	return unix.Renameat2(from.in.fd, from.name, to.in.fd, to.name, flags)
}

// unknown tells that a file system or a kernel does not know the flag of a rename.
func unknown(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)
}

// special makes a named pipe, or a socket at which nobody listens.
func (d *dir) special(name string, kind Type) error {
	mode := uint32(unix.S_IFIFO)
	if kind == Socket {
		mode = unix.S_IFSOCK
	}
	return named("make "+kind.String(), name, unix.Mknodat(d.fd, name, mode|newFileMode, 0))
}
