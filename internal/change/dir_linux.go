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
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) })
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), bits(mode))
}

// rename moves an entry to a name where nothing stands; fs.ErrExist if something does.
func (p plain) rename(from *dir, name string, to *dir, newName string) error {
	if p {
		return renameSlowly(from, name, to, newName)
	}
	err := unix.Renameat2(from.fd, name, to.fd, newName, unix.RENAME_NOREPLACE)
	if unknown(err) {
		return renameSlowly(from, name, to, newName)
	}
	return named("rename", newName, err)
}

// exchange has two entries take each other's place, in one step where the file system can.
func (p plain) exchange(a *dir, name string, b *dir, other string) error {
	if p {
		return exchangeSlowly(a, name, b, other)
	}
	err := unix.Renameat2(a.fd, name, b.fd, other, unix.RENAME_EXCHANGE)
	if unknown(err) {
		return exchangeSlowly(a, name, b, other)
	}
	return named("exchange", other, err)
}

// unknown tells that a file system or a kernel does not know the flag of a rename.
func unknown(err error) bool { return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) }
