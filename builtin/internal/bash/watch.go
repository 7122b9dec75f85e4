package bash

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/fsroot"
	"helve/internal/uncommitted"
	"helve/tool"
)

// maxKept bounds the paths that stay read-only one by one while a command changes the workspace directly: each is a
// mount of its own. What is beyond them is looked at all the same.
const maxKept = 64

// A watched workspace is looked at again when a command has changed it directly, and while one in the background does:
// what programs would run or obey later is put aside. It knows what was there when it began.
type watched struct {
	w     *Commands
	call  *tool.Call
	title string // of the command
	past  *check.Past

	mu   sync.Mutex // one look at a time
	news []heldBack // what nobody was told of yet
	err  error      // why the last look failed
}

// watch looks at the workspace, just before a command starts whose changes nothing holds back. Nil where it can write
// nothing, and with a reason where what it writes cannot be looked at. The caller must end it.
func (w *Commands) watch(ctx context.Context, call *tool.Call, c *command) (*watched, string) {
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
	x := &watched{w: w, call: call, title: c.in.String(), past: past}
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
	id, unkept := x.wait(found, back)
	paths := make([][]string, len(x.w.Files.Roots()))
	for i, b := range back {
		one := heldBack{
			Path:  x.w.ShownPath(b.Place),
			Why:   found[i].Why,
			Kept:  b.Kept,
			aside: true,
			err:   b.Err,
		}
		if x.maybe(found[i], b) {
			one.ID, one.unkept = id, unkept
		}
		x.news = append(x.news, one)
		paths[b.Root] = append(paths[b.Root], string(b.Path))
	}
	x.w.TouchAll(paths)
	return nil
}

// maybe tells that a person may say yes to what was put aside, and that it is there for them.
func (x *watched) maybe(f check.Finding, b change.Return) bool {
	return b.Err == nil && b.Kept != "" && !x.w.neverAsked(f)
}

// wait keeps what was put aside for a person, as what a command left that was held back.
func (x *watched) wait(found []check.Finding, back []change.Return) (id string, err error) {
	may := func(f check.Finding) bool { return !x.w.neverAsked(f) }
	if !slices.ContainsFunc(found, may) {
		return "", nil
	}
	return x.w.keep(x.call, x.title, func(to *uncommitted.Writer) error {
		for i, b := range back {
			if !x.maybe(found[i], b) {
				continue
			}
			if err := x.waiting(to, b, found[i].Why); err != nil {
				return err
			}
		}
		return nil
	})
}

// waiting adds one place, and what is in it, to what waits.
func (x *watched) waiting(to *uncommitted.Writer, b change.Return, why string) error {
	root, err := change.OpenTree(x.w.RootDirs()[b.Root])
	if err != nil {
		return err
	}
	defer root.Close()
	kept, err := change.OpenTree(filepath.Dir(b.Kept))
	if err != nil {
		return err
	}
	defer kept.Close()
	name := change.Name(filepath.Base(b.Kept))
	add := func(at change.Name, will change.Entry) error {
		place := b.Place
		if rel, below := strings.CutPrefix(string(at), string(name)+"/"); below {
			place = b.Child(rel)
		}
		was, err := root.Look(place.Path)
		if err != nil || was.Special() || will.Special() {
			return err
		}
		return to.Add(x.w.waitingFile(place, was, will, why), content(root, place.Path), content(kept, at))
	}
	will, err := kept.Look(name)
	if err == nil {
		err = add(name, will)
	}
	if err != nil || will.Type != change.Dir {
		return err
	}
	return kept.Walk(name, add)
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
