package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"

	"helve/internal/change"
)

// Bounds of what a scan keeps before anything changed. Most commands change nothing of it, and a person waits.
const (
	// scanFile is how large a file may be that is kept in case it changes: sources are smaller.
	scanFile = 4 << 20
	// scanFiles and scanBytes bound all of them together: reading and hashing them takes a second or two.
	scanFiles = 4_000
	scanBytes = 128 << 20
	// maxScan is how many entries are looked at: a repository of Linux has 80,000.
	maxScan = 1_000_000
	// namedGaps is how many paths a gap names.
	namedGaps = 5
)

var errMany = errors.New("there are too many files")

// A Scan is what stood in the roots before a command ran that changes them directly. What it changed is found out by
// [Store.Compare]; what was there before is known as far as the scan could keep it, or git has it.
//
// Nothing of it is written but contents. It holds the history for no longer than it takes.
type Scan struct {
	entries map[change.Place]change.Entry
	kept    map[change.Place]Digest
	git     []*gitStore // by root; nil: it has none that serves
	closed  []change.Place
	tops    []change.Entry // of the roots themselves
	journal mark
}

// Scan looks at everything in the roots, but for what Options.Skip names, and keeps the contents of files that git
// does not have: those that it does not know or that were changed, within bounds.
func (s *Store) Scan(ctx context.Context) (*Scan, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	sc := &Scan{kept: map[change.Place]Digest{}}
	if sc.journal, err = markOf(s.journal()); err != nil {
		return nil, err
	}
	if sc.entries, sc.closed, err = entries(ctx, s.o); err != nil {
		return nil, err
	}
	trees, err := s.trees()
	defer trees.close()
	if err != nil {
		return nil, err
	}
	for root, dir := range s.o.Roots {
		sc.git = append(sc.git, openGit(dir, root, sc.entries))
		top, err := trees[root].Look(".")
		if err != nil {
			return nil, err
		}
		sc.tops = append(sc.tops, top)
	}
	return sc, s.keepOwn(ctx, sc)
}

// entries are what stands in the roots, and what of it may not be looked at.
func entries(ctx context.Context, o Options) (map[change.Place]change.Entry, []change.Place, error) {
	out := map[change.Place]change.Entry{}
	var closed []change.Place
	for root, dir := range o.Roots {
		t, err := change.OpenTree(dir)
		if err != nil {
			return nil, nil, err
		}
		visit := func(name change.Name, e change.Entry) error {
			at := change.Place{Root: root, Path: name}
			switch {
			case e.Type == change.Dir && o.leftOut(at):
				return fs.SkipDir
			case o.Own == nil || !o.Own(at, e):
			case e.Type == change.Dir:
				return fs.SkipDir
			default:
				return nil
			}
			out[at] = e
			if len(out) > maxScan {
				return errMany
			}
			return ctx.Err()
		}
		err = t.WalkOpen(".", visit, func(name change.Name) {
			closed = append(closed, change.Place{Root: root, Path: name})
		})
		t.Close()
		if err != nil {
			return nil, nil, fmt.Errorf("history: look at %s: %w", dir, err)
		}
	}
	return out, closed, nil
}

// leftOut tells of a directory that a scan does not enter. Git only adds to its objects, and undo leaves them.
func (o Options) leftOut(at change.Place) bool {
	name := string(at.Path)
	if path.Base(name) == "objects" && path.Base(path.Dir(name)) == ".git" {
		return true
	}
	return o.Skip != nil && o.Skip(at)
}

// keepOwn keeps the contents that nobody else has, the smallest first: so most of them.
func (s *Store) keepOwn(ctx context.Context, sc *Scan) error {
	var own []change.Place
	for at, e := range sc.entries {
		fits := e.Type == change.File && e.Size <= scanFile
		if fits && !sc.git[at.Root].has(at) && (s.o.Secret == nil || !s.o.Secret(at)) {
			own = append(own, at)
		}
	}
	sort.SliceStable(own, func(i, j int) bool {
		a, b := own[i], own[j]
		return cmp.Or(cmp.Compare(sc.entries[a].Size, sc.entries[b].Size), a.Compare(b)) < 0
	})
	trees, err := s.trees()
	defer trees.close()
	if err != nil {
		return err
	}
	var bytes int64
	for _, at := range own[:min(len(own), scanFiles)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if bytes += sc.entries[at].Size; bytes > scanBytes {
			break
		}
		d, err := s.objects.keepFile(trees[at.Root], at.Path, sc.entries[at])
		if err == nil { // what cannot be read is not kept
			sc.kept[at] = d
		}
	}
	return nil
}

// roots are the trees of all roots.
type roots []*change.Tree

func (s *Store) trees() (roots, error) {
	var out roots
	for _, dir := range s.o.Roots {
		t, err := change.OpenTree(dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (r roots) close() {
	for _, t := range r {
		t.Close()
	}
}

// keepFile keeps a file as it was seen. One that somebody changed since, or changes meanwhile, is not kept: what was
// read of it may never have stood there.
func (o *objects) keepFile(t *change.Tree, name change.Name, seen change.Entry) (Digest, error) {
	f, err := t.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	d, _, err := o.keep(io.LimitReader(f, seen.Size+1))
	if err != nil {
		return "", err
	}
	now, err := t.Look(name)
	if err == nil && !seen.Unchanged(now) {
		err = errMoving
	}
	return d, err
}

var errMoving = errors.New("it is being changed")
