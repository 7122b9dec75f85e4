package check

import (
	"bytes"
	// the digest that ends an index of git
	"errors"
	"fmt"

	"helve/internal/change"
	"helve/internal/git"
)

// Freshen has a set make the indexes that it brings know its files as they are then. Git knows an unchanged file by its
// number and its times, and the rename that puts a file in place gives it a new time of change; commands such as git
// diff-index would take it for changed. Entries that differ in anything else are left to git.
//
// The indexes get their new content while the set still holds their locks: no git writes one meanwhile, and a kill
// leaves no lock.
func Freshen(o Options, set *change.Set) {
	set.Settle = func(t *change.Transaction, r *change.Report) error {
		return freshen(o, t, set, r)
	}
}

func freshen(o Options, t *change.Transaction, set *change.Set, r *change.Report) error {
	v, err := newView(Options{Roots: o.Roots, Folder: t.Folder()}, &change.Set{})
	if err != nil {
		return err
	}
	defer v.close()
	indexes := v.indexesOf(r)
	if len(indexes) == 0 {
		return nil
	}
	moved, err := v.movesOf(t, set, r)
	if err != nil {
		return err
	}
	var errs []error
	for _, at := range indexes {
		errs = append(errs, v.freshen(t, at, moved))
	}
	return errors.Join(errs...)
}

// indexesOf lists the indexes that were made.
func (v *view) indexesOf(r *change.Report) []place {
	var out []place
	for _, m := range r.Made {
		ours := m.Index >= 0 && m.Now.Type == change.File && m.Base() == "index"
		if ours && v.state(m.Parent()).after == gitDir {
			out = append(out, m.Place)
		}
	}
	return out
}

// movesOf are the files that were made, those in whole directories too: a rename of the directory leaves them their
// times, but an overlay may have shown other numbers of them, and a copy has times of its own.
func (v *view) movesOf(t *change.Transaction, set *change.Set, r *change.Report) (map[place]git.Move, error) {
	moved := map[place]git.Move{}
	for _, m := range r.Made {
		if m.Index < 0 {
			continue
		}
		c := &set.Changes[m.Index]
		switch {
		case m.Now.Type == change.File:
			moved[m.Place] = git.Move{Was: c.Will, Now: m.Now}
		case m.Now.Type == change.Dir && m.Whole:
			err := v.roots[m.Root].Walk(m.Path, func(at change.Name, e entry) error {
				here := place{Root: m.Root, Path: at}
				moved[here] = git.Move{Was: v.staged(t, c, here, e), Now: e}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return moved, nil
}

// staged is a file in a directory that came as a whole, as the command left it: now but for the time of its change.
func (v *view) staged(t *change.Transaction, c *change.Change, at place, now entry) entry {
	if now.Type != change.File {
		return now
	}
	if !t.Moves(c.Root) { // it is a copy, and what was copied is still there
		rel, _ := below(at, c.Place())
		if e, err := v.folder.Look(join(c.From, rel)); err == nil && e.Type == change.File {
			now.Changed = e.Changed
		}
	}
	if changed, known := t.Touched(at); known {
		now.Changed = changed
	}
	return now
}

// freshen rewrites one index, if there is anything in it to rewrite.
func (v *view) freshen(t *change.Transaction, at place, moved map[place]git.Move) error {
	d := at.Parent()
	top, known := v.worktree(d)
	if !known {
		return nil
	}
	text, err := v.roots[at.Root].Read(at.Path, maxIndex)
	if err != nil {
		return err
	}
	old := bytes.Clone(text)
	size := v.hashSize(d)
	if err := git.Restamp(text, size, func(name string) (git.Move, bool) {
		m, found := moved[top.Child(name)]
		return m, found
	}); err != nil || bytes.Equal(text, old) {
		return err
	}
	git.Sign(text, size)
	if err := t.Replace(at, text); err != nil {
		return fmt.Errorf("refresh git's index: %w", err)
	}
	return nil
}
