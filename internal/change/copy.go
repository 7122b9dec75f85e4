package change

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"helve/internal/fsroot"
)

// A copier copies entries with what belongs to them. Names of one file become names of one copy.
type copier struct {
	base  *dir        // paths in seen begin here
	seen  map[ID]Name // the copy of each file that has more than one name
	layer *hiding     // what is copied is an overlay's upper layer, whose own notes are taken down here; nil: it is none
	whole bool        // what is copied is such a layer, and its own notes are copied with it

	ctx context.Context // ends it between two entries; nil: nothing does
}

// copyEntry copies what stands at a spot, whole directories too, with what belongs to it, to a spot that is free.
func copyEntry(from, to spot, depth int) error {
	c := copier{base: to.in, seen: map[ID]Name{}}
	return c.entry(from, to, Name(to.name), depth)
}

// entry copies one entry to a path below the base.
func (c *copier) entry(from, to spot, path Name, depth int) error {
	if c.ctx != nil && c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	e, err := from.look()
	if err != nil {
		return err
	}
	if c.layer.whiteout(e, path) {
		return nil
	}
	if c.whole && e.isWhiteout() {
		return to.in.whiteout(to.name)
	}
	switch e.Type {
	case File:
		c.layer.copied(e, path)
		err = c.file(from, to, path, e)
	case Dir:
		err = c.dir(from, to, path, depth)
	case Link:
		err = to.in.symlink(string(e.Target), to.name)
	case Pipe, Socket:
		err = to.in.special(to.name, e.Type)
	default:
		err = fmt.Errorf("%s: %s cannot be copied", quoted(Name(from.name)), e.Type)
	}
	if err != nil {
		return err
	}
	return to.dress(e)
}

// file copies a file, or gives the copy that it has already another name.
func (c *copier) file(from, to spot, path Name, e Entry) error {
	if e.Names < 2 {
		return c.content(from, to, e)
	}
	if first, ok := c.seen[e.ID]; ok && c.base.linkBelow(first, to) == nil {
		return nil // else the file system takes no more names: it gets a copy of its own
	}
	c.seen[e.ID] = path
	return c.content(from, to, e)
}

// linkBelow gives a file below d another name. Directories on the way are entered one by one, so that no link that
// somebody puts there is followed.
func (d *dir) linkBelow(path Name, to spot) error {
	up, rest, deeper := strings.Cut(string(path), "/")
	if !deeper {
		return link(spot{d, string(path)}, to)
	}
	sub, err := d.enter(up)
	if err != nil {
		return err
	}
	defer sub.close()
	return sub.linkBelow(Name(rest), to)
}

// content copies a file by its content. Attributes that are an access list come along; mode and times are set by the
// caller, last, because writing changes them.
func (c *copier) content(from, to spot, e Entry) error {
	in, err := c.open(from, e)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.in.create(to.name)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := copySparse(out, in, e.Size); err != nil {
		return err
	}
	if err := c.attributes(out, in); err != nil {
		return err
	}
	return out.Close()
}

// open opens a file. One of a layer is ours, also where a command closed it to its owner.
func (c *copier) open(at spot, e Entry) (f *os.File, err error) {
	if c.layer == nil && !c.whole {
		return at.in.open(at.name)
	}
	err = at.owned(e, func() (err error) {
		f, err = at.in.open(at.name)
		return err
	})
	return f, err
}

// attributes copies attributes; of an upper layer those that a command can have set, and its own if it is copied
// whole.
func (c *copier) attributes(to, from *os.File) error {
	if c.layer != nil || c.whole {
		return keepUserAttrs(to, from, c.whole)
	}
	return fsroot.KeepAttrs(to, from)
}

// dir copies a directory. Both are held open, so that nothing that is put in their place is copied or written to.
func (c *copier) dir(from, to spot, path Name, depth int) error {
	if depth >= maxDepth {
		return errDeep
	}
	if err := to.in.mkdir(to.name); err != nil {
		return err
	}
	in, err := from.in.enter(from.name)
	if err != nil {
		return err
	}
	defer in.close()
	if err := c.layer.covers(in, path); err != nil {
		return err
	}
	out, err := to.in.enter(to.name)
	if err != nil {
		return err
	}
	defer out.close()
	if err := c.dirAttributes(out, in); err != nil {
		return err
	}
	return c.inside(in, out, path, depth+1)
}

// inside copies everything in a directory.
func (c *copier) inside(from, to *dir, path Name, depth int) error {
	names, more, err := from.names(MaxEntries)
	if err != nil {
		return err
	}
	if more {
		return errMany
	}
	for _, name := range names {
		if err := c.entry(spot{from, name}, spot{to, name}, in(path, name), depth); err != nil {
			return err
		}
	}
	return nil
}

// copyPlain copies the rest of a file.
func copyPlain(out, in *os.File) error {
	_, err := io.Copy(out, in)
	return err
}
