package bash

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"helve/builtin/internal/record"
	"helve/internal/change"
)

// ErrDraftHasNot: the draft changes nothing at a path.
var ErrDraftHasNot = errors.New("the draft changes nothing there")

// TakeOut has the draft change nothing any more at some paths, each with all that is in it, and names them. A path is
// one of the workspace, as a difference shows it, or an absolute one. Where one cannot be taken out, none is.
func (k *Kept) TakeOut(paths []string) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return nil, ErrDraftOver
	}
	if err := k.unview(); err != nil {
		return nil, err
	}
	take, err := k.placesOf(paths)
	if err != nil {
		return nil, err
	}
	k.changes.Add(1)
	var out []string
	for _, at := range take {
		if err := k.t.tx.Remove(k.inLayer(at)); err != nil {
			return out, fmt.Errorf("%s: %w", k.w.ShownPath(at), err)
		}
		k.forget(at)
		out = append(out, k.w.ShownPath(at))
	}
	return out, nil
}

// inLayer is where a place lies in the transaction's folder.
func (k *Kept) inLayer(at change.Place) change.Name {
	return change.Name(path.Join(string(k.t.layer.Uppers()[at.Root]), string(at.Path)))
}

// placesOf are the places of the layer that paths mean, none of them in another one.
func (k *Kept) placesOf(paths []string) (out []change.Place, err error) {
	want := map[string]string{} // by the path as it is shown: as it was written
	for _, p := range paths {
		at := strings.TrimPrefix(path.Clean(strings.ReplaceAll(p, "\\", "/")), k.w.Dir()+"/")
		want[at] = p
	}
	layer, err := change.OpenTree(k.t.tx.Folder())
	if err != nil {
		return nil, err
	}
	defer layer.Close()
	for root, upper := range k.t.layer.Uppers() {
		err := layer.WalkOpen(upper, func(name change.Name, e change.Entry) error {
			at := change.Place{Root: root, Path: change.Name(strings.TrimPrefix(string(name), string(upper)+"/"))}
			shown, plain := k.w.ShownPath(at), k.w.TargetOf(at)
			if want[shown] == "" && want[plain] == "" {
				return nil
			}
			delete(want, shown)
			delete(want, plain)
			out = append(out, at)
			err := k.showsThrough(layer, at)
			if err == nil && e.Type == change.Dir {
				err = fs.SkipDir
			}
			return err
		}, closedToUs)
		if err != nil {
			return nil, err
		}
	}
	for at, p := range want {
		within := func(taken change.Place) bool { return strings.HasPrefix(at, k.w.TargetOf(taken)+"/") }
		if !slices.ContainsFunc(out, within) {
			return nil, fmt.Errorf("%w: %s", ErrDraftHasNot, p)
		}
	}
	return out, nil
}

// showsThrough refuses a place at which nothing would be, where something is on disk: a folder above it hides that.
func (k *Kept) showsThrough(layer *change.Tree, at change.Place) error {
	root, err := change.OpenTree(k.t.where.Roots[at.Root])
	if err != nil {
		return err
	}
	defer root.Close()
	below, err := root.Look(at.Path)
	if err != nil || below.Type == change.None {
		return nil //nolint:nilerr // nothing is hidden, or nobody may look at it
	}
	for up := at.Parent(); up.Path != "."; up = up.Parent() {
		hides, err := layer.Opaque(k.inLayer(up))
		if err != nil {
			return err
		}
		if hides {
			return fmt.Errorf("%s lies in %s, which is another folder than on disk: take that out",
				k.w.ShownPath(at), k.w.ShownPath(up))
		}
	}
	return nil
}

// forget forgets what the draft relied upon at a place and below it.
func (k *Kept) forget(at change.Place) {
	gone := func(p change.Place) bool {
		return p == at || p.Root == at.Root && strings.HasPrefix(string(p.Path), string(at.Path)+"/")
	}
	for i, p := range k.Down.Places {
		if gone(p.Place) { // it keeps its number, by which its text is called
			k.Down.Places[i] = record.DraftPlace{Place: p.Place}
		}
	}
	for _, m := range []*sync.Map{&k.base, &k.stood, &k.own, &k.from} {
		m.Range(func(key, _ any) bool {
			if gone(key.(change.Place)) {
				m.Delete(key)
			}
			return true
		})
	}
}
