package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Repair finishes what transactions below o.State had begun whose process is gone: a set whose journal is there is
// made, with the same comparisons as ever, and what lies in the roots for a moment only is removed. After that told
// is called with each set that was made, before its folder is removed; nil is nobody. Transactions that live, in any
// process, are left alone.
//
// An error names every journal that could not be followed; those stay, and everything they speak of.
func Repair(ctx context.Context, o Options, told func(*Transaction, *Report) error) error {
	entries, err := os.ReadDir(o.State)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("change: repair: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !isID(e.Name()) || !e.IsDir() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		if err := o.repair(ctx, e.Name(), told); err != nil {
			errs = append(errs, fmt.Errorf("change: repair %s: %w", filepath.Join(o.State, e.Name()), err))
		}
	}
	return errors.Join(errs...)
}

const idLength = 16

func isID(name string) bool {
	return len(name) == idLength && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

func (o Options) repair(ctx context.Context, id string, told func(*Transaction, *Report) error) error {
	t, err := o.take(id)
	if t == nil || err != nil {
		return err // a living process has it
	}
	if _, err := os.Lstat(t.folder); err != nil {
		t.unlock() // it was closed meanwhile
		return nil
	}
	t.stuck = true
	if err := t.open(); err != nil {
		return errors.Join(err, t.Close())
	}
	release, err := o.alone(ctx)
	if err != nil {
		return errors.Join(err, t.Close())
	}
	defer release()
	r, err := t.resume()
	if err == nil && r != nil && told != nil {
		err = told(t, r)
	}
	t.stuck = err != nil
	return errors.Join(err, t.Close())
}

// resume goes on where the journal's process ended. A nil report: nothing had been made.
func (t *Transaction) resume() (*Report, error) {
	if kept, err := t.home.look(keptName); err == nil && kept.Type == Dir {
		t.keep = true
	}
	name, err := t.journal()
	if err != nil || name == "" {
		return nil, errors.Join(err, t.clean())
	}
	p, err := t.readJournal(name)
	if err != nil {
		return nil, err
	}
	if name == doneName {
		for _, st := range p.steps {
			st.done = true
		}
		return t.settleDown(p)
	}
	if err := t.relock(p); err != nil {
		return nil, err
	}
	for _, st := range p.steps {
		if err := t.recognize(p, st); err != nil {
			return nil, fmt.Errorf("%s: %w", quoted(st.Path), err)
		}
	}
	p.spread()
	if err := t.takeBack(p); err != nil {
		return nil, err
	}
	return t.commit(p)
}

// journal is the name of the journal: done, in work, or "" where there is none.
func (t *Transaction) journal() (string, error) {
	for _, name := range []string{doneName, journalName} {
		e, err := t.home.look(name)
		if err != nil {
			return "", err
		}
		if e.Type == File {
			return name, nil
		}
	}
	return "", nil
}

// relock takes the units' locks again where somebody removed them, and refuses the units whose lock others have.
func (t *Transaction) relock(p *plan) error {
	notes, err := t.notes()
	if err != nil {
		return err
	}
	for _, n := range notes {
		if !n.Lock {
			continue
		}
		ours, err := t.ownLock(n.Place)
		if err != nil {
			return err
		}
		if ours {
			continue
		}
		if err := t.makeLock(n.Place); err != nil {
			p.refuseUnit(n.Unit, fmt.Errorf("%s: %w", quoted(n.Path), ErrLocked))
		}
	}
	return nil
}

// recognize finds out how far a step got: what lies in its slot tells it.
func (t *Transaction) recognize(p *plan, st *step) error {
	if st.Do == alter {
		return t.recognizeAlter(st)
	}
	m, err := t.moveIfThere(st)
	if missing(err) { // somebody removed the directory of a near slot
		p.refuse(st, ErrGone)
		return nil
	}
	if err != nil {
		return err
	}
	in, err := m.slots.look(m.slot)
	if err != nil {
		return err
	}
	if st.Do == take {
		st.done = in.Type != None
	} else {
		st.done = !st.Will.sameThing(in)
	}
	if err := m.restore(st); err != nil {
		return err
	}
	if !st.done || st.Do == put {
		return nil
	}
	// The process may have ended before it looked at what it got.
	if err := m.judge(st); err != nil {
		if !refusal(err) {
			return err
		}
		p.refuse(st, err)
	}
	return nil
}

// moveIfThere is move for a step whose place's directory may be made by another step, or gone by it: up is then nil.
func (t *Transaction) moveIfThere(st *step) (*move, error) {
	_, there := t.roots.parent(st.Place)
	slots, slot, err := t.slotOf(st)
	if err != nil {
		return nil, err
	}
	m := &move{plain: t.o.plain, slots: slots, slot: slot, name: st.base()}
	if missing(there) {
		return m, nil
	}
	if m.up, err = t.roots.parent(st.Place); err != nil {
		return nil, err
	}
	return m, settle(slots, slot, m.up, m.name)
}

// restore gives directories the modes back that they lost for the moment of a move.
func (m *move) restore(st *step) error {
	old, new := st.Was, st.Will
	if st.done {
		old, new = new, old // now at the place, now in the slot
	}
	if m.up != nil {
		if err := m.up.restoreIfThere(m.name, old); err != nil {
			return err
		}
	}
	return m.slots.restoreIfThere(m.slot, new)
}

// restoreIfThere is restore, for an entry that may have been moved away since.
func (d *dir) restoreIfThere(name string, e Entry) error {
	now, err := d.look(name)
	if err != nil || e.Type != Dir || !e.sameThing(now) {
		return err
	}
	return d.restore(name, e)
}

// recognizeAlter finishes a change of mode, owner and time that was begun: each of them is as before or as after.
func (t *Transaction) recognizeAlter(st *step) error {
	now, err := t.roots.look(st.Place)
	if err != nil || now.Type != st.Will.Type {
		return err
	}
	if now.Mode != st.Was.Mode && now.Mode != st.Will.Mode {
		return nil
	}
	if now.Time != st.Was.Time && now.Time != st.Will.Time && now.Type != Dir {
		return nil
	}
	if !st.Was.sameThing(now) {
		return nil
	}
	up, err := t.roots.parent(st.Place)
	if err != nil {
		return err
	}
	if err := up.alter(st.base(), st.Was, st.Will); err != nil && !refusal(err) {
		return err
	}
	st.done = true
	return nil
}

// Sweep removes what was refused longer than age ago.
func Sweep(o Options, age time.Duration, now time.Time) error {
	entries, err := os.ReadDir(o.State)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("change: sweep: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !isID(e.Name()) {
			continue
		}
		fi, err := os.Lstat(filepath.Join(o.State, e.Name(), keptName))
		if err != nil || now.Sub(fi.ModTime()) < age {
			continue
		}
		errs = append(errs, o.sweep(e.Name()))
	}
	return errors.Join(errs...)
}

// sweep removes one folder that holds nothing but what was refused.
func (o Options) sweep(id string) error {
	t, err := o.take(id)
	if t == nil || err != nil {
		return err
	}
	defer t.unlock()
	for _, name := range []string{journalName, doneName} {
		if _, err := os.Lstat(filepath.Join(t.folder, name)); err == nil {
			return nil // first it is to be repaired
		}
	}
	return t.removeFolder()
}
