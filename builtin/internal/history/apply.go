package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sort"

	"helve/internal/change"
	"helve/internal/change/check"
)

// An Outcome is what became of a plan.
type Outcome struct {
	Call    Call // as it stands in the history, with what it changed; without an ID nothing was done
	Done    []Step
	Refused []Step // with the reason as their Conflict
}

// ErrLate: a call of the plan was taken back since the plan was made.
var ErrLate = errors.New("history: it was taken back meanwhile")

// Apply does what a plan says. Paths that changed since it was made, and
// conflicts, are left alone and told. With force, conflicts are done too: what
// stands there is kept like everything, so that this can be undone.
func (s *Store) Apply(ctx context.Context, call Call, plan *Plan, force bool) (*Outcome, error) {
	out := &Outcome{}
	var steps []Step
	for _, st := range plan.Steps {
		if !s.possible(st, force) {
			st.Never = !s.possible(st, true)
			out.Refused = append(out.Refused, st)
			continue
		}
		steps = append(steps, st)
	}
	call.Kind, call.Of = plan.Kind, nil
	for _, c := range plan.Calls {
		call.Of = append(call.Of, c.ID)
	}
	call.Left, call.Only = leftOf(out.Refused), plan.onlyOf()
	report, changes, err := s.makeSteps(ctx, call, plan, steps)
	if errors.Is(err, ErrObject) { // some content is damaged: the rest is done
		steps = out.refuseDamaged(s, steps)
		call.Left = leftOf(out.Refused)
		report, changes, err = s.makeSteps(ctx, call, plan, steps)
	}
	if err != nil || report == nil {
		return out, err
	}
	out.tell(steps, report)
	if len(out.Done) > 0 {
		out.Call = call
		out.Call.Changes = changes
	}
	return out, nil
}

// refuseDamaged refuses the steps whose content is not whole, and returns the others.
func (o *Outcome) refuseDamaged(s *Store, steps []Step) []Step {
	var whole []Step
	for _, st := range steps {
		if bad := s.verify(st); bad != nil {
			st.Conflict = bad.Error()
			st.Never = true
			o.Refused = append(o.Refused, st)
			continue
		}
		whole = append(whole, st)
	}
	return whole
}

// possible tells whether a step is to be done.
func (s *Store) possible(st Step, force bool) bool {
	lost := st.Will.Type == change.File && st.Will.Lost != "" && st.Will.Object != st.Now.Object
	made := !st.Will.Special() || st.Now.Type == st.Will.Type
	return s.known(st.Place) && !st.denied && !lost && made && (st.Conflict == "" || force)
}

// verify reads the content that a step brings.
func (s *Store) verify(st Step) error {
	if !st.brings() || st.text != nil {
		return nil
	}
	r, err := s.objects.open(st.Will.Object)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// brings tells whether a step gives a file another content.
func (st *Step) brings() bool {
	stays := st.Now.Type == change.File && st.Will.Object == st.Now.Object
	return st.Will.Type == change.File && !stays
}

// makeSteps makes steps and writes them into the history, of which it returns the changes; where all were
// refused it does nothing.
func (s *Store) makeSteps(
	ctx context.Context, call Call, plan *Plan, steps []Step,
) (*change.Report, []Change, error) {
	if len(steps) == 0 && len(plan.Steps) > 0 {
		return nil, nil, nil
	}
	r, err := s.Begin(call)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if err := s.stillDone(plan); err != nil {
		return nil, nil, err
	}
	if len(steps) == 0 { // somebody did the same by hand: it is noted, or it would be chosen for ever
		return nil, nil, errors.Join(r.Commit(), r.end(line{Done: call.ID}))
	}
	for dir := range plan.dates { // also those in which nothing else happens
		now, err := r.Look(dir)
		if err != nil {
			return nil, nil, err
		}
		r.stoodAt(dir, now)
	}
	set := &change.Set{}
	recorded := &Recorded{Recording: r}
	for _, st := range steps {
		c := s.changeFor(st)
		c.Whole = st.Now.Type == change.Dir && st.Will.Type != change.Dir && alone(steps, st.Place) && st.Conflict != ""
		numbers, err := r.addStep(&c, st)
		if err != nil {
			return nil, nil, err
		}
		set.Changes = append(set.Changes, c)
		recorded.numbers = append(recorded.numbers, numbers)
	}
	report, err := s.makeSet(ctx, recorded, set, func(report *change.Report) {
		left := slices.Clone(plan.Steps)
		for _, no := range report.Refused {
			left = append(left, steps[no.Index])
		}
		left = slices.DeleteFunc(left, func(st Step) bool { return st.Conflict == "" })
		s.date(maps.Clone(plan.dates), left)
	})
	return report, r.Changes(), err
}

// alone tells whether no other step is in a directory.
func alone(steps []Step, dir change.Place) bool {
	return !slices.ContainsFunc(steps, func(st Step) bool { return st.Place != dir && st.Within(dir) })
}

// stillDone tells whether the calls of a plan are still to be taken back: another undo may have been quicker.
// Only lines that are added to the journal say so: where it is as it was when it was planned, nothing was.
func (s *Store) stillDone(plan *Plan) error {
	now, err := os.Lstat(s.journal())
	if err == nil && plan.read != nil && sameJournal(plan.read, now) {
		return nil
	}
	g, err := s.read()
	if err != nil {
		return err
	}
	stands := map[string]int{}
	undone := map[string]bool{}
	for _, c := range g.calls {
		stands[c.ID] = c.stands()
		undone[c.ID] = c.Undone
	}
	for _, c := range plan.Calls {
		now, known := stands[c.ID]
		if known && (undone[c.ID] && !c.Undone || now != c.stood) {
			return fmt.Errorf("%w: %s", ErrLate, c.ID)
		}
	}
	return nil
}

// sameJournal tells that nothing was added to the journal, and that no other one took its place.
func sameJournal(was, now fs.FileInfo) bool {
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// addStep adds a step. Where the same thing stands as when it was planned, nothing of it is read again.
func (r *Recording) addStep(c *change.Change, st Step) ([]int, error) {
	if c.Whole {
		return r.addOne(nil, c)
	}
	now, err := r.Look(st.Place)
	if err != nil {
		return nil, err
	}
	if err := r.before(st.Place); err != nil {
		return nil, err
	}
	unread := st.entry.Unchanged(now) && r.holds(st.Now) && (st.text == nil && r.holds(st.Will))
	if !unread {
		n, err := r.Add(st.Place, c.Will, contentOf(nil, c))
		return []int{n}, err
	}
	will := State{Entry: bare(c.Will), Object: st.Will.Object}
	r.call.Changes = append(r.call.Changes, Change{Place: st.Place, Was: st.Now, Now: will})
	return []int{len(r.call.Changes) - 1}, nil
}

// holds tells whether the content of a state is in the store; so it is where there is none.
func (r *Recording) holds(st State) bool {
	return st.Type != change.File || st.Lost == "" && st.Object != "" && r.s.objects.has(st.Object)
}

// make makes a set and writes it into the history.
func (s *Store) make(ctx context.Context, call Call, set *change.Set) (*change.Report, error) {
	r, err := s.Begin(call)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	recorded := &Recorded{Recording: r, numbers: make([][]int, len(set.Changes))}
	for i := range set.Changes {
		if recorded.numbers[i], err = r.addOne(nil, &set.Changes[i]); err != nil {
			return nil, err
		}
	}
	return s.makeSet(ctx, recorded, set, func(*change.Report) {})
}

// makeSet makes a set that was recorded, git directories in an order in which they are whole at every moment. made is
// called before the history learns that it was made.
func (s *Store) makeSet(
	ctx context.Context, r *Recorded, set *change.Set, made func(*change.Report),
) (*change.Report, error) {
	where := check.Options{Roots: s.o.Roots}
	if err := check.Arrange(where, set); err != nil {
		return nil, err
	}
	t, err := change.Begin(s.o.changes())
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := r.Commit(); err != nil {
		return nil, err
	}
	check.Freshen(where, set)
	report, err := t.Apply(ctx, set)
	if report == nil {
		return nil, err // the next to take the store finds out what became of it
	}
	made(report)
	return report, errors.Join(err, r.Made(report))
}

// tell sorts the steps into those that were done and those that were not.
func (o *Outcome) tell(steps []Step, report *change.Report) {
	why := map[int]error{}
	for _, no := range report.Refused {
		why[no.Index] = no.Why
	}
	for i, st := range steps {
		if err := why[i]; err != nil {
			st.Conflict = err.Error()
			o.Refused = append(o.Refused, st)
		} else {
			o.Done = append(o.Done, st)
		}
	}
	sort.SliceStable(o.Refused, func(i, j int) bool { return o.Refused[i].Place.Compare(o.Refused[j].Place) < 0 })
}

// changeFor is a step as a change of a set. Was is what the plan saw, so that what
// somebody changes until it is made is refused.
func (s *Store) changeFor(st Step) change.Change {
	c := change.Change{
		Root: st.Root,
		Path: st.Path,
		Was:  st.entry,
		Will: st.Will.Entry,
	}
	if st.Now.Type == change.Dir && st.Will.Type == change.Dir && !st.dated {
		c.Will.Time = 0 // it is dated when everything in it is in place
	}
	if os.Geteuid() != 0 {
		c.Will.Owner = change.Owner{} // only root gives files away
	}
	if !st.brings() {
		return c
	}
	text, object := st.text, st.Will.Object
	c.Write = func(w io.Writer) error {
		var from io.Reader = bytes.NewReader(text)
		if text == nil {
			r, err := s.objects.open(object)
			if err != nil {
				return err
			}
			defer r.Close()
			from = r
		}
		_, err := io.Copy(w, from)
		return err
	}
	return c
}
