package sandbox

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"helve/internal/fsroot"
)

const (
	// adoptedEntries bounds what is moved for one rename: a program that wants to move more gets the kernel's refusal,
	// and copies by itself or tells.
	adoptedEntries = 100_000
	// adoptRounds is how often what others put into a directory meanwhile is moved after the rest.
	adoptRounds = 3
	// adoptSuffix ends the name of a directory that is being adopted; every listing of ours leaves such names out.
	adoptSuffix = ".tmp"
	adoptPrefix = ".helve-"
	// modeBits are the bits of a mode that chmod sets.
	modeBits = 0o7777
)

// adopt makes a directory the layer's own: a new one takes everything that is in it, and then its name. If that fails,
// what was moved goes back.
func adopt(at int, name string) error {
	name = strings.TrimRight(name, "/")
	up, err := openPath(at, path.Dir(name))
	if err != nil {
		return err
	}
	defer unix.Close(up)
	a := &adoption{}
	draft := adoptPrefix + strings.ToLower(rand.Text()[:12]) + adoptSuffix
	return a.replace(up, path.Base(name), draft)
}

func openPath(at int, path string) (int, error) {
	return unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// An adoption counts what it moves.
type adoption struct {
	entries int
}

// replace puts a new directory with everything that was in it in the place of another one.
func (a *adoption) replace(up int, name, draft string) error {
	if err := a.fill(up, name, up, draft); err != nil {
		return err
	}
	err := unix.Renameat2(up, draft, up, name, unix.RENAME_NOREPLACE)
	if err != nil { // somebody made something of that name in this moment: an empty directory gives way
		return unix.Renameat(up, draft, up, name)
	}
	return nil
}

// fill makes a directory like another one, moves everything into it, and removes the other one.
func (a *adoption) fill(fromUp int, from string, toUp int, to string) error {
	if err := unix.Mkdirat(toUp, to, 0o700); err != nil {
		return err
	}
	source, err := openPath(fromUp, from)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	target, err := openPath(toUp, to)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return err
	}
	err = a.moveAll(source, target, st.Mode)
	if err == nil {
		err = dress(source, target, st)
	}
	if err != nil {
		return errors.Join(err, takeBack(source, target, st.Mode), unix.Unlinkat(toUp, to, unix.AT_REMOVEDIR))
	}
	return a.removeOld(fromUp, from, source, target)
}

// removeOld removes the directory that was emptied. What others put into it meanwhile is moved, too.
func (a *adoption) removeOld(up int, name string, source, target int) error {
	var err error
	for range adoptRounds {
		err = unix.Unlinkat(up, name, unix.AT_REMOVEDIR)
		if !errors.Is(err, unix.ENOTEMPTY) {
			return err
		}
		if err := a.moveAll(source, target, ownerWrites); err != nil {
			return err
		}
	}
	return err
}

// ownerWrites are the permissions without which an owner can take nothing out of a directory. To rename it as a whole
// none are needed.
const ownerWrites = 0o300

// moveAll moves the entries of a directory with the given mode to another one. Files are renamed, which the overlay
// can; directories are filled anew.
func (a *adoption) moveAll(source, target int, mode uint32) error {
	if mode&ownerWrites != ownerWrites {
		if err := unix.Fchmod(source, mode&modeBits|ownerWrites); err != nil {
			return err
		}
	}
	names, err := entries(source)
	if err != nil {
		return err
	}
	if a.entries += len(names); a.entries > adoptedEntries {
		return unix.EXDEV
	}
	for _, name := range names {
		err := unix.Renameat2(source, name, target, name, unix.RENAME_NOREPLACE)
		if errors.Is(err, unix.EXDEV) {
			err = a.fill(source, name, target, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeBack moves everything back.
func takeBack(source, target int, mode uint32) error {
	names, err := entries(target)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := unix.Renameat2(target, n, source, n, unix.RENAME_NOREPLACE); err != nil {
			return err
		}
	}
	return unix.Fchmod(source, mode&modeBits)
}

// entries lists a directory as it is now, whatever was listed of it before.
func entries(dir int) ([]string, error) {
	fd, err := openPath(dir, ".")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	names, err := f.Readdirnames(adoptedEntries + 1)
	if err == io.EOF {
		err = nil
	}
	return names, err
}

// dress gives a new directory the attributes, the owner, the mode and the time of the one that it replaces.
func dress(source, target int, st unix.Stat_t) error {
	from, to := duplicate(source), duplicate(target)
	defer from.Close()
	defer to.Close()
	if err := fsroot.KeepAttrs(to, from); err != nil {
		return err
	}
	var now unix.Stat_t
	if err := unix.Fstat(target, &now); err != nil {
		return err
	}
	if now.Uid != st.Uid || now.Gid != st.Gid {
		if err := unix.Fchown(target, int(st.Uid), int(st.Gid)); err != nil {
			return err
		}
	}
	if err := unix.Fchmod(target, st.Mode&modeBits); err != nil {
		return err
	}
	times := []unix.Timespec{st.Atim, st.Mtim}
	return unix.UtimesNanoAt(target, ".", times, 0)
}

// duplicate is a descriptor as a file, which is closed by itself.
func duplicate(fd int) *os.File {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil // its methods say so
	}
	return os.NewFile(uintptr(own), ".")
}
