package change

import (
	"errors"
	"fmt"
	"io/fs"
)

// Why a step is not made.
var (
	// ErrChanged: somebody else changed the path since it was looked at.
	ErrChanged = errors.New("somebody changed it meanwhile")
	// ErrExists: something stands where nothing was.
	ErrExists = errors.New("somebody made it meanwhile")
	// ErrGone: it is not there any more, or its directory is not.
	ErrGone = errors.New("somebody removed it meanwhile")
	// ErrFilled: somebody put something into a directory that was to go.
	ErrFilled = errors.New("somebody put something into it meanwhile")
	// ErrLocked: a program has locked the unit that the path belongs to.
	ErrLocked = errors.New("a program is at work here")
	// ErrSystem wraps what the system has against a change of one path.
	ErrSystem = errors.New("it cannot be changed")
)

// compare tells why a step cannot be made as things stand; nil: it can.
func (t *Transaction) compare(p *plan, st *step) error {
	now, err := t.roots.look(st.Place)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSystem, err)
	}
	switch {
	case st.change != nil && st.change.Shared && st.Do == put && now.Type == st.Will.Type:
		st.met = true
		return nil
	case !st.Was.is(now):
		return differs(st.Was, now)
	case st.Do != put || p.makes(st.parent()):
		return nil
	}
	if _, err := t.roots.parent(st.Place); missing(err) {
		return fmt.Errorf("its directory: %w", ErrGone)
	}
	return nil
}

func differs(was, now Entry) error {
	switch {
	case now.Type == None:
		return ErrGone
	case was.Type == None:
		return ErrExists
	case was.Type != now.Type:
		return fmt.Errorf("%w: it became %s", ErrChanged, now.Type)
	}
	return ErrChanged
}

// make makes one step. An error that only says why this step cannot be made is a refusal (see [refusal]); the place is
// then as it was.
func (t *Transaction) make(p *plan, st *step) error {
	if err := t.compare(p, st); err != nil {
		return err
	}
	release, err := t.guard(st)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	defer release()
	if st.Do == alter {
		up, err := t.roots.parent(st.Place)
		if err != nil {
			return err
		}
		return up.alter(st.base(), st.Was, st.Will)
	}
	m, err := t.move(st)
	if err != nil {
		return err
	}
	defer t.moved(st)
	switch st.Do {
	case put:
		return m.put(st.Will)
	case swap:
		return m.swap(st)
	}
	return m.take(st)
}

func (t *Transaction) guard(st *step) (func(), error) {
	if t.o.Guard == nil {
		return func() {}, nil
	}
	return t.o.Guard(st.parent())
}

// moved forgets directories that may not be any more what they were opened as.
func (t *Transaction) moved(st *step) {
	if st.Was.Type == Dir || st.Will.Type == Dir {
		t.roots.forget(st.Place)
		if !st.Slot.Near {
			t.layer.forget(Place{Path: st.Slot.Path})
		}
	}
}

// A move is a step's slot and place, both open.
type move struct {
	plain plain
	slots *dir
	slot  string
	up    *dir
	name  string
}

// move opens slot and place of a step, and finishes a slow exchange that was interrupted there.
func (t *Transaction) move(st *step) (*move, error) {
	if _, err := t.roots.parent(st.Place); missing(err) {
		return nil, fmt.Errorf("its directory: %w", ErrGone)
	}
	slots, slot, err := t.slotOf(st)
	if err != nil {
		return nil, err
	}
	up, err := t.roots.parent(st.Place) // opened before, so that neither closes the other
	if err != nil {
		return nil, err
	}
	m := &move{t.o.plain, slots, slot, up, st.base()}
	return m, settle(slots, slot, up, m.name)
}

// put gives what is in the slot its place.
func (m *move) put(will Entry) error {
	err := m.carefully(will, m.slots, m.slot, func() error {
		return m.plain.rename(m.slots, m.slot, m.up, m.name)
	})
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	return m.up.restore(m.name, will)
}

// carefully repeats a move of a directory that its owner may not write to, after giving the owner that right: the
// system wants it for the name of the directory above. [dir.restore] takes it back.
func (m *move) carefully(e Entry, at *dir, name string, do func() error) error {
	err := do()
	if e.Type != Dir || e.Mode&ownerWrites == ownerWrites || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := at.chmod(name, e.Mode|ownerWrites); err != nil {
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, at.chmod(name, e.Mode))
	}
	return nil
}

// restore gives a directory the mode that it had before it was moved.
func (d *dir) restore(name string, e Entry) error {
	if e.Type != Dir || e.Mode&ownerWrites == ownerWrites {
		return nil
	}
	return d.chmod(name, e.Mode)
}

// swap exchanges slot and place, and exchanges them back if what came out is not what was expected.
func (m *move) swap(st *step) error {
	if err := m.exchange(st.Was, st.Will); err != nil {
		return err
	}
	if err := m.judge(st); err != nil {
		return errors.Join(err, m.exchange(st.Will, st.Was))
	}
	return nil
}

// exchange has old, at the place, and new, in the slot, change places.
func (m *move) exchange(old, new Entry) error {
	err := m.carefully(old, m.up, m.name, func() error {
		return m.carefully(new, m.slots, m.slot, func() error {
			return m.plain.exchange(m.slots, m.slot, m.up, m.name)
		})
	})
	if err != nil {
		return err
	}
	return errors.Join(m.up.restore(m.name, new), m.slots.restore(m.slot, old))
}

// take moves what is at the place to the slot, and back if it is not what was expected.
func (m *move) take(st *step) error {
	err := m.carefully(st.Was, m.up, m.name, func() error {
		return m.plain.rename(m.up, m.name, m.slots, m.slot)
	})
	if err != nil {
		return err
	}
	if err := m.slots.restore(m.slot, st.Was); err != nil {
		return err
	}
	if err := m.judge(st); err != nil {
		return errors.Join(err, m.plain.rename(m.slots, m.slot, m.up, m.name))
	}
	return nil
}

// judge looks at what came into the slot: somebody may have been quicker than the comparison.
func (m *move) judge(st *step) error {
	out, err := m.slots.look(m.slot)
	if err != nil {
		return err
	}
	if !st.Was.alike(out) {
		return differs(st.Was, out)
	}
	if st.Was.Type != Dir || st.Whole {
		return nil
	}
	empty, err := m.slots.empty(m.slot)
	if err == nil && !empty {
		err = ErrFilled
	}
	return err
}

// alter gives an entry another mode, owner or time.
func (d *dir) alter(name string, was, will Entry) error {
	next := will
	if next.Owner == was.Owner {
		next.Owner = Owner{}
	}
	if next.Time == was.Time {
		next.Time = 0
	}
	return d.dress(name, next)
}

// undo takes one step back. Where somebody changed what was made, it stays.
func (t *Transaction) undo(st *step) error {
	if st.Do == alter {
		up, err := t.roots.parent(st.Place)
		if err != nil {
			return err
		}
		return up.alter(st.base(), st.Will, st.Was)
	}
	m, err := t.move(st)
	if err != nil {
		return err
	}
	defer t.moved(st)
	now, err := m.up.look(m.name)
	if err != nil {
		return err
	}
	switch {
	case st.Do == take:
		return m.untake(st.Was)
	case !st.Will.sameThing(now):
		return differs(st.Will, now)
	case st.Do == put:
		return m.unput(st)
	}
	return m.exchange(st.Will, st.Was)
}

func (m *move) untake(was Entry) error {
	err := m.carefully(was, m.slots, m.slot, func() error {
		return m.plain.rename(m.slots, m.slot, m.up, m.name)
	})
	if err != nil {
		return err
	}
	return m.up.restore(m.name, was)
}

// unput takes back what was put. A directory into which somebody put something meanwhile stays.
func (m *move) unput(st *step) error {
	if st.Will.Type == Dir && !st.Whole {
		if empty, err := m.up.empty(m.name); err != nil || !empty {
			return errors.Join(err, ErrFilled)
		}
	}
	err := m.carefully(st.Will, m.up, m.name, func() error {
		return m.plain.rename(m.up, m.name, m.slots, m.slot)
	})
	if err != nil {
		return err
	}
	return m.slots.restore(m.slot, st.Will)
}

// refusal reports an error that concerns one step, which is then not made; others stop everything.
func refusal(err error) bool {
	for _, e := range []error{ErrChanged, ErrExists, ErrGone, ErrFilled, ErrLocked, errOvertaken} {
		if errors.Is(err, e) {
			return true
		}
	}
	return local(err) && !fullDisk(err)
}
