package bash

import (
	"strings"

	"helve/builtin/internal/record"
	"helve/internal/change"
)

// What an overlay holds of a file does not say whether one of that name stood below it: what the draft changed of a
// file that somebody removes meanwhile would look like a new one, and come back. So what stood is noted when the draft
// comes to it.

// noteOne notes what stands at a place that a tool for files is about to change.
func (d *Draft) noteOne(at change.Place) {
	if _, known := d.stood.Load(at); known {
		return
	}
	root, err := change.OpenTree(d.t.where.Roots[at.Root])
	if err != nil {
		return
	}
	defer root.Close()
	if now, err := root.Look(at.Path); err == nil {
		d.stood.LoadOrStore(at, stoodOf(now))
	}
}

// note notes what stood where a command has changed something, and how much there is of that.
func (d *Draft) note() error {
	layer, err := change.OpenTree(d.t.tx.Folder())
	if err != nil {
		return err
	}
	defer layer.Close()
	d.size = 0
	for i, upper := range d.t.layer.Uppers() {
		root, err := change.OpenTree(d.t.where.Roots[i])
		if err != nil {
			return err
		}
		err = layer.WalkOpen(upper, func(path change.Name, e change.Entry) error {
			at := change.Place{Root: i, Path: change.Name(strings.TrimPrefix(string(path), string(upper)+"/"))}
			if e.Type == change.File {
				d.size += e.Size
			}
			if _, known := d.stood.Load(at); known || e.Type == change.Dir {
				return nil
			}
			now, err := root.Look(at.Path)
			if err == nil {
				d.stood.Store(at, stoodOf(now))
			}
			return nil // what cannot be looked at is not noted
		}, closedToUs)
		root.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// closedToUs passes over a folder of the layer that its owner closed: what is in it came with it.
func closedToUs(change.Name) {}

// stoodOf is what is noted of an entry.
func stoodOf(e change.Entry) record.Stood {
	if e.Type != change.File {
		return record.Stood{There: e.Type != change.None}
	}
	return record.Stood{There: true, Size: e.Size, Time: e.Time}
}

// gone has what the draft made of a file that somebody removed or renamed meanwhile be stale.
func (d *Draft) gone(set *change.Set) {
	moved := map[record.Stood]change.Place{}
	d.stood.Range(func(key, value any) bool {
		at, was := key.(change.Place), value.(record.Stood)
		if was.There && was.Size > 0 && d.isGone(at) {
			moved[was] = at
		}
		return true
	})
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Was.Type != change.None || c.Will.Type != change.File {
			continue
		}
		if was, known := d.stood.Load(c.Place()); known && was.(record.Stood).There {
			c.Stale = true
			continue
		}
		from, is := moved[stoodOf(c.Will)]
		if is && from != c.Place() { // the draft renamed what somebody renamed, too
			c.Stale = true
			d.from.Store(c.Place(), from)
		}
	}
}

// isGone tells that nothing stands at a place any more.
func (d *Draft) isGone(at change.Place) bool {
	root, err := change.OpenTree(d.t.where.Roots[at.Root])
	if err != nil {
		return false
	}
	defer root.Close()
	now, err := root.Look(at.Path)
	return err == nil && now.Type == change.None
}
