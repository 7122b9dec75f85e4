package builtin

import (
	"context"
	"errors"

	"helve/engine/search"
	"helve/engine/tree"
	"helve/internal/fsroot"
)

// An engine searches one root.
type engine struct {
	*search.Engine
	tree *tree.Tree
	stop context.CancelFunc
	done chan struct{} // closed when the index is no longer kept
}

// close ends the keeping of the index before the tree that it reads is closed.
func (e *engine) close() error {
	e.stop()
	<-e.done
	return e.tree.Close()
}

// engine is the search engine of a root, made when it is first needed.
func (w *Workspace) engine(r *fsroot.Root) (*engine, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the workspace is closed")
	}
	if e := w.engines[r]; e != nil {
		return e, nil
	}
	t, err := w.tree(r.Dir())
	if err != nil {
		return nil, err
	}
	e := &engine{tree: t, done: make(chan struct{})}
	if w.opts.Cache == "" {
		e.Engine = search.New(t)
	} else {
		e.Engine = search.NewIndexed(t, w.opts.Cache)
	}
	var ctx context.Context
	ctx, e.stop = context.WithCancel(context.Background())
	// One that lives for a call asks the index that is there, and builds none: that takes longer than the search.
	if w.opts.Resident && w.opts.Cache != "" {
		go func() { defer close(e.done); e.KeepIndexed(ctx, nil) }()
	} else {
		close(e.done)
	}
	w.engines[r] = e
	return e, nil
}

// tree opens a root: one that lasts is shared and watched, one for a single call remembers nothing.
func (w *Workspace) tree(dir string) (*tree.Tree, error) {
	if !w.opts.Resident {
		return tree.At(dir, w.opts.Trees.Config)
	}
	return w.opts.Trees.Open(dir)
}

// touched tells the tree of an own write, which a search right behind it must see.
func (w *Workspace) touched(p fsroot.Path) {
	w.acceptPath(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.engines[p.Root()]
	if e != nil {
		e.tree.Touch(p.Rel())
	}
}
