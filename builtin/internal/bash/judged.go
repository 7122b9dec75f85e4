package bash

import (
	"strings"

	"helve/internal/change"
	"helve/internal/change/check"
)

// A Written place is one that a tool for files changed in a draft.
type Written struct {
	Disk   change.Entry // what stands there on the disk
	Was    change.Entry // what stood there in the draft before
	Now    change.Entry
	Agreed bool // a person or a rule said yes to the call: the mode alone lets nothing through that steers
}

// owned is what tools for files alone made of a place.
type owned struct {
	now    change.Entry
	agreed bool // with a yes to each call
}

// Place is how what the draft comes to names a place.
func (d *Draft) Place(at change.Place) change.Place { return d.t.layer.Place(at) }

// Wrote notes that a tool for files changed a place, as the policy had judged. What a command made of it before, its
// mode among that, was not in that question: such a place stays the command's.
func (d *Draft) Wrote(at change.Place, w Written) {
	then, known := d.wrote(at, w.Was)
	own := owned{w.Now, w.Agreed && (!known || then.agreed)}
	switch {
	case known, w.Was.Type == change.None, asItWas(w.Was, w.Disk):
		d.own.Store(at, own)
	default:
		d.own.Delete(at)
	}
}

// wrote is what a tool for files left at a place, if it is as it left it. None of them takes a file away.
func (d *Draft) wrote(at change.Place, now change.Entry) (own owned, is bool) {
	then, known := d.own.Load(at)
	if !known || now.Type != change.File {
		return owned{}, false
	}
	own = then.(owned)
	return own, asItWas(own.now, now)
}

// asItWas tells that nothing was changed in between, also where the two were seen by another path.
func asItWas(then, now change.Entry) bool {
	same := then.Type == now.Type && then.Mode == now.Mode && then.Size == now.Size
	return same && then.Changed == now.Changed
}

// excuses tells that a finding about a place is nothing but what a tool for files wrote there. Of a new name that is
// enough: such a tool may make one unasked. What steers wants a yes to the call.
func (d *Draft) excuses(x check.Finding, at change.Place, now change.Entry) bool {
	own, is := d.wrote(at, now)
	return is && (x.New || own.agreed)
}

// judged tells of findings about what tools for files left alone.
func (d *Draft) judged(f *finished) func(check.Finding) bool {
	return func(x check.Finding) bool {
		if d.w.neverAsked(x) || x.Git { // what git makes of several files was in no question about one of them
			return false
		}
		c := &f.set.Changes[x.Index]
		if x.Place == c.Place() && c.Will.Type != change.Dir {
			return d.excuses(x, x.Place, c.Will)
		}
		return d.wroteAll(c, x)
	}
}

// wroteAll is excuses for all that comes at a place in a directory which a change brings.
func (d *Draft) wroteAll(c *change.Change, x check.Finding) bool {
	if c.From == "" {
		return false
	}
	from, err := change.OpenTree(d.t.where.Folder)
	if err != nil {
		return false
	}
	defer from.Close()
	below, some := c.From, false
	if rel, in := strings.CutPrefix(string(x.Path), string(c.Path)+"/"); in {
		below = change.Place{Path: c.From}.Child(rel).Path
	}
	e, err := from.Look(below)
	if err != nil {
		return false
	}
	if e.Type != change.Dir {
		return d.wroteIn(x, x.Place, e)
	}
	err = from.Walk(below, func(path change.Name, e change.Entry) error {
		if e.Type == change.Dir {
			return nil
		}
		some = true
		if !d.wroteIn(x, x.Place.Child(strings.TrimPrefix(string(path), string(below)+"/")), e) {
			return errNotMade
		}
		return nil
	})
	return err == nil && some
}

// wroteIn is excuses for what lies in the layer, where reading it may have changed its time.
func (d *Draft) wroteIn(x check.Finding, at change.Place, e change.Entry) bool {
	if changed, known := d.t.tx.Touched(at); known {
		e.Changed = changed
	}
	return d.excuses(x, at, e)
}
