package bash

import (
	"io"
	"slices"
	"strings"

	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/uncommitted"
)

// wait keeps what was found in a set, for a person to look at it and have it made later: helve review. It returns the
// ID of what is kept; "" where nothing can be, and then what was found is held back as if nobody could ever say yes.
func (t *transaction) wait(set *change.Set, found []check.Finding) string {
	store := t.w.Uncommitted()
	if store == nil || len(found) == 0 {
		return ""
	}
	d := uncommitted.Draft{
		Kind:  uncommitted.Waits,
		Roots: t.where.Roots,
		Call: uncommitted.Call{
			Tool:   "bash",
			Title:  t.title,
			Parent: t.call.Parent,
		},
	}
	if t.call.Session != nil {
		d.Call.Session = t.call.Session.ID
	}
	w, err := store.New(d)
	if err != nil {
		return ""
	}
	defer w.Close()
	s := &shower{w: t.w, set: set}
	defer s.close()
	if s.open(t) != nil {
		return ""
	}
	k := &keeper{shower: s, to: w, kept: map[change.Place]bool{}}
	for _, f := range found {
		if k.finding(f) != nil {
			return ""
		}
	}
	kept, err := w.Keep()
	if err != nil {
		return ""
	}
	return kept.ID
}

// A keeper puts what was found into a draft.
type keeper struct {
	*shower
	to   *uncommitted.Writer
	kept map[change.Place]bool
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
	inside := []*change.Change{}
	for i := range k.set.Changes {
		if one := &k.set.Changes[i]; one.Place().Within(f.Place) {
			inside = append(inside, one)
		}
	}
	slices.SortFunc(inside, func(a, b *change.Change) int { return strings.Compare(string(a.Path), string(b.Path)) })
	for _, one := range inside {
		if err := k.entry(one, one.Place(), f.Why); err != nil {
			return err
		}
	}
	return nil
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
	after := k.content(k.from, from)
	switch {
	case from != "":
	case c.Write != nil && at == c.Place():
		after = c.Write
	default: // it stays as it is but for its mode
		after = k.content(k.roots[at.Root], at.Path)
	}
	f := uncommitted.File{
		Place:   at,
		Was:     was,
		Will:    will,
		Why:     why,
		KeptOld: !k.w.Secret(k.w.TargetOf(at)),
	}
	return k.to.Add(f, k.content(k.roots[at.Root], at.Path), after)
}

// content writes what stands in a file of a tree.
func (k *keeper) content(t *change.Tree, path change.Name) uncommitted.Content {
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
