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
	to := spot{kept, keptAs(st.Place)}
	if e, err := to.look(); err != nil || e.Type != None {
		return ""
	}
	if err := t.rescue(st, to); err != nil {
		return ""
	}
	t.keep = true
	return t.keptPath(to)
}

// keptPath is the absolute path of what is kept.
func (t *Transaction) keptPath(s spot) string {
	return filepath.Join(t.folder, keptName, s.name)
}

// errNothing has a refusal tell of no path: a directory without its content is of no use to anybody.
var errNothing = errors.New("there is nothing to keep")

// rescue brings the new content of a step, from wherever it is, to a spot.
func (t *Transaction) rescue(st *step, to spot) error {
	if st.Slot.Path == "" { // refused before it was staged
		return t.rescueContent(st, to)
	}
	from, err := t.slotOf(st)
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
	return t.o.plain.rename(from, to)
}

// rescueContent is rescue for content that never came to a slot.
func (t *Transaction) rescueContent(st *step, to spot) error {
	c := st.change
	switch {
	case c == nil:
		return errNothing
	case c.From != "":
		from, err := t.inFolder(c.From)
		if err != nil {
			return err
		}
		return t.o.plain.rename(from, to)
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
func (t *Transaction) keepOld(st *step) Name {
	if !st.Slot.Near {
		return st.Slot.Path
	}
	if !t.o.Keep {
		return ""
	}
	to := spot{t.slots, base(st.Slot.Path)}
	if err := t.copyOld(st, to); err != nil {
		return ""
	}
	return in(slotsName, to.name)
}

// copyOld copies what lies in a near slot. What is there is whole: the copy gets its name last.
func (t *Transaction) copyOld(st *step, to spot) error {
	e, err := to.look()
	if err != nil || e.Type != None {
		return err // an earlier run got so far
	}
	from, err := t.slotOf(st)
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
	return t.o.plain.rename(draft, to)
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
		errs = append(errs, t.removeNear(n.Place))
		t.at("near slot removed")
	}
	return errors.Join(errs...)
}

// removeNear removes a near slot, and what a slow exchange may have left aside of it.
func (t *Transaction) removeNear(at Place) error {
	if !t.isNear(at.Base()) {
		return nil // no name of ours: the notes were tampered with
	}
	up, err := t.roots.parent(at)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := up.removeAll(at.Base()); err != nil {
		return err
	}
	return up.removeAll(at.Base() + asideSuffix)
}

// isNear reports a name that this transaction gives to what is in a root for a moment.
func (t *Transaction) isNear(name string) bool {
	ours := nearPrefix + t.id[:idInNames]
	return strings.HasPrefix(name, ours) && strings.HasSuffix(name, nearSuffix)
}

// lockUnits makes the lock files of the units that want one. A unit whose lock exists is refused.
func (t *Transaction) lockUnits(p *plan) error {
	for name, u := range p.units {
		if u.Lock == nil || len(p.inUnit[name]) == 0 {
			continue
		}
		if p.at[*u.Lock] != nil {
			continue // a lock that the set itself changes cannot be taken as well
		}
		n := note{Place: *u.Lock, Lock: true, Unit: name}
		if err := t.noteDown([]note{n}); err != nil {
			return err
		}
		err := t.makeLock(n.Place)
		if err != nil && !refusal(err) {
			return fmt.Errorf("lock %s: %w", quoted(n.Path), err)
		}
		if err != nil {
			p.refuseUnit(name, lockedBy(n))
		}
		t.at("unit locked")
	}
	return nil
}

// lockedBy is why a unit is refused whose lock another program has.
func lockedBy(n note) error {
	return fmt.Errorf("%s: %w", quoted(n.Path), ErrLocked)
}

// makeLock makes a lock file that tells whose it is. It gets its name when it is whole.
func (t *Transaction) makeLock(at Place) error {
	draft := at.Parent().Child(t.nearName("lock"))
	if err := t.noteDown([]note{{Place: draft}}); err != nil {
		return err
	}
	up, err := t.roots.parent(at)
	if err != nil {
		return err
	}
	f, err := up.create(draft.Base())
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, t.id); err != nil {
		return err
	}
	err = t.o.plain.rename(spot{up, draft.Base()}, spot{up, at.Base()})
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrLocked
	}
	return errors.Join(err, up.remove(draft.Base(), false))
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
	return up.remove(at.Base(), false)
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
	f, err := up.open(at.Base())
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

// comparePlaces orders by root, then by the bytes of the path: a directory comes before what is in it.
func comparePlaces(a, b Place) int {
	return cmp.Or(
		cmp.Compare(a.Root, b.Root),
		cmp.Compare(a.Path, b.Path),
	)
}
