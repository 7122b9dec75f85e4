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

// idLength is that of an id, in the letters of base 32.
const idLength = 16

func isID(name string) bool {
	return len(name) == idLength && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// repair repairs one transaction, if no living process has it.
func (o Options) repair(ctx context.Context, id string, told func(*Transaction, *Report) error) error {
	t, err := o.take(id)
	if t == nil || err != nil {
		return err // a living process has it
	}
	if _, err := os.Lstat(t.folder); err != nil {
		t.unlock() // it was closed meanwhile
		return nil
	}
	if t.onlyKept() {
		t.unlock()
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

// onlyKept reports a folder that was closed, with nothing in it but what was refused.
func (t *Transaction) onlyKept() bool {
	entries, err := os.ReadDir(t.folder)
	return err == nil && len(entries) == 1 && entries[0].Name() == keptName
}

// resume goes on where the journal's process ended. A nil report: nothing had been made.
func (t *Transaction) resume() (*Report, error) {
	if kept, err := t.home.look(keptName); err == nil && kept.Type == Dir {
		t.keep = true
	}
	name, err := t.journal.present()
	if err != nil || name == "" {
		return nil, errors.Join(err, t.clean())
	}
	p, err := t.journal.read(name)
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
	if err := t.takeBackOpen(p); err != nil {
		return nil, err
	}
	return t.commit(p)
}

// takeBackOpen takes back what was made too much, in directories that are open for it. What closes them comes last, as
// ever.
func (t *Transaction) takeBackOpen(p *plan) error {
	for _, st := range p.steps {
		if !st.Late || st.phase() != phaseOpen {
			continue
		}
		if err := t.make(p, st); err != nil && !refusal(err) {
			return err
		}
	}
	return t.takeBack(p)
}

// present is the name of the journal: done, in work, or "" where there is none.
func (j *journal) present() (string, error) {
	for _, name := range []string{doneName, journalName} {
		e, err := j.home.look(name)
		if err != nil {
			return "", err
		}
		if e.Type == File {
			return name, nil
		}
	}
	return "", nil
}

// recognize finds out how far a step got: what lies in its slot tells it.
func (r *stepper) recognize(p *plan, st *step) error {
	if st.Do == alter {
		return r.recognizeAlter(st)
	}
	m, err := r.moveIfThere(st)
	if missing(err) { // somebody removed the directory of a near slot
		p.refuse(st, ErrGone)
		return nil
	}
	if err != nil {
		return err
	}
	found, err := m.slot.look()
	if err != nil {
		return err
	}
	switch st.Do {
	case take:
		st.done = found.Type != None
		err = unlinkTwin(m.place, found)
	case put:
		st.done = !st.Will.sameThing(found)
		if !st.done {
			st.done, err = m.finishPut(found)
		}
	case swap:
		st.done = !st.Will.sameThing(found)
	}
	if err != nil {
		return err
	}
	if err := m.restoreBoth(); err != nil {
		return err
	}
	if !st.done || st.Do == put {
		return nil
	}
	// The process may have ended before it looked at what it got.
	err = m.judge()
	if refusal(err) {
		p.refuse(st, err)
		return nil
	}
	return err
}

// finishPut finishes a slow rename to the place: the entry has both names.
func (m *move) finishPut(waits Entry) (bool, error) {
	if m.place.in == nil {
		return false, nil
	}
	stands, err := m.place.look()
	if err != nil || !stands.sameNumber(waits) {
		return false, err
	}
	return true, m.slot.unlink()
}

// unlinkTwin removes a name at a place that another one was made of, by a slow rename from there.
func unlinkTwin(place spot, other Entry) error {
	if place.in == nil {
		return nil
	}
	stands, err := place.look()
	if err != nil || !stands.sameNumber(other) {
		return err
	}
	return place.unlink()
}

// restoreBoth gives directories the modes back that they lost for the moment of a move.
func (m *move) restoreBoth() error {
	stands, waits := m.Was, m.Will
	if m.done {
		stands, waits = waits, stands
	}
	if m.place.in != nil {
		if err := m.place.restoreIf(stands); err != nil {
			return err
		}
	}
	return m.slot.restoreIf(waits)
}

// restoreIf is restore, for an entry that may have been moved away since.
func (s spot) restoreIf(e Entry) error {
	now, err := s.look()
	if err != nil || e.Type != Dir || !e.sameThing(now) {
		return err
	}
	return s.restore(e)
}

// recognizeAlter finds out whether mode, owner and time were changed. Of a file, what was begun is finished at once:
// each of them is as before or as after. A directory's change has its place among the others, and can be made twice.
func (r *stepper) recognizeAlter(st *step) error {
	now, err := r.roots.look(st.Place)
	if err != nil || st.Redo || !st.Was.sameThing(now) {
		return err
	}
	st.done = st.Will.dressed(now)
	if st.done || st.Was.Type == Dir || st.Was.is(now) {
		return nil
	}
	begun := SameMode(now.Mode, st.Was.Mode) || SameMode(now.Mode, st.Will.Mode)
	dated := now.Time == st.Was.Time || now.Time == st.Will.Time
	if !begun || !dated {
		return nil // somebody else changed it
	}
	err = r.alter(st.Place, st.Was, st.Will)
	if err != nil && !refusal(err) {
		return err
	}
	st.done = err == nil
	return nil
}

// dressed reports that now has the mode and the time of e.
func (e Entry) dressed(now Entry) bool {
	return SameMode(now.Mode, e.Mode) && (e.Time == 0 || now.Time == e.Time)
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
