//go:build unix

package change

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// A dir is a directory held open. Names are looked up in it and nowhere else, whatever is put in its place meanwhile.
type dir struct{ fd int }

// openDir opens a directory by its path on this host; links on the way are followed.
func openDir(path string) (*dir, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, dirFlags, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &dir{fd}, nil
}

// enter opens a directory in d. A link is not followed: it is ENOTDIR or ELOOP.
func (d *dir) enter(name string) (*dir, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, dirFlags|unix.O_NOFOLLOW, 0) })
	if err != nil {
		return nil, named("enter", name, err)
	}
	return &dir{fd}, nil
}

func (d *dir) close() { unix.Close(d.fd) }

// look tells what stands at a name. Nothing is the zero Entry, not an error.
func (d *dir) look(name string) (Entry, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return Entry{}, nil
	case err != nil:
		return Entry{}, named("look at", name, err)
	}
	e := entryOf(&st)
	if e.Type == Link {
		target, err := d.readlink(name)
		if err != nil {
			return Entry{}, err
		}
		e.Target = Name(target)
	}
	return e, nil
}

func entryOf(st *unix.Stat_t) Entry {
	e := Entry{
		Mode:    fs.FileMode(st.Mode) & fs.ModePerm,
		Time:    modified(st),
		Changed: altered(st),
		Owner:   Owner{User: st.Uid, Group: st.Gid, Known: true},
		ID:      ID{Device: uint64(st.Dev), Inode: uint64(st.Ino)},
	}
	special := []struct{ bit, mode uint32 }{
		{unix.S_ISUID, uint32(fs.ModeSetuid)},
		{unix.S_ISGID, uint32(fs.ModeSetgid)},
		{unix.S_ISVTX, uint32(fs.ModeSticky)},
	}
	for _, s := range special {
		if uint32(st.Mode)&s.bit != 0 {
			e.Mode |= fs.FileMode(s.mode)
		}
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		e.Type, e.Size, e.Names = File, st.Size, uint64(st.Nlink)
	case unix.S_IFDIR:
		e.Type = Dir
	case unix.S_IFLNK:
		e.Type = Link
	default:
		e.Type, e.Device = Other, uint64(st.Rdev)
	}
	return e
}

// bits are a mode as the system takes it.
func bits(m fs.FileMode) uint32 {
	out := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		out |= unix.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		out |= unix.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		out |= unix.S_ISVTX
	}
	return out
}

func (d *dir) readlink(name string) (string, error) {
	buf := make([]byte, maxPath+1) // one more than a target can have
	n, err := unix.Readlinkat(d.fd, name, buf)
	if err != nil {
		return "", named("read link", name, err)
	}
	return string(buf[:n]), nil
}

// create makes a file that is not there yet.
func (d *dir) create(name string) (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, flags, 0o600) })
	if err != nil {
		return nil, named("create", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// open opens a file for reading. A pipe is not waited for, a link not followed.
func (d *dir) open(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, flags, 0) })
	if err != nil {
		return nil, named("open", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (d *dir) mkdir(name string) error {
	return named("make directory", name, unix.Mkdirat(d.fd, name, 0o700))
}

func (d *dir) symlink(target, name string) error {
	return named("link", name, unix.Symlinkat(target, d.fd, name))
}

func (d *dir) remove(name string, isDir bool) error {
	flags := 0
	if isDir {
		flags = unix.AT_REMOVEDIR
	}
	return named("remove", name, unix.Unlinkat(d.fd, name, flags))
}

// chmod sets the mode of a file or directory, never of what a link leads to.
func (d *dir) chmod(name string, mode fs.FileMode) error {
	err := unix.Fchmodat(d.fd, name, bits(mode), unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		err = d.chmodOpen(name, mode) // Linux before 6.6
	}
	return named("change mode", name, err)
}

// touch sets when the content was changed.
func (d *dir) touch(name string, nanoseconds int64) error {
	at := unix.NsecToTimespec(nanoseconds)
	times := []unix.Timespec{at, at} // when it was read is nobody's business here
	return named("set time", name, unix.UtimesNanoAt(d.fd, name, times, unix.AT_SYMLINK_NOFOLLOW))
}

func (d *dir) chown(name string, o Owner) error {
	return named("change owner", name, unix.Fchownat(d.fd, name, int(o.User), int(o.Group), unix.AT_SYMLINK_NOFOLLOW))
}

// names lists what is in d, in no order, up to most names; more tells that there are others.
func (d *dir) names(most int) (list []string, more bool, err error) {
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, false, named("list", ".", err)
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	list, err = f.Readdirnames(most + 1)
	if err == io.EOF {
		err = nil
	}
	if len(list) > most {
		return list[:most], true, err
	}
	return list, false, err
}

// empty reports that nothing is in the directory called name.
func (d *dir) empty(name string) (bool, error) {
	sub, err := d.enter(name)
	if err != nil {
		return false, err
	}
	defer sub.close()
	list, _, err := sub.names(1)
	return len(list) == 0, err
}

// flush has the directory's names reach the disk.
func (d *dir) flush() error {
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return named("flush", ".", err)
	}
	defer unix.Close(fd)
	return named("flush", ".", unix.Fsync(fd))
}

// sameMount reports that a rename from one directory to the other is possible.
func sameMount(a, b *dir) bool {
	x, ok := mountOf(a)
	y, ok2 := mountOf(b)
	runtime.KeepAlive(a)
	return ok && ok2 && x == y
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// named gives an error of the system its operation and name; nil stays nil.
func named(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
