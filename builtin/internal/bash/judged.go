package bash

import (
	"strings"

	"helve/internal/change"
	"helve/internal/change/check"
)

// Wrote notes that a tool for files changed a place, as the policy had judged. changed is when, by the file system.
func (d *Draft) Wrote(at change.Place, changed int64) { d.own.Store(at, changed) }

// wrote tells of a change that is as a tool for files left it.
func (d *Draft) wrote(at change.Place, now change.Entry) bool {
	then, known := d.own.Load(at)
	return known && (now.Type == change.None || now.Changed == then.(int64))
}

// judged tells of findings about what tools for files left alone.
func (d *Draft) judged(f *finished) func(check.Finding) bool {
	return func(x check.Finding) bool {
		if d.w.neverAsked(x) {
			return false
		}
		c := &f.set.Changes[x.Index]
		if x.Place == c.Place() && c.Will.Type != change.Dir {
			return d.wrote(x.Place, c.Will)
		}
		return d.wroteAll(c, x.Place)
	}
}

// wroteAll tells that all that comes at a place in a directory which a change brings is as tools for files left it.
func (d *Draft) wroteAll(c *change.Change, at change.Place) bool {
	if c.From == "" {
		return false
	}
	from, err := change.OpenTree(d.t.where.Folder)
	if err != nil {
		return false
	}
	defer from.Close()
	below, some := c.From, false
	if rel, in := strings.CutPrefix(string(at.Path), string(c.Path)+"/"); in {
		below = change.Place{Path: c.From}.Child(rel).Path
	}
	e, err := from.Look(below)
	if err != nil {
		return false
	}
	if e.Type != change.Dir {
		return d.wroteIn(at, e)
	}
	err = from.Walk(below, func(path change.Name, e change.Entry) error {
		if e.Type == change.Dir {
			return nil
		}
		some = true
		if !d.wroteIn(at.Child(strings.TrimPrefix(string(path), string(below)+"/")), e) {
			return errNotMade
		}
		return nil
	})
	return err == nil && some
}

// wroteIn is wrote for what lies in the layer, where reading it may have changed its time.
func (d *Draft) wroteIn(at change.Place, e change.Entry) bool {
	if changed, known := d.t.tx.Touched(at); known {
		e.Changed = changed
	}
	return d.wrote(at, e)
}
