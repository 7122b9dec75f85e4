//go:build unix

package change

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A dir is a directory held open. Names are looked up in it and nowhere else, whatever is put in its place meanwhile.
type dir struct{ fd int }

// openDir opens a directory by its path on this host; links on the way are followed.
func openDir(path string) (*dir, error) {
	fd, err := openat(unix.AT_FDCWD, path, dirFlags)
	if err != nil {
		return nil, named("open", path, err)
	}
	return &dir{fd}, nil
}

// enter opens a directory in d. A link is not followed: it is ENOTDIR or ELOOP.
func (d *dir) enter(name string) (*dir, error) {
	fd, err := openat(d.fd, name, dirFlags|unix.O_NOFOLLOW)
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

// entryOf is what the system says of an entry. A directory's size means nothing to anybody.
func entryOf(st *unix.Stat_t) Entry {
	e := Entry{
		Mode:    fs.FileMode(st.Mode) & fs.ModePerm,
		Time:    modified(st),
		Changed: altered(st),
		Owner:   Owner{User: st.Uid, Group: st.Gid, Known: true},
		ID:      ID{Device: uint64(st.Dev), Inode: uint64(st.Ino)},
	}
	for _, s := range specialBits {
		if uint32(st.Mode)&s.bit != 0 {
			e.Mode |= s.mode
		}
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		e.Type, e.Size, e.Names = File, st.Size, uint64(st.Nlink)
	case unix.S_IFDIR:
		e.Type = Dir
	case unix.S_IFLNK:
		e.Type = Link
	case unix.S_IFIFO:
		e.Type = Pipe
	case unix.S_IFSOCK:
		e.Type = Socket
	default:
		e.Type, e.Number = Device, uint64(st.Rdev)
	}
	return e
}

// bits are a mode as the system takes it.
func bits(m fs.FileMode) uint32 {
	out := uint32(m.Perm())
	for _, s := range specialBits {
		if m&s.mode != 0 {
			out |= s.bit
		}
	}
	return out
}

// specialBits are the bits of a mode beside the permissions, for the system and for Go.
var specialBits = [...]struct {
	bit  uint32
	mode fs.FileMode
}{
	{unix.S_ISUID, fs.ModeSetuid},
	{unix.S_ISGID, fs.ModeSetgid},
	{unix.S_ISVTX, fs.ModeSticky},
}

// readlink reads where a link leads.
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
	fd, err := openat(d.fd, name, flags)
	if err != nil {
		return nil, named("create", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// open opens a file for reading. A pipe is not waited for, a link not followed.
func (d *dir) open(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := openat(d.fd, name, flags)
	if err != nil {
		return nil, named("open", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// mkdir makes a directory that is nobody else's until it has its own mode.
func (d *dir) mkdir(name string) error {
	return named("make directory", name, unix.Mkdirat(d.fd, name, 0o700))
}

func (d *dir) symlink(target, name string) error {
	return named("link", name, unix.Symlinkat(target, d.fd, name))
}

// replace gives a file another name in d, in place of the file that has it.
func (d *dir) replace(name, by string) error {
	return named("replace", by, unix.Renameat(d.fd, name, d.fd, by))
}

// remove removes a name; a directory must be empty.
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
	switch err {
	case unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL: // Linux before 6.6
		err = d.chmodOpen(name, mode)
	}
	return named("change mode", name, err)
}

// touch sets when the content was changed.
func (d *dir) touch(name string, nanoseconds int64) error {
	at := unix.NsecToTimespec(nanoseconds)
	times := []unix.Timespec{at, at} // when it was read is of no interest here
	err := unix.UtimesNanoAt(d.fd, name, times, unix.AT_SYMLINK_NOFOLLOW)
	return named("set time", name, err)
}

func (d *dir) chown(name string, o Owner) error {
	user, group := int(o.User), int(o.Group)
	err := unix.Fchownat(d.fd, name, user, group, unix.AT_SYMLINK_NOFOLLOW)
	return named("change owner", name, err)
}

// flush has the directory's names reach the disk.
func (d *dir) flush() error {
	f, err := d.listing()
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// listing opens the directory itself for reading: d may be open for names only.
func (d *dir) listing() (*os.File, error) {
	fd, err := openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return nil, named("list", ".", err)
	}
	return os.NewFile(uintptr(fd), "."), nil
}

// sameMount reports that a rename from one directory to the other is possible.
func sameMount(a, b *dir) bool {
	x, ok := mountOf(a)
	y, known := mountOf(b)
	return ok && known && x == y
}

// newFileMode is the mode of a file that is being made: nobody else's until it has its own.
const newFileMode = 0o600

// openat opens a name in a directory, again if a signal interrupted it.
func openat(fd int, name string, flags int) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags, newFileMode)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// dirAttributes copies a directory's attributes. An access list by default holds for what comes into it from now on.
func (c *copier) dirAttributes(to, from *dir) error {
	in, err := from.listing()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.listing()
	if err != nil {
		return err
	}
	defer out.Close()
	return c.attributes(out, in)
}

// SameMode tells whether two modes of a file are one to this system.
func SameMode(a, b fs.FileMode) bool { return a == b }
