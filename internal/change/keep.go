package change

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// keepRefused moves what a refused step would have put in place to where it stays after Close, and returns its path.
// What cannot be kept is gone with the transaction: it was never anybody's but the set's.
func (t *Transaction) keepRefused(st *step) string {
	if st.done || st.Do != put && st.Do != swap {
		return ""
	}
	kept, err := t.subfolder(keptName)
	if err != nil {
		return ""
	}
	defer kept.close()
	as := keptAs(st.Place)
	if e, err := kept.look(as); err != nil || e.Type != None {
		return ""
	}
	if err := t.rescue(st, kept, as); err != nil {
		return ""
	}
	t.keep = true
	return filepath.Join(t.folder, keptName, as)
}

var errNothing = errors.New("there is nothing to keep")

// rescue brings the new content of a step, from wherever it is, to a name in kept.
func (t *Transaction) rescue(st *step, kept *dir, as string) error {
	if st.Slot.Path == "" { // refused before it was staged
		return t.rescueContent(st, kept, as)
	}
	where, name, err := t.slotOf(st)
	if err != nil {
		return err
	}
	e, err := where.look(name)
	if err != nil {
		return err
	}
	if !st.Will.sameThing(e) || e.Type == Dir && !st.Whole {
		return errNothing
	}
	if st.Slot.Near {
		return (&copying{}).entry(where, name, kept, as)
	}
	return t.o.plain.rename(where, name, kept, as)
}

// rescueContent is rescue for content that never came to a slot.
func (t *Transaction) rescueContent(st *step, kept *dir, as string) error {
	c := st.change
	switch {
	case c == nil:
		return errNothing
	case c.From != "":
		up, err := t.layer.dir(Place{Path: Place{Path: c.From}.parent().Path})
		if err != nil {
			return err
		}
		return t.o.plain.rename(up, base(c.From), kept, as)
	case c.Write == nil:
		return errNothing
	}
	f, err := kept.create(as)
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
	return strconv.Itoa(p.Root) + "%" + flat[max(len(flat)-maxKeptName, 0):]
}

// keepOld is where what a step replaced lies. From a near slot it is copied to the folder first, if it is wanted.
func (t *Transaction) keepOld(st *step) Name {
	if !st.Slot.Near {
		return st.Slot.Path
	}
	if !t.o.Keep {
		return ""
	}
	name := base(st.Slot.Path)
	as := in(slotsName, name)
	if e, err := t.slots.look(name); err == nil && e.Type != None {
		return as
	}
	where, slot, err := t.slotOf(st)
	if err != nil {
		return ""
	}
	draft := name + ".tmp"
	if t.slots.removeAll(draft) != nil {
		return ""
	}
	if err := (&copying{}).entry(where, slot, t.slots, draft); err != nil {
		return ""
	}
	if err := t.o.plain.rename(t.slots, draft, t.slots, name); err != nil {
		return ""
	}
	return as
}

// subfolder opens a directory in the folder, and makes it first if it is not there.
func (t *Transaction) subfolder(name string) (*dir, error) {
	e, err := t.home.look(name)
	if err != nil {
		return nil, err
	}
	if e.Type == None {
		if err := t.home.mkdir(name); err != nil {
			return nil, err
		}
	}
	return t.home.enter(name)
}

// clean removes what lies in the roots for a moment only, as the notes say.
func (t *Transaction) clean() error {
	notes, err := t.notes()
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range notes {
		if n.Lock {
			errs = append(errs, t.removeLock(n.Place))
			continue
		}
		if !strings.HasPrefix(n.base(), nearPrefix+t.id[:idInNames]) || !strings.HasSuffix(n.base(), nearSuffix) {
			continue // no name of ours: the notes were tampered with
		}
		up, err := t.roots.parent(n.Place)
		if missing(err) {
			continue
		}
		if err == nil {
			err = errors.Join(up.removeAll(n.base()), up.removeAll(n.base()+asideSuffix))
		}
		errs = append(errs, err)
		t.at("near slot removed")
	}
	return errors.Join(errs...)
}

// lockUnits makes the lock files of the units that want one. A unit whose lock exists is refused.
func (t *Transaction) lockUnits(p *plan) error {
	for name, u := range p.units {
		steps := p.inUnit[name]
		if u.Lock == nil || len(steps) == 0 || p.at[*u.Lock] != nil {
			continue // a lock that the set itself changes cannot be taken as well
		}
		if err := t.noteDown([]note{{Place: *u.Lock, Lock: true, Unit: name}}); err != nil {
			return err
		}
		err := t.makeLock(*u.Lock)
		switch {
		case errors.Is(err, ErrLocked), missing(err), local(err):
			p.refuseUnit(name, fmt.Errorf("%s: %w", quoted(u.Lock.Path), ErrLocked))
		case err != nil:
			return fmt.Errorf("lock %s: %w", quoted(u.Lock.Path), err)
		}
		t.at("unit locked")
	}
	return nil
}

// makeLock makes a lock file that tells whose it is. It gets its name when it is whole.
func (t *Transaction) makeLock(at Place) error {
	up, err := t.roots.parent(at)
	if err != nil {
		return err
	}
	draft := t.nearName("lock")
	if err := t.noteDown([]note{{Place: Place{at.Root, in(at.parent().Path, draft)}}}); err != nil {
		return err
	}
	f, err := up.create(draft)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, t.id); err != nil {
		return err
	}
	err = t.o.plain.rename(up, draft, up, at.base())
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrLocked
	}
	return errors.Join(err, up.remove(draft, false))
}

// removeLock removes a lock file that is ours.
func (t *Transaction) removeLock(at Place) error {
	ours, err := t.ownLock(at)
	if err != nil || !ours {
		return err
	}
	up, err := t.roots.parent(at)
	if err != nil {
		return err
	}
	return up.remove(at.base(), false)
}

// ownLock reports that a lock file is there and this transaction's.
func (t *Transaction) ownLock(at Place) (bool, error) {
	up, err := t.roots.parent(at)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := up.open(at.base())
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(len(t.id)+1)))
	return string(text) == t.id, err
}

// unlockUnits removes the lock files, also where nothing else is to clean up.
func (t *Transaction) unlockUnits() {
	notes, err := t.notes()
	if err != nil {
		return // the next start says so
	}
	for _, n := range notes {
		if n.Lock {
			t.removeLock(n.Place)
		}
	}
}

// refuseUnit refuses every step of a unit.
func (p *plan) refuseUnit(name string, why error) {
	for _, st := range p.inUnit[name] {
		if st.why == nil {
			st.why = why
		}
	}
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Root, b.Root), cmp.Compare(a.Path, b.Path))
}
