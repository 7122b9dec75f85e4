package folders

import (
	"context"
	"errors"
	"slices"

	"helve/engine/search"
	"helve/engine/tree"
	"helve/internal/change"
	"helve/internal/fsroot"
)

// An engine searches one root.
type engine struct {
	*search.Engine
	Tree *tree.Tree
	stop context.CancelFunc
	done chan struct{} // closed when the index is no longer kept
}

// close ends the keeping of the index before the tree that it reads is closed.
func (e *engine) close() error {
	e.stop()
	<-e.done
	return e.Tree.Close()
}

// Engine is the search engine of a root, made when it is first needed.
func (w *Folders) Engine(r *fsroot.Root) (*engine, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the workspace is closed")
	}
	if e := w.engines[r]; e != nil {
		return e, nil
	}
	t, err := w.tree(r)
	if err != nil {
		return nil, err
	}
	e := &engine{Tree: t, done: make(chan struct{})}
	if w.Cache == "" {
		e.Engine = search.New(t)
	} else {
		e.Engine = search.NewIndexed(t, w.Cache)
	}
	var ctx context.Context
	ctx, e.stop = context.WithCancel(context.Background())
	// One that lives for a call asks the index that is there, and builds none: that takes longer than the search.
	if w.Resident && w.Cache != "" {
		go func() { defer close(e.done); e.KeepIndexed(ctx, nil) }()
	} else {
		close(e.done)
	}
	w.engines[r] = e
	return e, nil
}

// tree opens a root: one that lasts is shared and watched, one for a single call remembers nothing.
func (w *Folders) tree(r *fsroot.Root) (*tree.Tree, error) {
	switch {
	case r.At() != r.Dir():
		return tree.Over(r.Dir(), r.At(), w.Trees.Config)
	case !w.Resident:
		return tree.At(r.Dir(), w.Trees.Config)
	}
	return w.Trees.Open(r.Dir())
}

// Touched tells the tree of an own write, which a search right behind it must see.
func (w *Folders) Touched(p fsroot.Path) {
	w.acceptPath(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.engines[p.Root()]
	if e != nil {
		e.Tree.Touch(p.Rel())
	}
}

// TouchAll tells the trees which paths of each root were changed.
func (w *Folders) TouchAll(paths [][]string) {
	roots := w.Files.Roots()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, list := range paths {
		if e := w.engines[roots[i]]; e != nil && len(list) > 0 {
			e.Tree.Touch(list...)
		}
	}
}

// A Watch learns of the places that helve itself changed.
type Watch interface {
	Accept(places ...change.Place)
}

// Watch has a watch learn of changes until unwatch.
func (w *Folders) Watch(x Watch) { w.watches.Store(x, nil) }

func (w *Folders) Unwatch(x Watch) { w.watches.Delete(x) }

// Accept has those who watch take places as they are now: helve itself changed them, because somebody may.
func (w *Folders) Accept(places ...change.Place) {
	w.watches.Range(func(key, _ any) bool {
		key.(Watch).Accept(places...)
		return true
	})
}

// acceptPath is accept for one path of a tool.
func (w *Folders) acceptPath(p fsroot.Path) {
	root := slices.Index(w.Files.Roots(), p.Root())
	if root >= 0 {
		w.Accept(change.Place{Root: root, Path: change.Name(p.Rel())})
	}
}
