package history

import "golang.org/x/sys/unix"

// bornAs tells which folder is at a path.
func bornAs(path string) birth {
	var st unix.Statx_t
	const want = unix.STATX_INO | unix.STATX_BTIME
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, want, &st)
	if err != nil || st.Mask&want != want {
		return birth{}
	}
	return birth{
		Inode: st.Ino,
		Born:  st.Btime.Sec*1e9 + int64(st.Btime.Nsec),
	}
}
