package bash

import (
	"errors"
	"io"
	"slices"
	"strings"

	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/uncommitted"
	"helve/tool"
)

// keep has fill put what was not made into a draft of a call, for a person to look at it and have it made later: helve
// review. It returns the ID of the draft.
func (w *Commands) keep(call *tool.Call, title string, fill func(*uncommitted.Writer) error) (string, error) {
	store := w.Uncommitted()
	if store == nil {
		return "", errNoState
	}
	d := uncommitted.Draft{
		Kind:  uncommitted.Waits,
		Roots: w.RootDirs(),
		Call:  uncommitted.Call{Tool: "bash", Title: title, Parent: call.Parent},
	}
	if call.Session != nil {
		d.Call.Session = call.Session.ID
	}
	to, err := store.New(d)
	if err != nil {
		return "", err
	}
	defer to.Close()
	if err := fill(to); err != nil {
		return "", err
	}
	kept, err := to.Keep()
	if err != nil {
		return "", err
	}
	return kept.ID, nil
}

var errNoState = errors.New("there is no folder for what waits")

// wait keeps what was found in a set. Where it cannot, what was found is held back as if nobody could ever say yes.
func (t *transaction) wait(set *change.Set, found []check.Finding) (id string, err error) {
	if len(found) == 0 {
		return "", nil
	}
	return t.w.keep(t.call, t.title, func(to *uncommitted.Writer) error {
		s := &shower{w: t.w, set: set}
		defer s.close()
		if err := s.open(t); err != nil {
			return err
		}
		k := &keeper{shower: s, to: to, kept: map[change.Place]bool{}}
		for _, f := range found {
			if err := k.finding(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// A keeper puts what was found into a draft.
type keeper struct {
	*shower
	to     *uncommitted.Writer
	kept   map[change.Place]bool
	sorted []*change.Change // all of the set
}

// finding keeps all that is held back with a finding: the place itself, and what is in it.
func (k *keeper) finding(f check.Finding) error {
	c := &k.set.Changes[f.Index]
	if err := k.entry(c, f.Place, f.Why); err != nil {
		return err
	}
	if c.From != "" && c.Will.Type == change.Dir {
		below := c.From
		if rel, in := strings.CutPrefix(string(f.Path), string(c.Path)+"/"); in {
			below = change.Place{Path: c.From}.Child(rel).Path
		}
		err := k.from.Walk(below, func(at change.Name, _ change.Entry) error {
			rel := strings.TrimPrefix(string(at), string(below)+"/")
			return k.entry(c, f.Child(rel), f.Why)
		})
		if err != nil {
			return err
		}
	}
	if f.Place != c.Place() {
		return nil
	}
	for _, one := range k.inside(f.Place) {
		if err := k.entry(one, one.Place(), f.Why); err != nil {
			return err
		}
	}
	return nil
}

// inside are the changes in a folder, by path. There may be thousands of changes, in as many folders.
func (k *keeper) inside(folder change.Place) []*change.Change {
	if k.sorted == nil {
		for i := range k.set.Changes {
			k.sorted = append(k.sorted, &k.set.Changes[i])
		}
		slices.SortFunc(k.sorted, func(a, b *change.Change) int { return a.Place().Compare(b.Place()) })
	}
	first := change.Place{Root: folder.Root, Path: folder.Path + "/"}
	from, _ := slices.BinarySearchFunc(k.sorted, first, func(c *change.Change, at change.Place) int {
		return c.Place().Compare(at)
	})
	to := from
	for to < len(k.sorted) && k.sorted[to].Place().Within(folder) {
		to++
	}
	return k.sorted[from:to]
}

// entry keeps one place of a change, once.
func (k *keeper) entry(c *change.Change, at change.Place, why string) error {
	if k.kept[at] {
		return nil
	}
	k.kept[at] = true
	was, will, from, err := k.both(c, at)
	if err != nil || was.Special() || will.Special() { // a pipe or a socket is nothing without who made it
		return err
	}
	after := content(k.from, from)
	switch {
	case from != "":
	case c.Write != nil && at == c.Place():
		after = c.Write
	default: // it stays as it is but for its mode
		after = content(k.roots[at.Root], at.Path)
	}
	f := k.w.waitingFile(at, was, will, why)
	return k.to.Add(f, content(k.roots[at.Root], at.Path), after)
}

// waitingFile is a change that waits. Of what may hold secrets there is no second copy.
func (w *Commands) waitingFile(at change.Place, was, will change.Entry, why string) uncommitted.File {
	return uncommitted.File{Place: at, Was: was, Will: will, Why: why, KeptOld: !w.Secret(w.TargetOf(at))}
}

// content writes what stands in a file of a tree.
func content(t *change.Tree, path change.Name) uncommitted.Content {
	return func(to io.Writer) error {
		f, err := t.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(to, f)
		return err
	}
}
