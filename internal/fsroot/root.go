// Package fsroot is the only way tools touch files. A Set holds the directories that an agent may
// work in, each held open; a path as a model writes it is resolved to a Path (the root,
// and the place below it with every link resolved) without reading any content, so that a policy
// can judge it first; what is opened later is that place and nothing else, whatever was swapped in
// between.
package fsroot

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"helve/internal/beneath"
)

// Options of a Set. The zero value works: no protected paths, locks between the goroutines of this
// Set only, no fsync.
type Options struct {
	// Protected is asked before every write with the path below its root, slash-separated and
	// folded by [Fold] on every system: ".GIT/config" arrives as ".git/config". An error refuses
	// the write. It is also asked for directories that are about to be made. It must be safe for
	// concurrent use.
	Protected func(root, folded string) error

	// LockDir is a private directory outside every root for the locks that processes share and for
	// the notes by which the temporary file of a killed writer is found. It is made when it is
	// missing. Empty: writers of other processes are not waited for, and what a killed writer left
	// stays.
	LockDir string

	// At is the path by which a root is opened, where that is not its own: what lies over it is seen then, under the
	// root's names. It is opened as it is: links in it are followed by the system, not resolved. nil, or "": the root's
	// own.
	At func(dir string) string

	// Sync makes a write survive a power cut: the file before the rename and the directory after it
	// are flushed. Without it a killed process still leaves the old or the new file, never a mix,
	// but a power cut may lose the last seconds.
	Sync bool
}

// A Set is the directories that tools may touch. It is safe for concurrent use.
type Set struct {
	roots []*Root
	locks *locks
	opts  Options
}

// A Root is one directory of a Set, held open: it stays the same directory when its name is given
// to another.
type Root struct {
	name  string   // "" for the first, the base name for the others
	names []string // absolute names by which paths may begin: as given, and with links resolved
	at    string   // by which it was opened
	dir   *beneath.Dir
	folds bool
}

// Open opens the directories as roots. The first is the workspace: its paths are written as they
// are, those of the others as "//name/path". Temporary files that killed writers noted in LockDir
// are removed.
func Open(o Options, dirs ...string) (*Set, error) {
	s := &Set{opts: o}
	for i, d := range dirs {
		r, err := openRoot(d, o.At)
		if err != nil {
			s.Close()
			return nil, err
		}
		if i > 0 {
			r.name = s.freeName(filepath.Base(r.names[0]))
		}
		s.roots = append(s.roots, r)
	}
	s.locks = openLocks(o.LockDir)
	s.locks.recover()
	return s, nil
}

// Close closes the roots. Files that were opened through the Set stay open.
func (s *Set) Close() error {
	var errs []error
	for _, r := range s.roots {
		errs = append(errs, r.dir.Close())
	}
	if s.locks != nil {
		errs = append(errs, s.locks.close())
	}
	return errors.Join(errs...)
}

// Roots lists the roots in the order of Open.
func (s *Set) Roots() []*Root { return append([]*Root(nil), s.roots...) }

// Name is "" for the first root and a short name, unique in its Set, for every other.
func (r *Root) Name() string { return r.name }

// Dir is the absolute path of the root on this host, links resolved, as it was when the root was
// opened.
func (r *Root) Dir() string { return r.names[len(r.names)-1] }

// At is the path by which the root was opened: Dir, or where something lies over it; see Options.At.
func (r *Root) At() string { return r.at }

// Folds tells whether the file system takes "A" and "a" for the same name.
func (r *Root) Folds() bool { return r.folds }

func openRoot(dir string, at func(string) string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open root: %s: %w", dir, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", err)
	}
	place := resolved
	if at != nil {
		place = cmp.Or(at(resolved), resolved)
	}
	d, err := beneath.OpenDir(place)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", err)
	}
	r := &Root{names: []string{abs}, at: place, dir: d, folds: folds(resolved)}
	if resolved != abs {
		r.names = append(r.names, resolved)
	}
	return r, nil
}

func (s *Set) freeName(base string) string {
	name := base
	for n := 2; s.hasName(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

func (s *Set) hasName(name string) bool {
	for _, r := range s.roots {
		if r.name == name {
			return true
		}
	}
	return false
}

// folds asks the file system itself: does the directory's own path, with the case of its letters
// swapped, lead to the same directory?
func folds(dir string) bool {
	other := strings.Map(swapCase, dir)
	if other == dir {
		return false
	}
	a, err := os.Stat(dir)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
