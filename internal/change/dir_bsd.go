//go:build unix && !linux

package change

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

func modified(st *unix.Stat_t) int64 { return st.Mtim.Nano() }
func altered(st *unix.Stat_t) int64  { return st.Ctim.Nano() }

// mountOf is the file system: it is mounted once.
func mountOf(d *dir) (uint64, bool) {
	var st unix.Stat_t
	err := unix.Fstat(d.fd, &st)
	return uint64(st.Dev), err == nil
}

func (d *dir) chmodOpen(name string, mode fs.FileMode) error { return unix.EOPNOTSUPP }

func (p plain) rename(from *dir, name string, to *dir, newName string) error {
	return renameSlowly(from, name, to, newName)
}

func (p plain) exchange(a *dir, name string, b *dir, other string) error {
	return exchangeSlowly(a, name, b, other)
}
