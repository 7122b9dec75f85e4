package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// A Report tells what became of a set.
type Report struct {
	// Made are the changes that were made, in the order in which that happened.
	Made []Made
	// Refused are those that were not, by root and path.
	Refused []Refusal
}

// A Made change is one that was made.
type Made struct {
	Place
	// Index is the change's in its set; -1 in a report of a repair.
	Index int
	// Was is what stood there, Now what stands there since.
	Was, Now Entry
	// Old is where the entry that stood there is kept, relative to the transaction's folder, until Close. Empty: there
	// was none, or only mode, owner and time were changed, or it was not to be kept.
	Old   Name
	Whole bool
}

// A Refusal is a change that was not made.
type Refusal struct {
	Place
	// Index is the change's in its set; -1 in a report of a repair.
	Index int
	// Why wraps one of the errors of this package.
	Why error
	// Kept is the absolute path at which what was to stand there is kept. Empty: there is nothing to keep.
	Kept string
}

// Apply makes a set. Changes that stand against what others did meanwhile are refused with their units, and told in the
// report; the rest is made. With an error nothing was changed, or, where even that failed, the journal stays and the
// error says so. Once ctx is done nothing more is begun, but what is noted in the journal is finished.
//
// It is called once a transaction.
func (t *Transaction) Apply(ctx context.Context, s *Set) (*Report, error) {
	if err := s.check(len(t.o.Roots)); err != nil {
		return nil, err
	}
	p, err := newPlan(s)
	if err != nil {
		return nil, err
	}
	release, err := t.o.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	defer t.unlockUnits()
	if err := t.prepare(ctx, p); err != nil {
		return nil, errors.Join(fmt.Errorf("change: %w: nothing was changed", err), t.clean())
	}
	p.settle = s.Settle
	return t.commit(p)
}

// prepare compares and stages a set, and writes the journal.
func (t *Transaction) prepare(ctx context.Context, p *plan) error {
	if err := t.lockUnits(p); err != nil {
		return err
	}
	if err := t.compareAll(p); err != nil {
		return err
	}
	t.at("compared")
	if err := p.openUp(t.roots.look); err != nil {
		return err
	}
	if err := t.choose(p); err != nil {
		return err
	}
	if err := t.stage(ctx, p); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.journal.write(p)
}

// compareAll refuses what cannot be made as things stand.
func (r *stepper) compareAll(p *plan) error {
	for _, st := range p.steps {
		if st.index < 0 || st.why != nil {
			continue // what goes along with another step, or is refused already
		}
		if err := r.compare(p, st); err != nil {
			p.refuse(st, err)
		}
	}
	for name, u := range p.units {
		if err := r.still(u); err != nil {
			p.refuseUnit(name, err)
		}
	}
	p.spread()
	return nil
}

// still tells whether everything that a unit relies on stands as it did.
func (r *stepper) still(u Unit) error {
	for _, e := range u.Still {
		now, err := r.roots.look(e.Place)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", quoted(e.Path), ErrSystem, err)
		}
		if e.Stale || !e.Was.is(now) {
			return fmt.Errorf("%s: %w", quoted(e.Path), differs(e.Was, now))
		}
	}
	return nil
}

// commit makes what the journal says, marks it as done, and tells what became of it.
func (t *Transaction) commit(p *plan) (*Report, error) {
	t.at("journal in place")
	if err := t.run(p); err != nil {
		return nil, err
	}
	t.at("made")
	if err := t.flushAll(p); err != nil {
		return nil, err
	}
	if err := t.o.plain.rename(spot{t.home, journalName}, spot{t.home, doneName}); err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	return t.settleDown(p)
}

// settleDown is what is left to do when the set is made: what was refused is kept, what lies near goes.
func (t *Transaction) settleDown(p *plan) (*Report, error) {
	t.at("done")
	r := t.report(p)
	var errs []error
	if p.settle != nil {
		errs = append(errs, p.settle(t, r))
	}
	t.at("settled")
	errs = append(errs, t.clean())
	if err := errors.Join(errs...); err != nil {
		return r, fmt.Errorf("change: everything was changed, but something is left over: %w", err)
	}
	return r, nil
}

// run makes the steps in order. What cannot be made is refused with its unit, whose steps are taken back. An error
// means that everything was taken back, or says what was not.
func (t *Transaction) run(p *plan) error {
	for _, st := range p.steps {
		if st.why != nil || st.done || st.met || p.needless(st) {
			continue
		}
		err := t.make(p, st)
		t.at("step " + string(st.Do))
		if err == nil {
			st.done = true
			continue
		}
		if !refusal(err) {
			return t.retreat(p, st, err)
		}
		p.refuse(st, err)
		p.spread()
		if err := t.takeBack(p); err != nil {
			return err
		}
	}
	return nil
}

// retreat takes everything back after an error that is no refusal: the disk is full, or fails.
func (t *Transaction) retreat(p *plan, st *step, cause error) error {
	for _, other := range p.steps {
		if other.why == nil {
			other.why = cause
		}
	}
	err := fmt.Errorf("change: %s: %w", quoted(st.Path), cause)
	if back := t.takeBack(p); back != nil {
		t.stuck = true
		return errors.Join(err, fmt.Errorf("not everything could be taken back, the next start tries again: %w", back))
	}
	if gone := t.home.remove(journalName, false); gone != nil {
		t.stuck = true
		return errors.Join(err, gone)
	}
	return errors.Join(fmt.Errorf("%w: nothing was changed", err), t.clean())
}

// takeBack undoes the steps that were made and are refused since, the last one first. One that somebody changed after
// it was made stays as it is now.
func (t *Transaction) takeBack(p *plan) error {
	for _, st := range slices.Backward(p.steps) {
		if st.why == nil || !st.done {
			continue
		}
		err := t.undo(st)
		t.at("undo " + string(st.Do))
		if err != nil && !refusal(err) {
			return fmt.Errorf("take back %s: %w", quoted(st.Path), err)
		}
		if err != nil {
			st.why = fmt.Errorf("%w; it was changed before that, and not back: %w", st.why, err)
		}
		st.done = err != nil
	}
	return nil
}

// report tells what became of the steps, and moves what was refused to where it is kept.
func (t *Transaction) report(p *plan) *Report {
	r := &Report{}
	for _, st := range p.steps {
		if st.Late {
			continue // no change of the set
		}
		if st.why != nil {
			r.Refused = append(r.Refused, Refusal{st.Place, st.index, st.why, t.keepRefused(st)})
		}
		if st.why == nil || st.done {
			r.Made = append(r.Made, t.madeOf(st))
		}
	}
	sort.SliceStable(r.Refused, func(i, j int) bool { return r.Refused[i].Place.Compare(r.Refused[j].Place) < 0 })
	return r
}

// madeOf is what the report says of a step that was made.
func (t *Transaction) madeOf(st *step) Made {
	m := Made{
		Place: st.Place,
		Index: st.index,
		Was:   st.Was,
		Now:   st.Will,
		Whole: st.Whole,
	}
	if st.change != nil {
		m.Was = st.change.Was // the step's own may be open for writing
	}
	// Its name was the last that changed: only now the time of that is known.
	if now, err := t.roots.look(st.Place); err == nil {
		m.Now = now
	}
	if st.Do == swap || st.Do == take {
		m.Old = t.keepOld(st)
	}
	return m
}

// flushAll has the names in every directory that was changed reach the disk.
func (t *Transaction) flushAll(p *plan) error {
	if !t.o.Sync {
		return nil
	}
	seen := map[Place]bool{}
	for _, st := range p.steps {
		up := st.Parent()
		if !st.done || seen[up] {
			continue
		}
		seen[up] = true
		d, err := t.roots.dir(up)
		if missing(err) {
			continue // it went itself
		}
		if err != nil {
			return err
		}
		if err := d.flush(); err != nil {
			return err
		}
	}
	return nil
}
