package bash

import (
	"context"
	"path/filepath"
	"sync"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/fsroot"
)

// maxKept bounds the paths that stay read-only one by one while a command changes the workspace directly: each is a
// mount of its own. What is beyond them is looked at all the same.
const maxKept = 64

// A watched workspace is looked at again when a command has changed it directly, and while one in the background does:
// what programs would run or obey later is put aside. It knows what was there when it began.
type watched struct {
	w    *Commands
	past *check.Past

	mu   sync.Mutex // one look at a time
	news []heldBack // what nobody was told of yet
	err  error      // why the last look failed
}

// watch looks at the workspace, just before a command starts whose changes nothing holds back. Nil where it can write
// nothing, and with a reason where what it writes cannot be looked at. The caller must end it.
func (w *Commands) watch(ctx context.Context, c *command) (*watched, string) {
	if c.confine.Level != sandbox.WorkspaceWrite {
		return nil, ""
	}
	const gap = "what the command writes is not searched for files that programs run later: "
	if w.ChangesDir() == "" {
		return nil, gap + "there is no folder to put them aside"
	}
	past, err := check.Remember(ctx, check.Options{Roots: w.RootDirs(), Getenv: w.Getenv, Asks: w.AsksAt()})
	if err != nil {
		return nil, gap + err.Error()
	}
	x := &watched{w: w, past: past}
	w.Folders.Watch(x)
	return x, ""
}

// keepFrom has what runs later, and is there, be read-only for the command where its sandbox can. What is absent
// needs no protection then: it is found afterwards. One in the background is kept from git's own files as well.
func (x *watched) keepFrom(c *command) {
	if x == nil {
		return
	}
	c.confine.Looked = true
	if x.w.Asking != nil {
		asking := x.w.Asking()
		c.confine.Kept = append(c.confine.Kept, asking[:min(len(asking), maxKept/2)]...)
	}
	for _, at := range x.past.Lasting() {
		isGit := fsroot.Fold(at.Base()) == ".git"
		if len(c.confine.Kept) < maxKept && (c.in.Background || !isGit) {
			path := filepath.Join(x.w.RootDirs()[at.Root], filepath.FromSlash(string(at.Path)))
			c.confine.Kept = append(c.confine.Kept, path)
		}
	}
}

// end ends the watch.
func (x *watched) end() {
	if x != nil {
		x.w.Unwatch(x)
	}
}

// look puts aside what is dangerous by now.
func (x *watched) look() {
	if x == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = x.putAside(ctx)
}

func (x *watched) putAside(ctx context.Context) error {
	found, was, err := x.past.Dangers(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	tx, err := change.Begin(x.w.Changes())
	if err != nil {
		return err
	}
	defer tx.Close()
	back, err := tx.PutAside(was)
	if err != nil {
		return err
	}
	paths := make([][]string, len(x.w.Files.Roots()))
	for i, b := range back {
		x.news = append(x.news, heldBack{
			Path:  x.w.ShownPath(b.Place),
			Why:   found[i].Why,
			Kept:  b.Kept,
			aside: true,
			err:   b.Err,
		})
		paths[b.Root] = append(paths[b.Root], string(b.Path))
	}
	x.w.TouchAll(paths)
	return nil
}

// take is what was put aside since the last time, and in words why that could not be looked at.
func (x *watched) take() ([]heldBack, string) {
	if x == nil {
		return nil, ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	out := x.news
	x.news = nil
	if x.err == nil {
		return out, ""
	}
	return out, "[what the command wrote could not be searched for files that programs run later: " + x.err.Error() + "]"
}

// Accept takes places as they are now: helve itself changed them, because somebody may.
func (x *watched) Accept(places ...change.Place) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, at := range places {
		if err := x.past.Accept(at); err != nil {
			x.err = err
		}
	}
}
