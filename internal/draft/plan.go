package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/internal/change"
	"helve/internal/diff"
)

// A Clash is a place that the draft changes, and that somebody else changed since it was first changed in the draft.
type Clash struct {
	change.Place
	Why error // in words for who has to decide
}

// A Conflict is why a draft cannot be committed: nothing of it was.
type Conflict struct{ Clashes []Clash }

func (c *Conflict) Error() string {
	var names []string
	for _, x := range c.Clashes {
		names = append(names, string(x.Path)+" ("+x.Why.Error()+")")
	}
	const shown = 10
	more := ""
	if len(names) > shown {
		more = fmt.Sprintf(" and %d more", len(names)-shown)
		names = names[:shown]
	}
	return "somebody else changed what the draft changes: " + strings.Join(names, ", ") + more
}

// A Plan is what a commit would do.
type Plan struct {
	Set     *change.Set    // as one unit
	Merged  []change.Place // in which somebody else's change and the draft's both are
	Clashes []Clash
}

// unit joins all changes of a draft.
const unit = "draft"

// Plan compares the draft with what stands in the base now. Where both changed a text in other lines, the draft's has
// both changes from then on. The set is good until the draft is changed, or the base.
func (d *Draft) Plan(ctx context.Context) (*Plan, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, ErrOver
	}
	p := &Plan{Set: &change.Set{}}
	for _, at := range d.places() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.planOne(p, at); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// places are those that the draft changes, by root and path.
func (d *Draft) places() []change.Place {
	out := make([]change.Place, 0, len(d.entries))
	for at := range d.entries {
		out = append(out, at)
	}
	slices.SortFunc(out, change.Place.Compare)
	return out
}

// planOne plans one place.
func (d *Draft) planOne(p *Plan, at change.Place) error {
	e := d.entries[at]
	now, err := d.base.Look(at)
	if err != nil {
		return err
	}
	will, err := d.will(at, e)
	if err != nil {
		return err
	}
	same, err := d.alike(at, will, now)
	if err != nil || same {
		return err // it is already so, whoever made it
	}
	if !e.Was.Unchanged(now) {
		clash, err := d.meet(at, e, now, will)
		if err != nil {
			return err
		}
		if clash != nil {
			p.Clashes = append(p.Clashes, Clash{at, clash})
			return nil
		}
		if will, err = d.will(at, e); err != nil {
			return err
		}
	}
	if d.merged[at] {
		p.Merged = append(p.Merged, at)
	}
	p.Set.Changes = append(p.Set.Changes, d.change(at, now, will))
	return nil
}

// will is what stands at a place when the draft is committed.
func (d *Draft) will(at change.Place, e *entry) (change.Entry, error) {
	if e.Gone {
		return change.Entry{}, nil
	}
	return d.layer.Look(at)
}

// change is the change of one place from what stands there now: that is what was relied upon, or a directory that
// somebody made in the place of that one.
func (d *Draft) change(at change.Place, now, will change.Entry) change.Change {
	c := change.Change{Root: at.Root, Path: at.Path, Was: now, Unit: unit}
	c.Will = change.Entry{Type: will.Type, Mode: will.Mode, Target: will.Target}
	if will.Type == change.File {
		c.Will.Size = will.Size
		c.Write = func(w io.Writer) error {
			f, err := d.layer.Open(at)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		}
	}
	return c
}

// alike tells that a place is as the draft wants it: the same type, mode and content.
func (d *Draft) alike(at change.Place, will, now change.Entry) (bool, error) {
	switch {
	case will.Type != now.Type:
		return false, nil
	case will.Type == change.None:
		return true, nil
	case will.Type == change.Link:
		return will.Target == now.Target, nil
	case will.Mode != now.Mode:
		return false, nil
	case will.Type == change.Dir:
		return true, nil
	case will.Size != now.Size:
		return false, nil
	}
	return sameContent(d.layer, d.base, at)
}

// sameContent compares a file of two trees.
func sameContent(a, b Tree, at change.Place) (bool, error) {
	x, err := a.Open(at)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := b.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer y.Close()
	return change.SameBytes(x, y)
}

// meet has a place that somebody else changed be changed by both, or says why it cannot.
func (d *Draft) meet(at change.Place, e *entry, now, will change.Entry) (clash, err error) {
	switch {
	case now.Type == change.None:
		return change.ErrGone, nil
	case e.Was.Type == change.None:
		return change.ErrExists, nil
	case now.Type != e.Was.Type:
		return fmt.Errorf("%w: it became %s", change.ErrChanged, now.Type), nil
	case now.Type != change.File || e.Kept == 0:
		return change.ErrChanged, nil
	}
	old, err := os.ReadFile(d.oldPath(e.Kept))
	if err != nil {
		return nil, err
	}
	theirs, err := read(d.base, at, maxKept)
	if err != nil {
		return change.ErrChanged, nil //nolint:nilerr // it grew, or is gone: it cannot be merged
	}
	if bytes.Equal(old, theirs) && now.Mode == e.Was.Mode { // written again, and the same
		e.Was = now
		return nil, d.note(at, e, e.Gone)
	}
	if will.Type != change.File || now.Mode != e.Was.Mode && will.Mode != e.Was.Mode {
		return change.ErrChanged, nil
	}
	return d.merge(at, e, now, will, [2][]byte{old, theirs})
}

// merge merges a text of the draft with what somebody else made of the same old one.
func (d *Draft) merge(at change.Place, e *entry, now, will change.Entry, texts [2][]byte) (clash, err error) {
	mine, err := read(d.layer, at, maxKept)
	if err != nil {
		return change.ErrChanged, nil //nolint:nilerr // it is too large to be merged
	}
	for _, text := range [][]byte{texts[0], texts[1], mine} {
		if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
			return fmt.Errorf("%w, and it is no text", change.ErrChanged), nil
		}
	}
	merged, ok := diff.Merge(string(texts[0]), string(mine), string(texts[1]))
	if !ok {
		return fmt.Errorf("%w, in the same lines", change.ErrChanged), nil
	}
	mode := will.Mode
	if will.Mode == e.Was.Mode {
		mode = now.Mode
	}
	if err := os.WriteFile(d.oldPath(e.Kept), texts[1], 0o600); err != nil {
		return nil, err
	}
	e.Was = now
	d.merged[at] = true
	return nil, d.put(at, func(temp string) (int64, error) {
		return d.compose(temp, now, mode, func(w io.Writer) error {
			_, err := io.WriteString(w, merged)
			return err
		})
	})
}
