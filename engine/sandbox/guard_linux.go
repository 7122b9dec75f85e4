package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"helve/internal/order"
)

// placeholders are the protected paths of one writable directory that did not exist and must not be created by the
// command. A mount needs something to be mounted on, so while the command runs there is an empty directory or a
// socket: git ignores both, and a read fails at once. A shared lock on the directory tells how many commands need
// them; the last one removes them.
type placeholders struct {
	dir   *os.File
	paths []string // outer ones first
	none  bool     // what is absent is not protected
}

// guards returns what must be mounted in the writable directories, and makes the placeholders for it.
func (o Options) guards(writable []string) ([]guard, []*placeholders, error) {
	var list []guard
	var all []*placeholders
	roots := cleanPaths(o.Roots)
	for _, root := range writable {
		p, err := newPlaceholders(root)
		if err != nil {
			return nil, nil, errors.Join(err, remove(all))
		}
		all = append(all, p)
		p.none = o.Looked && slices.Contains(roots, root)
		protected := append(DefaultProtected(), o.Protected...)
		if isGitDir(root) {
			protected = append(protected, "hooks/", "config", "modules/")
		}
		fresh := o.NewRepository && !exists(filepath.Join(root, ".git"))
		for _, rel := range protected {
			if fresh && inside(rel, ".git") {
				continue // git init makes hooks and a configuration of its own
			}
			list = append(list, p.guard(root, rel)...)
		}
		for _, path := range o.Kept {
			if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && exists(path) {
				list = append(list, p.guard(root, rel)...)
			}
		}
	}
	return dedupe(list), all, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isGitDir reports a git directory given as writable by itself, as a linked work tree needs it.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !exists(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// newPlaceholders takes the shared lock on a writable directory. It has no placeholders yet.
func newPlaceholders(root string) (*placeholders, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	// Waits only while another command that just ended removes its placeholders.
	err = unix.Flock(int(dir.Fd()), unix.LOCK_SH)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &placeholders{dir: dir}, nil
}

// guard protects one path below root: the path itself read-only, the directories on the way to it pinned.
func (p *placeholders) guard(root, rel string) []guard {
	isDir := strings.HasSuffix(rel, "/")
	rel = strings.Trim(filepath.Clean(rel), "/")
	if rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return nil // not in this directory: nothing of it is writable by way of this root
	}
	var list []guard
	parts := strings.Split(rel, "/")
	path := root
	for i, part := range parts {
		path = filepath.Join(path, part)
		last := i == len(parts)-1
		st, err := os.Lstat(path)
		switch {
		case err == nil && last && isSocket(st):
			p.paths = append(p.paths, path) // of another command, or of one that was killed
		case err == nil && !last && !st.IsDir():
			return append(list, guard{Path: path}) // .git is a file in a linked work tree: it names the real one
		case err != nil && !last:
			// Without its directory the path is protected by protecting the directory.
			return append(list, p.place(path, true)...)
		case err != nil:
			return append(list, p.place(path, isDir)...)
		}
		list = append(list, guard{Path: path, Pin: !last})
	}
	return list
}

func isSocket(st os.FileInfo) bool { return st.Mode().Type() == os.ModeSocket }

// place makes a placeholder. Where this process may not make one, the command cannot either.
func (p *placeholders) place(path string, isDir bool) []guard {
	if p.none {
		return nil
	}
	var err error
	if isDir {
		err = os.Mkdir(path, 0o555)
	} else {
		err = unix.Mknod(path, unix.S_IFSOCK|0o444, 0)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil
	}
	p.paths = append(p.paths, path)
	return []guard{{Path: path}}
}

// remove takes the placeholders away unless another command still needs them.
func remove(all []*placeholders) error {
	var errs []error
	for _, p := range all {
		err := unix.Flock(int(p.dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil { // nobody else has the shared lock
			slices.Reverse(p.paths)
			for _, path := range p.paths {
				errs = append(errs, removeEmpty(path))
			}
		}
		errs = append(errs, p.dir.Close())
	}
	return errors.Join(errs...)
}

// removeEmpty removes a placeholder, never what somebody else made of it meanwhile.
func removeEmpty(path string) error {
	st, err := os.Lstat(path)
	if err != nil || !isSocket(st) && !st.IsDir() {
		return nil
	}
	err = os.Remove(path)
	if st.IsDir() || errors.Is(err, os.ErrNotExist) {
		return nil // not empty any more: it is somebody's
	}
	return err
}

// dedupe keeps one guard a path, the read-only one if there are both, outer paths first.
func dedupe(list []guard) []guard {
	order.By(list, func(a, b guard) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		if a.Pin == b.Pin {
			return 0
		}
		if a.Pin {
			return 1
		}
		return -1
	})
	return slices.CompactFunc(list, func(a, b guard) bool { return a.Path == b.Path })
}
