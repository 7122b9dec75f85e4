package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"helve/internal/fsroot"
)

// Near slots are called as the temporary files of tools are, which every listing leaves out.
const (
	nearPrefix = ".helve-"
	nearSuffix = ".tmp"
	// idInNames is how much of a transaction's id is in them.
	idInNames = 8
)

// A staging makes what is new ready in the slots of the steps.
type staging struct {
	*workplace
	*notebook
	carried map[int]*copier // by root, what copied to its near slots
}

// choose gives every step its slot.
func (g *staging) choose(p *plan) error {
	var notes []note
	for i, st := range p.steps {
		if st.why != nil || st.Do == alter {
			continue
		}
		number := strconv.Itoa(i)
		switch {
		case g.near[st.Root]:
			near := g.nearest(p, st).Child(g.nearName(number))
			st.Slot = slot{Path: near.Path, Near: true}
			notes = append(notes, note{Place: near})
		case st.change != nil && st.change.From != "":
			st.Slot = slot{Path: st.change.From}
		default:
			st.Slot = slot{Path: in(slotsName, number)}
		}
	}
	return g.noteDown(notes)
}

// nearest is the directory for a near slot: the deepest on the way to the place that is there, stays, and can be
// written to.
func (g *staging) nearest(p *plan, st *step) Place {
	for up := st.Parent(); up.Path != "."; up = up.Parent() {
		now, err := g.roots.look(up)
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
func (g *staging) stage(ctx context.Context, p *plan) error {
	for _, st := range p.steps {
		if st.why != nil || st.met || st.Do == alter || st.Do == take {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.fill(st); err != nil {
			return fmt.Errorf("prepare %s: %w", quoted(st.Path), err)
		}
		g.at("staged")
	}
	return nil
}

// fill puts the new content of a step in its slot, and notes what it is from now on.
func (g *staging) fill(st *step) error {
	g.roots.parent(st.Place) // opened first, so that it closes no slot; it may not be there yet
	s, err := g.slotOf(st)
	if err != nil {
		return err
	}
	switch {
	case st.change.From == "":
		err = g.compose(st, s)
	case st.Slot.Near:
		err = g.carry(st, s)
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
func (g *staging) compose(st *step, s spot) error {
	var err error
	switch st.Will.Type {
	case Dir:
		err = s.in.mkdir(s.name)
	case Link:
		err = s.in.symlink(string(st.Will.Target), s.name)
	case File:
		err = g.write(st, s)
	default:
		err = errors.New("there is no content for it")
	}
	if err != nil {
		return err
	}
	return s.dress(st.Will)
}

// write writes a file's new content, and gives it what the old file had beside its own.
func (g *staging) write(st *step, s spot) error {
	f, err := s.in.create(s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := st.change.Write(f); err != nil {
		return err
	}
	if err := g.inherit(st, f); err != nil {
		return err
	}
	if err := g.flush(f); err != nil {
		return err
	}
	return f.Close()
}

// inherit copies access lists and other attributes of the file that is replaced.
func (g *staging) inherit(st *step, f *os.File) error {
	if st.Do != swap || st.Was.Type != File {
		return nil
	}
	up, err := g.roots.parent(st.Place)
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
func (g *staging) carry(st *step, to spot) error {
	s, err := g.inFolder(st.change.From)
	if err != nil {
		return err
	}
	c := g.carried[st.Root]
	if c == nil {
		c = &copier{base: g.roots.roots[st.Root], seen: map[ID]Name{}}
		if g.carried == nil {
			g.carried = map[int]*copier{}
		}
		g.carried[st.Root] = c
	}
	return c.entry(s, to, st.Slot.Path, 0)
}
