package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"helve/internal/fsroot"
)

// MakeLayer makes a directory in the transaction's folder in which an overlay keeps what it changes of a root, its
// upper layer. It is dressed like the root, which it stands for at the top.
func (t *Transaction) MakeLayer(name Name, root int) error {
	if err := t.home.mkdir(string(name)); err != nil {
		return err
	}
	now, err := t.roots.roots[root].look(".")
	if err != nil {
		return err
	}
	if err := t.likeRoot(name, root); err != nil {
		return err
	}
	return spot{t.home, string(name)}.dress(now)
}

// likeRoot gives a layer's directory the access lists of the root: what is made in it inherits them.
func (t *Transaction) likeRoot(name Name, root int) error {
	from, err := t.roots.roots[root].listing()
	if err != nil {
		return err
	}
	defer from.Close()
	made, err := t.home.enter(string(name))
	if err != nil {
		return err
	}
	defer made.close()
	to, err := made.listing()
	if err != nil {
		return err
	}
	defer to.Close()
	return fsroot.KeepAttrs(to, from)
}

// Now is the moment by the clock that stamps the files of the folder's file system: what others change later has a
// later stamp, or the same one if it comes within the same tick.
func (t *Transaction) Now() (int64, error) {
	name := "now"
	f, err := t.home.create(name)
	if err != nil {
		return 0, err
	}
	f.Close()
	e, err := t.home.look(name)
	if err != nil {
		return 0, err
	}
	return e.Changed, t.home.remove(name, false)
}

// ReadLayer reads the upper layer of an overlay over a root, whose mount is gone, as the changes that make the root
// what the overlay showed. Contents come from the layer, from which the overlay's own attributes are removed. A path
// that somebody changed in the root after since is stale.
func (t *Transaction) ReadLayer(ctx context.Context, name Name, root int, since int64) ([]Change, error) {
	upper, err := t.home.enter(string(name))
	if err != nil {
		return nil, err
	}
	defer upper.close()
	r := &layerReader{ctx: ctx, root: root, since: since, touch: t.touch, marks: t.marks}
	return r.read(layerDir{upper: upper, from: name, lower: t.roots.roots[root], path: "."})
}

// read reads a whole layer.
func (r *layerReader) read(at layerDir) ([]Change, error) {
	if err := r.dir(at, 0); err != nil {
		return nil, fmt.Errorf("change: read what was changed: %w", err)
	}
	return r.changes, nil
}

// A layerReader compares an upper layer with what it lay over.
type layerReader struct {
	ctx     context.Context
	root    int
	since   int64
	touch   func(Place, int64) // see Transaction.Touched
	marks   *marks             // see Transaction.NoteMarks
	hidden  *hidden            // what a saved layer has beside it; nil: it is as the overlay left it
	changes []Change
}

// A layerDir is a directory of the layer, with the one of the root that it lay over.
type layerDir struct {
	upper *dir
	from  Name // the directory's path in the folder
	lower *dir
	path  Name // and in the root
}

// dir reads a directory that the overlay merged.
func (r *layerReader) dir(d layerDir, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	names, more, err := d.upper.names(MaxEntries)
	if err != nil {
		return err
	}
	if more {
		return errMany
	}
	names = append(names, r.hidden.in(d.path)...)
	slices.Sort(names)
	for _, name := range names {
		if err := r.entry(d, name, depth); err != nil {
			return fmt.Errorf("%s: %w", quoted(in(d.path, name)), err)
		}
	}
	return nil
}

// entry reads one name: what the layer holds, and what stands in the root.
func (r *layerReader) entry(d layerDir, name string, depth int) error {
	up, err := d.upper.look(name)
	if err != nil {
		return err
	}
	low, err := d.lower.look(name)
	if err != nil {
		return err
	}
	c := Change{Root: r.root, Path: in(d.path, name), Was: low, Will: up}
	if changed, known := r.hidden.changed(c.Path); known {
		c.Will.Changed = changed
	}
	switch {
	case up.isWhiteout(), r.hidden.gone(c.Path):
		return r.whiteout(d, name, c)
	case up.Type == Dir && low.Type == Dir:
		return r.bothDirs(d, name, c, depth)
	case up.Type == Dir && low.Type == None:
		return r.newDir(d, name, c)
	case up.Type == File && low.Type == File:
		same, err := sameContent(d, name, up, low)
		if err != nil {
			return err
		}
		if same {
			return r.addAltered(c)
		}
	case up.Type == Link && low.Type == Link && up.Target == low.Target:
		return r.addAltered(c)
	}
	return r.addNew(d, name, c)
}

// whiteout is how an overlay notes that something is not there any more.
func (r *layerReader) whiteout(d layerDir, name string, c Change) error {
	if c.Was.Type == None {
		return nil // it came and went
	}
	c.Will = Entry{}
	c.Whole = c.Was.Type == Dir
	stale, err := r.staleBelow(d.lower, name, c.Was)
	if err != nil {
		return err
	}
	c.Stale = stale
	return r.add(c)
}

// newDir adds a directory that is not in the root. One that the overlay had from there is gone since, by somebody: it
// is nothing new, and what is in it stands in a directory that is no more.
func (r *layerReader) newDir(d layerDir, name string, c Change) error {
	upper, err := d.upper.enter(name)
	if err != nil {
		return err
	}
	defer upper.close()
	gone, err := r.copiedUp(upper, c.Path)
	if err != nil {
		return err
	}
	if gone {
		own, err := r.holds(upper, c.Path, 0)
		if err != nil || !own {
			return err
		}
	}
	if err := r.addNew(d, name, c); err != nil {
		return err
	}
	r.changes[len(r.changes)-1].Stale = gone
	return nil
}

// holds tells whether a directory that the overlay copied from the root has anything in it that is the layer's own.
func (r *layerReader) holds(d *dir, path Name, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errDeep
	}
	names, more, err := d.names(MaxEntries)
	if err != nil || more {
		return true, err
	}
	for _, name := range names {
		e, err := d.look(name)
		if err != nil {
			return false, err
		}
		switch {
		case e.isWhiteout():
			continue
		case e.Type != Dir:
			return true, nil
		}
		own, err := r.holdsBelow(d, path, name, depth)
		if err != nil || own {
			return own, err
		}
	}
	return false, nil
}

// holdsBelow is holds for a directory in another one, which may be the layer's own itself.
func (r *layerReader) holdsBelow(d *dir, path Name, name string, depth int) (bool, error) {
	sub, err := d.enter(name)
	if err != nil {
		return false, err
	}
	defer sub.close()
	copied, err := r.copiedUp(sub, in(path, name))
	if err != nil || !copied {
		return true, err
	}
	return r.holds(sub, in(path, name), depth+1)
}

// copiedUp tells of a directory that the overlay copied from below.
func (r *layerReader) copiedUp(d *dir, path Name) (bool, error) {
	if r.hidden.copied(path) {
		return true, nil
	}
	return copiedUp(d)
}

// bothDirs reads a directory of the layer that lies over one of the root: it is merged with it, or in its place.
func (r *layerReader) bothDirs(d layerDir, name string, c Change, depth int) error {
	upper, err := d.upper.enter(name)
	if err != nil {
		return err
	}
	defer upper.close()
	hides, err := opaque(upper)
	if err != nil {
		return err
	}
	if hides || r.hidden.opaque(c.Path) {
		return r.addNew(d, name, c)
	}
	lower, err := d.lower.enter(name)
	if err != nil {
		return err
	}
	defer lower.close()
	sub := layerDir{upper: upper, from: in(d.from, name), lower: lower, path: c.Path}
	if err := r.dir(sub, depth+1); err != nil {
		return err
	}
	return r.addAltered(c)
}

// addAltered adds a change of nothing but mode, owner and time, if there is one.
func (r *layerReader) addAltered(c Change) error {
	if c.Was.dressed(c.Will) && c.Was.Owner == c.Will.Owner {
		return nil
	}
	// Only these three are to be compared when the change is made: the layer's entry is another one.
	c.Will.ID, c.Will.Changed, c.Will.Names = ID{}, 0, 0
	c.Stale = c.Was.Type != Dir && c.Was.Changed > r.since
	return r.add(c)
}

// addNew adds what comes from the layer, with all that is in it.
func (r *layerReader) addNew(d layerDir, name string, c Change) error {
	c.From = in(d.from, name)
	c.Whole = c.Whole || c.Will.Type == Dir || c.Was.Type == Dir
	stale, err := r.staleBelow(d.lower, name, c.Was)
	if err != nil {
		return err
	}
	c.Stale = stale
	if err := r.clean(spot{d.upper, name}, c.Place(), c.From, c.Will); err != nil {
		return err
	}
	return r.add(c)
}

// add adds a change, up to what a set may have.
func (r *layerReader) add(c Change) error {
	if len(r.changes) >= MaxChanges {
		return fmt.Errorf("%w: more than %d changes", ErrSet, MaxChanges)
	}
	r.changes = append(r.changes, c)
	return nil
}

// errStale ends a walk at the first entry that somebody changed.
var errStale = errors.New("stale")

// staleBelow reports that somebody changed an entry of the root, or something in it, since the overlay was there.
func (r *layerReader) staleBelow(lower *dir, name string, was Entry) (bool, error) {
	switch {
	case was.Type == None:
		return false, nil
	case was.Changed > r.since:
		return true, nil
	case was.Type != Dir:
		return false, nil
	}
	sub, err := lower.enter(name)
	if err != nil {
		return false, err
	}
	defer sub.close()
	w := &walk{before: func(_ *dir, _ Name, e Entry) error {
		if e.Changed > r.since {
			return errStale
		}
		return nil
	}}
	err = w.run(sub, ".", 0)
	if errors.Is(err, errStale) {
		return true, nil
	}
	return false, err
}

// sameContent reports that two files hold the same bytes: a program that only opens a file for writing has the overlay
// copy it. One that is closed to its owner is taken for another one.
func sameContent(d layerDir, name string, up, low Entry) (bool, error) {
	if up.Size != low.Size {
		return false, nil
	}
	a, err := d.upper.open(name)
	if err != nil {
		return false, unlessClosed(err)
	}
	defer a.Close()
	b, err := d.lower.open(name)
	if err != nil {
		return false, unlessClosed(err)
	}
	defer b.Close()
	return SameBytes(a, b)
}

// unlessClosed is the error of a file that cannot be opened, unless its mode is why.
func unlessClosed(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
