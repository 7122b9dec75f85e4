package change

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// A keeper keeps in the folder what somebody may want later: what was refused, and what was replaced.
type keeper struct {
	*workplace
	keep bool // the folder has something of that sort
}

// keepRefused moves what a refused step would have put in place to where it stays after Close, and returns its path.
// What cannot be kept is gone with the transaction: it was never anybody's but the set's.
func (k *keeper) keepRefused(st *step) string {
	if st.done || st.Do != put && st.Do != swap {
		return ""
	}
	kept, err := k.subfolder(keptName)
	if err != nil {
		return ""
	}
	defer kept.close()
	to := spot{kept, keptAs(st.Place)}
	if e, err := to.look(); err != nil || e.Type != None {
		return ""
	}
	if err := k.rescue(st, to); err != nil {
		return ""
	}
	k.keep = true
	return k.keptPath(to)
}

// keptPath is the absolute path of what is kept.
func (k *keeper) keptPath(s spot) string {
	return filepath.Join(k.folder, keptName, s.name)
}

// errNothing has a refusal tell of no path: a directory without its content is of no use to anybody.
var errNothing = errors.New("there is nothing to keep")

// rescue brings the new content of a step, from wherever it is, to a spot.
func (k *keeper) rescue(st *step, to spot) error {
	if st.Slot.Path == "" { // refused before it was staged
		return k.rescueContent(st, to)
	}
	from, err := k.slotOf(st)
	if err != nil {
		return err
	}
	e, err := from.look()
	if err != nil {
		return err
	}
	if !st.Will.sameThing(e) || e.Type == Dir && !st.Whole {
		return errNothing
	}
	if st.Slot.Near {
		return copyEntry(from, to, 0)
	}
	return k.o.plain.rename(from, to)
}

// rescueContent is rescue for content that never came to a slot.
func (k *keeper) rescueContent(st *step, to spot) error {
	c := st.change
	switch {
	case c == nil:
		return errNothing
	case c.From != "":
		from, err := k.inFolder(c.From)
		if err != nil {
			return err
		}
		return k.o.plain.rename(from, to)
	case c.Write == nil:
		return errNothing
	}
	f, err := to.in.create(to.name)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.Write(f)
}

// maxKeptName bounds the name of what is kept: it is there to be recognized, no more.
const maxKeptName = 100

// keptAs is a name by which a person recognizes what was refused.
func keptAs(p Place) string {
	flat := strings.ReplaceAll(string(p.Path), "/", "%")
	end := flat[max(len(flat)-maxKeptName, 0):]
	return strconv.Itoa(p.Root) + "%" + end
}

// keepOld is where what a step replaced lies. From a near slot it is copied to the folder first, if it is wanted. Where
// that fails the change stands all the same, and there is nothing old.
func (k *keeper) keepOld(st *step) Name {
	if !st.Slot.Near {
		return st.Slot.Path
	}
	if !k.o.Keep {
		return ""
	}
	to := spot{k.slots, base(st.Slot.Path)}
	if err := k.copyOld(st, to); err != nil {
		return ""
	}
	return in(slotsName, to.name)
}

// copyOld copies what lies in a near slot. What is there is whole: the copy gets its name last.
func (k *keeper) copyOld(st *step, to spot) error {
	e, err := to.look()
	if err != nil || e.Type != None {
		return err // an earlier run got so far
	}
	from, err := k.slotOf(st)
	if err != nil {
		return err
	}
	draft := spot{to.in, to.name + ".copy"}
	if err := draft.in.removeAll(draft.name); err != nil {
		return err
	}
	if err := copyEntry(from, draft, 0); err != nil {
		return err
	}
	return k.o.plain.rename(draft, to)
}

// Replace gives a file that stands new content, and leaves it its mode, owner and time. Whoever is killed in it
// leaves the old content or the new one. It is for [Set.Settle]: only while a unit's lock is held does nobody else
// change the file.
func (t *Transaction) Replace(at Place, content []byte) error {
	up, err := t.roots.parent(at)
	if err != nil {
		return err
	}
	stands, err := up.look(at.Base())
	if err != nil {
		return err
	}
	if stands.Type != File {
		return fmt.Errorf("%s: %w", quoted(at.Path), ErrGone)
	}
	draft := at.Parent().Child(t.nearName("new"))
	if err := t.noteDown([]note{{Place: draft}}); err != nil {
		return err
	}
	f, err := up.create(draft.Base())
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && t.o.Sync {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err // the draft goes with what else lies near
	}
	if err := (spot{up, draft.Base()}).dress(stands); err != nil {
		return err
	}
	t.at("draft ready")
	return up.replace(draft.Base(), at.Base())
}

// refuseUnit refuses every step of a unit.
func (p *plan) refuseUnit(name string, why error) {
	for _, st := range p.inUnit[name] {
		if st.why == nil {
			st.why = why
		}
	}
}
