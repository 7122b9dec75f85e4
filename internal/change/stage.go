package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"helve/internal/fsroot"
)

// Near slots are called as the temporary files of tools are, which every listing leaves out.
const (
	nearPrefix = ".helve-"
	nearSuffix = ".tmp"
	// idInNames is how much of a transaction's id is in them.
	idInNames = 8
)

// nearName is the name of an entry that is in a root for a moment.
func (t *Transaction) nearName(what string) string {
	return nearPrefix + t.id[:idInNames] + "-" + what + nearSuffix
}

// choose gives every step its slot.
func (t *Transaction) choose(p *plan) error {
	var notes []note
	for i, st := range p.steps {
		if st.why != nil || st.Do == alter {
			continue
		}
		number := strconv.Itoa(i)
		switch {
		case t.near[st.Root]:
			near := t.nearest(p, st).Child(t.nearName(number))
			st.Slot = slot{Path: near.Path, Near: true}
			notes = append(notes, note{Place: near})
		case st.change != nil && st.change.From != "":
			st.Slot = slot{Path: st.change.From}
		default:
			st.Slot = slot{Path: in(slotsName, number)}
		}
	}
	return t.noteDown(notes)
}

// nearest is the directory for a near slot: the deepest on the way to the place that is there, stays, and can be
// written to.
func (t *Transaction) nearest(p *plan, st *step) Place {
	for up := st.Parent(); up.Path != "."; up = up.Parent() {
		now, err := t.roots.look(up)
		if err != nil || now.Type != Dir {
			continue
		}
		if writable(now) && p.staysOpen(up) {
			return up
		}
	}
	return Place{st.Root, "."}
}

// stage makes the new content of every step in its slot. Nothing can be seen of it in the roots but near slots.
func (t *Transaction) stage(ctx context.Context, p *plan) error {
	for _, st := range p.steps {
		if st.why != nil || st.met || st.Do == alter || st.Do == take {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.fill(st); err != nil {
			return fmt.Errorf("prepare %s: %w", quoted(st.Path), err)
		}
		t.at("staged")
	}
	return nil
}

// fill puts the new content of a step in its slot, and notes what it is from now on.
func (t *Transaction) fill(st *step) error {
	t.roots.parent(st.Place) // opened first, so that it closes no slot; it may not be there yet
	s, err := t.slotOf(st)
	if err != nil {
		return err
	}
	switch {
	case st.change.From == "":
		err = t.compose(st, s)
	case st.Slot.Near:
		err = t.carry(st, s)
	}
	if err != nil {
		return err
	}
	now, err := s.look()
	if err != nil {
		return err
	}
	if now.Type != st.Will.Type {
		return fmt.Errorf("%s lies ready, not %s", now.Type, st.Will.Type)
	}
	st.Will = now
	return nil
}

// compose makes an entry of what the change says.
func (t *Transaction) compose(st *step, s spot) error {
	var err error
	switch st.Will.Type {
	case Dir:
		err = s.in.mkdir(s.name)
	case Link:
		err = s.in.symlink(string(st.Will.Target), s.name)
	case File:
		err = t.write(st, s)
	default:
		err = errors.New("there is no content for it")
	}
	if err != nil {
		return err
	}
	return s.dress(st.Will)
}

// slotOf opens the directory of a step's slot. It is valid until another directory is opened in the same place.
func (t *Transaction) slotOf(st *step) (spot, error) {
	at := Place{st.Root, st.Slot.Path}
	if st.Slot.Near {
		up, err := t.roots.parent(at)
		return spot{up, at.Base()}, err
	}
	if name, ok := strings.CutPrefix(string(at.Path), slotsName+"/"); ok {
		return spot{t.slots, name}, nil
	}
	return t.inFolder(at.Path)
}

// inFolder opens the directory of a path below the transaction's folder.
func (t *Transaction) inFolder(path Name) (spot, error) {
	at := Place{Path: path}
	up, err := t.layer.parent(at)
	return spot{up, at.Base()}, err
}

// write writes a file's new content, and gives it what the old file had beside its own.
func (t *Transaction) write(st *step, s spot) error {
	f, err := s.in.create(s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := st.change.Write(f); err != nil {
		return err
	}
	if err := t.inherit(st, f); err != nil {
		return err
	}
	if err := t.flush(f); err != nil {
		return err
	}
	return f.Close()
}

// inherit copies access lists and other attributes of the file that is replaced.
func (t *Transaction) inherit(st *step, f *os.File) error {
	if st.Do != swap || st.Was.Type != File {
		return nil
	}
	up, err := t.roots.parent(st.Place)
	if err != nil {
		return err
	}
	old, err := up.open(st.Base())
	if err != nil {
		return err
	}
	defer old.Close()
	return fsroot.KeepAttrs(f, old)
}

// dress sets owner, mode and time of an entry to those of e. An owner that is unknown or already right is left alone,
// because only root may change it.
func (s spot) dress(e Entry) error {
	if err := s.own(e.Owner); err != nil {
		return err
	}
	if e.Type != Link { // a link has no mode of its own
		if err := s.in.chmod(s.name, e.Mode); err != nil {
			return err
		}
	}
	if e.Time == 0 {
		return nil
	}
	return s.in.touch(s.name, e.Time)
}

// own sets the owner, where one is given that is not there already.
func (s spot) own(o Owner) error {
	if !o.Known {
		return nil
	}
	now, err := s.look()
	if err != nil || now.Owner == o {
		return err
	}
	return s.in.chown(s.name, o)
}

// carry copies what lies ready in the folder to a near slot. Names of one file stay names of one file, whatever changes
// bring them.
func (t *Transaction) carry(st *step, to spot) error {
	s, err := t.inFolder(st.change.From)
	if err != nil {
		return err
	}
	c := t.carried[st.Root]
	if c == nil {
		c = &copier{base: t.roots.roots[st.Root], seen: map[ID]Name{}}
		if t.carried == nil {
			t.carried = map[int]*copier{}
		}
		t.carried[st.Root] = c
	}
	return c.entry(s, to, st.Slot.Path, 0)
}
