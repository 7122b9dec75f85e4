package sandbox

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"helve/internal/resolved"
	"helve/internal/secrets"
)

// A readPlan is the file system of a command whose reads are confined: a new root that holds this and nothing else.
type readPlan struct {
	Show  []string          `json:"show"`  // links resolved, outer ones first
	Links [][2]string       `json:"links"` // names under which they are known, and where these lead
	Files map[string]string `json:"files"` // small files, by path
	Home  string            `json:"home"`  // is empty but for what is shown; "": there is none
	look  resolved.Paths
}

// confines reports that a command reads only what is known to be harmless.
func (o Options) confines(mechanism string) bool {
	return mechanism == Namespaces && !o.wide
}

// reads plans the file system of a command with this environment, which sees the visible paths besides.
func (o Options) reads(env, visible []string) *readPlan {
	r := &readPlan{Files: map[string]string{}, look: o.seen()}
	for _, name := range topLinks() {
		to, err := os.Readlink(name)
		if err == nil {
			r.Links = append(r.Links, [2]string{name, to})
		}
	}
	for _, path := range o.readable(env) {
		r.show(path)
	}
	slices.Sort(r.Show)
	r.Show = slices.Compact(r.Show)
	r.Show = slices.DeleteFunc(r.Show, func(p string) bool { return underOther(p, r.Show) })
	home, ok := realPath(r.look, o.home())
	if ok && r.coverable(home) && !insideAny(home, visible) {
		r.Home = home
		r.person(home, valueOf(env, "XDG_CONFIG_HOME"))
	}
	return r
}

// coverable reports a home that an empty directory can stand for: nothing that every command needs lies in it.
func (r *readPlan) coverable(home string) bool {
	system := append([]string{"/dev", "/proc", "/sys", "/usr", "/etc"}, tempDirs...)
	return filepath.IsAbs(home) && !holdsAny(home, system) && !insideAny(home, r.Show)
}

// show adds a path that is there. One whose name has a link in it is shown at both places.
func (r *readPlan) show(path string) {
	path = filepath.Clean(path)
	real, ok := r.look.There(path)
	if !ok {
		return
	}
	r.Show = append(r.Show, real)
	if real != path && !strings.HasPrefix(path, "/run/") {
		r.Links = append(r.Links, linksOn(path)...)
	}
}

// linksOn are the links on the way to a path that is there, each with where it leads. What else they lead past is not
// shown for that.
func linksOn(path string) [][2]string {
	var out [][2]string
	at, left := "/", strings.Split(path, "/")
	for len(left) > 0 && len(out) < maxLinks {
		next := filepath.Join(at, left[0])
		left = left[1:]
		to, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		out = append(out, [2]string{next, to})
		left = append(strings.Split(to, "/"), left...)
		if filepath.IsAbs(to) {
			at = "/"
		}
	}
	return out
}

// maxSmall bounds a file of settings that is shown.
const maxSmall = 256 << 10

// readSmall reads a regular file of moderate size.
func readSmall(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxSmall {
		return nil, fs.ErrInvalid
	}
	text := make([]byte, st.Size())
	n, err := f.Read(text)
	return text[:max(n, 0)], err
}

// secrets are what lies right in a shown part of the home and is a secret by its name: a tool's token that moved, a
// file that somebody put there. A part with more of them than are masked one by one is not shown.
func (r *readPlan) secrets() []string {
	var out []string
	if r.Home == "" {
		return nil
	}
	r.Show = slices.DeleteFunc(r.Show, func(dir string) bool {
		if !inside(dir, r.Home) {
			return false
		}
		found := secretsIn(dir)
		if len(out)+len(found) > maxPrivate {
			return true
		}
		out = append(out, found...)
		return false
	})
	return out
}

// secretsIn are the paths in a directory that are secrets by their names.
func secretsIn(dir string) []string {
	names, err := namesIn(dir)
	if err != nil {
		return nil // a file, or nobody may list it
	}
	var out []string
	for _, name := range names {
		if path := filepath.Join(dir, name); (*secrets.List)(nil).Has(name) {
			out = append(out, path)
		}
	}
	return out
}

// namesIn are the names in a directory, as many as are looked at.
func namesIn(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(maxHomeEntries)
}

// topLinks are the symbolic links in the root directory: /bin leads to /usr/bin on many systems.
var topLinks = sync.OnceValue(func() []string {
	entries, err := os.ReadDir("/")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			out = append(out, "/"+e.Name())
		}
	}
	return out
})

// maxPrivate bounds the files of /etc that are masked one by one, and maxLookedEtc the entries that are looked at.
const (
	maxPrivate   = 200
	maxLookedEtc = 20_000
)

// private are the files and directories of the system that not everybody may read. An ordinary user cannot read them
// anyway; where this program runs as root, they are masked.
var private = sync.OnceValue(func() []string {
	out := Options{}.clean(readsTable()["private"])
	if os.Geteuid() != 0 {
		return out
	}
	closed := closedPaths{left: maxLookedEtc, buf: make([]byte, 32<<10)}
	closed.in(unix.AT_FDCWD, "/etc", "/etc")
	out = append(out, closed.found...)
	slices.Sort(out)
	return slices.Compact(out)
})

// closedPaths looks for what not everybody may read, with few calls: there are thousands of entries, most of them
// links, which are closed to nobody.
type closedPaths struct {
	found []string
	left  int // entries that are still looked at
	buf   []byte
}

// in looks at a directory that everybody may enter, by its name in one that is open.
func (c *closedPaths) in(above int, name, path string) {
	fd, err := unix.Openat(above, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var names []string
	for len(names) < c.left {
		n, err := unix.Getdents(fd, c.buf)
		if err != nil || n <= 0 {
			break
		}
		names = unlinked(c.buf[:n], names)
	}
	c.left -= len(names)
	for _, name := range names {
		if len(c.found) <= maxPrivate {
			c.entry(fd, name, path+"/"+name)
		}
	}
}

// unlinked adds the names of what is no link to a list. An entry is a struct linux_dirent64 of getdents64(2): inode,
// offset, its own length, kind, name, a zero.
func unlinked(entries []byte, names []string) []string {
	const size, kind, name = 16, 18, 19
	for len(entries) > name {
		e := entries[:binary.NativeEndian.Uint16(entries[size:])]
		entries = entries[len(e):]
		of := unix.ByteSliceToString(e[name:])
		if e[kind] != unix.DT_LNK && of != "." && of != ".." {
			names = append(names, of)
		}
	}
	return names
}

// entry looks at one entry of a directory that is open.
func (c *closedPaths) entry(dir int, name, path string) {
	const othersRead, othersEnter = 0o004, 0o005
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return
	}
	switch kind := st.Mode & unix.S_IFMT; {
	case kind == unix.S_IFLNK: // of a file system that did not say so
	case kind == unix.S_IFDIR && st.Mode&othersEnter == othersEnter:
		c.in(dir, name, path)
	case kind == unix.S_IFDIR, st.Mode&othersRead == 0:
		c.found = append(c.found, path)
	}
}

// newRoot makes a root directory with the places for what every sandbox has of its own, and leaves the old one where
// it can still be seen: a private /proc can only be mounted while another is there.
func newRoot() error {
	const at = "/dev" // any directory: it is covered, and gone with the old root
	err := mountTmpfs(at, "mode=755,size=16m")
	if err != nil {
		return err
	}
	if err := unix.Chdir(at); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return os.NewSyscallError("pivot_root", err)
	}
	for _, d := range []string{"/dev", "/proc", "/tmp", "/var/tmp", "/run"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// leaveOldRoot ends the view of what was the root.
func leaveOldRoot() error {
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount the old root", err)
	}
	return unix.Chdir("/")
}

// furnish makes the links, directories and files of a new root. What is shown is mounted over them.
func (r *readPlan) furnish() error {
	if r.Home != "" {
		os.MkdirAll(r.Home, 0o755)
		if err := mountTmpfs(r.Home, "mode=755,size=16m"); err != nil {
			return err
		}
	}
	for _, l := range r.Links { // some of them in the home
		os.MkdirAll(filepath.Dir(l[0]), 0o755)
		os.Symlink(l[1], l[0])
	}
	for path, text := range r.Files {
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o444); err != nil {
			return err
		}
	}
	return nil
}

// close makes the root directory and the home read-only.
func (r *readPlan) close() error {
	if r.Home != "" {
		if err := freeze(r.Home); err != nil {
			return err
		}
	}
	return freeze("/")
}

// leads reports a path that is there because what is shown lies below it.
func (r *readPlan) leads(path string) bool {
	links := func(l [2]string) bool { return inside(l[0], path) }
	return holdsAny(path, r.Show) || inside(r.Home, path) || slices.ContainsFunc(r.Links, links)
}
