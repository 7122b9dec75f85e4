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

// refusal reports an error that concerns one step, which is then not made; others stop everything.
func refusal(err error) bool {
	for _, e := range []error{ErrChanged, ErrExists, ErrGone, ErrFilled, ErrLocked, errOvertaken} {
		if errors.Is(err, e) {
			return true
		}
	}
	return local(err) && !fullDisk(err)
}

// A stepper makes single steps, takes them back, and finds out which of them a killed process had made.
type stepper struct {
	*workplace
}

// compare tells why a step cannot be made as things stand; nil: it can.
func (r *stepper) compare(p *plan, st *step) error {
	now, err := r.roots.look(st.Place)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSystem, err)
	}
	switch {
	case st.sharedWith(now):
		st.met = true
		return nil
	case !st.Was.is(now):
		return differs(st.Was, now)
	case st.change != nil && st.change.Stale:
		return ErrChanged
	case st.Do != put || p.makes(st.Parent()):
		return nil
	}
	if _, err := r.roots.parent(st.Place); missing(err) {
		return fmt.Errorf("its directory: %w", ErrGone)
	}
	return nil
}

// sharedWith reports that what stands at the place will do.
func (st *step) sharedWith(now Entry) bool {
	if st.change == nil || st.Do != put {
		return false
	}
	return st.change.Shared && now.Type == st.Will.Type
}

// differs says how what stands is not what was expected.
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
func (r *stepper) make(p *plan, st *step) error {
	if err := r.compare(p, st); err != nil {
		return err
	}
	if r.o.fail != nil {
		if err := r.o.fail(); err != nil {
			return err
		}
	}
	release, err := r.guard(st)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	defer release()
	if st.Do == alter {
		return r.alter(st.Place, st.Was, st.Will)
	}
	m, err := r.move(st)
	if err != nil {
		return err
	}
	defer r.moved(st)
	switch st.Do {
	case put:
		return m.put()
	case swap:
		return m.swap()
	}
	return m.take()
}

// guard keeps other writers of this program away while a step is made.
func (r *stepper) guard(st *step) (func(), error) {
	if r.o.Guard == nil {
		return func() {}, nil
	}
	return r.o.Guard(st.Parent())
}

// alter gives what stands at a place another mode, owner or time.
func (r *stepper) alter(at Place, was, will Entry) error {
	up, err := r.roots.parent(at)
	if err != nil {
		return err
	}
	if will.Owner == was.Owner {
		will.Owner = Owner{}
	}
	if will.Time == was.Time {
		will.Time = 0
	}
	return spot{up, at.Base()}.dress(will)
}

// moved forgets directories that may not be any more what they were opened as.
func (r *stepper) moved(st *step) {
	if st.Was.Type != Dir && st.Will.Type != Dir {
		return
	}
	r.roots.forget(st.Place)
	if !st.Slot.Near {
		r.layer.forget(Place{Path: st.Slot.Path})
	}
}

// A move is a step with its slot and its place open.
type move struct {
	*step
	plain plain
	slot  spot
	place spot // without a directory, if that is not there
}

// move opens slot and place of a step, and finishes a slow exchange that was interrupted there.
func (r *stepper) move(st *step) (*move, error) {
	m, err := r.moveIfThere(st)
	if err == nil && m.place.in == nil {
		err = fmt.Errorf("its directory: %w", ErrGone)
	}
	return m, err
}

// moveIfThere is move for a step whose place's directory may be made by another step, or gone by it.
func (r *stepper) moveIfThere(st *step) (*move, error) {
	// The place is opened first and then found open, so that it does not close the slot.
	_, there := r.roots.parent(st.Place)
	m := &move{step: st, plain: r.o.plain}
	var err error
	if m.slot, err = r.slotOf(st); err != nil {
		return nil, err
	}
	m.place.name = st.Base()
	if missing(there) {
		return m, nil
	}
	if m.place.in, err = r.roots.parent(st.Place); err != nil {
		return nil, err
	}
	return m, settle(m.slot, m.place)
}

// put gives what is in the slot its place.
func (m *move) put() error {
	err := m.rename(m.Will, m.slot, m.place)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// rename moves an entry, a directory that its owner may not write to as well.
func (m *move) rename(e Entry, from, to spot) error {
	err := from.opened(e, func() error { return m.plain.rename(from, to) })
	if err != nil {
		return err
	}
	return to.restore(e)
}

// opened repeats a move of a directory that its owner may not write to, after giving the owner that right: the system
// wants it for the name of the directory above. [spot.restore] takes it back.
func (s spot) opened(e Entry, move func() error) error {
	err := move()
	if e.Type != Dir || writable(e) || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := s.in.chmod(s.name, e.Mode|ownerWrites); err != nil {
		return err
	}
	if err := move(); err != nil {
		return errors.Join(err, s.restore(e))
	}
	return nil
}

// restore gives a directory the mode that it had before it was moved.
func (s spot) restore(e Entry) error {
	if e.Type != Dir || writable(e) {
		return nil
	}
	return s.in.chmod(s.name, e.Mode)
}

// swap exchanges slot and place, and exchanges them back if what came out is not what was expected.
func (m *move) swap() error {
	if err := m.exchange(m.Was, m.Will); err != nil {
		return err
	}
	if err := m.judge(); err != nil {
		return errors.Join(err, m.exchange(m.Will, m.Was))
	}
	return nil
}

// exchange has what stands at the place and what waits in the slot change places.
func (m *move) exchange(stands, waits Entry) error {
	err := m.place.opened(stands, func() error {
		return m.slot.opened(waits, func() error {
			return m.plain.exchange(m.slot, m.place)
		})
	})
	if err != nil {
		return err
	}
	if err := m.place.restore(waits); err != nil {
		return err
	}
	return m.slot.restore(stands)
}

// take moves what is at the place to the slot, and back if it is not what was expected.
func (m *move) take() error {
	if err := m.rename(m.Was, m.place, m.slot); err != nil {
		return err
	}
	if err := m.judge(); err != nil {
		return errors.Join(err, m.plain.rename(m.slot, m.place))
	}
	return nil
}

// judge looks at what came into the slot: somebody may have been quicker than the comparison.
func (m *move) judge() error {
	out, err := m.slot.look()
	if err != nil {
		return err
	}
	if !m.Was.alike(out) {
		return differs(m.Was, out)
	}
	if m.Was.Type != Dir || m.Whole {
		return nil
	}
	return m.slot.mustBeEmpty()
}

// mustBeEmpty is ErrFilled for a directory with something in it.
func (s spot) mustBeEmpty() error {
	empty, err := s.in.empty(s.name)
	if err == nil && !empty {
		err = ErrFilled
	}
	return err
}

// undo takes one step back. Where somebody changed what was made, it stays.
func (r *stepper) undo(st *step) error {
	if st.Do == alter {
		return r.alter(st.Place, st.Will, st.Was)
	}
	m, err := r.move(st)
	if err != nil {
		return err
	}
	defer r.moved(st)
	if st.Do == take {
		return m.rename(m.Was, m.slot, m.place)
	}
	now, err := m.place.look()
	if err != nil {
		return err
	}
	if !st.Will.sameThing(now) {
		return differs(st.Will, now)
	}
	if st.Do == put {
		return m.unput()
	}
	return m.exchange(m.Will, m.Was)
}

// unput takes back what was put. A directory into which somebody put something meanwhile stays.
func (m *move) unput() error {
	if m.Will.Type == Dir && !m.Whole {
		if err := m.place.mustBeEmpty(); err != nil {
			return err
		}
	}
	return m.rename(m.Will, m.place, m.slot)
}
