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

// chmodOpen has no other way here.
func (d *dir) chmodOpen(string, fs.FileMode) error { return unix.EOPNOTSUPP }

func (p plain) rename(from, to spot) error { return renameSlowly(from, to) }

func (p plain) exchange(a, b spot) error { return exchangeSlowly(a, b) }

// special has no call here that makes one in an open directory.
func (d *dir) special(string, Type) error { return unix.EOPNOTSUPP }
