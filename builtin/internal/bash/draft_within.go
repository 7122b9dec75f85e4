package bash

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"helve/internal/change"
	"helve/tool"
)

// OpenWithin begins a draft in this one: it shows what this one shows, its Commit goes here and asks nothing, and its
// Drop loses its own changes only. What is changed here meanwhile by others has its Commit be refused.
func (d *Draft) OpenWithin(ctx context.Context) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.look != nil {
		return nil, ErrDraftOver
	}
	if err := d.unview(); err != nil {
		return nil, err
	}
	tx, err := change.Begin(d.w.Changes())
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	in := d.w.draftIn(tx)
	if err := in.begin(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("draft: %w", err), in.Drop())
	}
	return in, nil
}

// begin gives a draft what the one holds in which it is, with the mutex of that one held.
func (d *Draft) begin(ctx context.Context, outer *Draft) (err error) {
	d.outer, d.based, d.size = outer, outer.changes.Load(), outer.size
	if d.t.layer, err = outer.t.layer.Within(ctx, d.t.tx); err != nil {
		return err
	}
	for _, m := range [][2]*sync.Map{{&d.base, &outer.base}, {&d.stood, &outer.stood}} {
		m[1].Range(func(key, value any) bool {
			m[0].Store(key, value)
			return true
		})
	}
	d.began, _, err = d.holdings()
	return err
}

// differs tells whether a draft in another one holds something else than when it was begun.
func (d *Draft) differs() (bool, error) {
	if !d.t.layer.Held() {
		return false, nil
	}
	now, _, err := d.holdings()
	return now != d.began, err
}

// holdings digest what is in the layer, and count the places.
func (d *Draft) holdings() (sum [sha256.Size]byte, places int, err error) {
	if !d.t.layer.Held() {
		return sum, 0, nil
	}
	layer, err := change.OpenTree(d.t.tx.Folder())
	if err != nil {
		return sum, 0, err
	}
	defer layer.Close()
	for _, upper := range d.t.layer.Uppers() {
		err := layer.WalkOpen(upper, func(path change.Name, e change.Entry) error {
			places++
			one, err := holding(layer, path, e)
			subtle.XORBytes(sum[:], sum[:], one[:])
			return err
		}, closedToUs)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a root that was read-only has none
			return sum, 0, err
		}
	}
	return sum, places, nil
}

// holding digests one place of a layer. What the overlay notes at directories is its own, but for what they hide.
func holding(layer *change.Tree, path change.Name, e change.Entry) ([sha256.Size]byte, error) {
	hides := false
	switch {
	case e.Type == change.Dir:
		var err error
		hides, err = layer.Opaque(path)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return [sha256.Size]byte{}, err
		}
		e.Changed = 0
	case e.Type == change.File && e.Mode&0o400 == 0:
		e.Changed = e.Time // it is opened to be copied
	}
	text := fmt.Appendf(nil, "%q %d %o %d %d %v %v", path, e.Type, e.Mode, e.Size, e.Changed, e.Owner, hides)
	return sha256.Sum256(text), nil
}

// join has the draft in which this one is take what it holds.
func (d *Draft) join() (*Committed, error) {
	out := d.outer
	out.mu.Lock()
	defer out.mu.Unlock()
	why, err := d.unjoinable()
	if err == nil && why == nil {
		err = d.give()
	}
	if err != nil {
		why = tool.Errorf(tool.Execution, "nothing was made in the draft: %w", err)
	}
	d.drop() // what cannot be removed now is removed by the next start
	return &Committed{Refused: why, Outer: true}, nil
}

// unjoinable says why another draft cannot take what this one holds; nil: it can.
func (d *Draft) unjoinable() (*tool.Error, error) {
	out := d.outer
	if err := errors.Join(d.unview(), out.unview()); err != nil {
		return nil, err
	}
	switch {
	case out.over, out.look != nil:
		return tool.Errorf(tool.Execution, "the draft in which it worked is over: nothing was made"), nil
	case out.changes.Load() != d.based:
		return tool.Errorf(tool.Execution, "the draft was changed meanwhile by others: nothing was made in it").
			WithHint("Read what it works on as it is now, and do it again."), nil
	}
	_, places, err := d.holdings()
	if err == nil && places > maxDrafted {
		err = fmt.Errorf("it would change %d places, more than the %d of a draft", places, maxDrafted)
	}
	return nil, err
}

// give has the outer draft take the layer, with what it relied upon.
func (d *Draft) give() error {
	out := d.outer
	texts, stood := added(&out.base, &d.base), added(&out.stood, &d.stood)
	if err := out.t.layer.Take(d.t.layer, out.keep); err != nil {
		texts.forget(&out.base)
		stood.forget(&out.stood)
		return err
	}
	out.changes.Add(1)
	out.own.Clear() // what a tool for files wrote is another file now
	out.size = d.size
	if d.owes() {
		out.Owe()
	}
	return nil
}

// A noted is what was added to a map of places.
type noted []change.Place

// added adds what is not there yet.
func added(to, from *sync.Map) (new noted) {
	from.Range(func(key, value any) bool {
		if _, known := to.LoadOrStore(key, value); !known {
			new = append(new, key.(change.Place))
		}
		return true
	})
	return new
}

// forget takes back what was added.
func (n noted) forget(m *sync.Map) {
	for _, at := range n {
		m.Delete(at)
	}
}

// keepTaken writes down that another layer is in place of the draft's own, with what it relied upon: before this was
// done it counts for nothing.
func (k *Kept) keepTaken(at change.Name) error {
	d := k.Down
	was := *d
	was.Places = slices.Clone(d.Places)
	err := k.keepTexts()
	if err == nil {
		k.keepStood()
		d.Layer, d.Script = at, nil // it is a person's from now on
		err = k.w.WriteDraft(d)
	}
	if err != nil {
		*d = was
	}
	return err
}
