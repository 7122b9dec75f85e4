package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"helve/internal/change"
)

// maxMerge is up to how many bytes a text is merged: longer ones are a conflict where somebody changed them.
const maxMerge = 8 << 20

// A Step is what a plan does to one path.
type Step struct {
	change.Place
	Now  State // what stands there
	Will State // what would stand there; with a conflict what would, if it were forced

	// Conflict says in words why the path is left alone; "": it is not.
	Conflict string
	Merged   bool // what somebody changed since stays, beside what is undone

	entry change.Entry // what stands there, as the system told it
	text  []byte       // the content, where it was merged
}

// A Plan is what an undo or a redo would do.
type Plan struct {
	Kind  Kind
	Calls []Call // that are taken back, the newest first
	Steps []Step // by root and path; those of conflicts among them
}

// Conflicts are the steps that are left alone.
func (p *Plan) Conflicts() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.Conflict == "" })
}

// ErrNothing: there is no call to take back.
var ErrNothing = errors.New("history: there is nothing to take back")

// PlanUndo plans to undo one call by its ID, or the beginning of it; "" is the last one that is not undone.
func (s *Store) PlanUndo(id string) (*Plan, error) {
	return s.plan(Undo, func(g *log) ([]*Call, error) {
		if id == "" {
			return last(g, func(c *Call) bool { return c.Kind == Work && !c.Undone }), nil
		}
		c, err := g.find(id)
		switch {
		case err != nil:
			return nil, err
		case c.Undone:
			return nil, fmt.Errorf("history: the call %s is undone already", c.ID)
		}
		return []*Call{c}, nil
	})
}

// PlanTo plans to undo every call after one: the files come to be as they were just after it.
func (s *Store) PlanTo(id string) (*Plan, error) {
	return s.plan(Undo, func(g *log) ([]*Call, error) {
		c, err := g.find(id)
		if err != nil {
			return nil, err
		}
		after := slices.Clone(g.calls[slices.Index(g.calls, c)+1:])
		slices.Reverse(after)
		return after, nil // undos among them: going back through each is what was there
	})
}

// PlanRedo plans to take back the last undo.
func (s *Store) PlanRedo() (*Plan, error) {
	return s.plan(Redo, func(g *log) ([]*Call, error) {
		return last(g, func(c *Call) bool { return c.Kind == Undo && !c.Undone }), nil
	})
}

func last(g *log, fits func(*Call) bool) []*Call {
	for _, c := range slices.Backward(g.calls) {
		if fits(c) {
			return []*Call{c}
		}
	}
	return nil
}

// plan goes back through the calls that choose picks, the newest first.
func (s *Store) plan(kind Kind, choose func(*log) ([]*Call, error)) (*Plan, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	g, err := s.read()
	if err != nil {
		return nil, err
	}
	calls, err := choose(g)
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, ErrNothing
	}
	p := &planner{s: s, steps: map[change.Place]*Step{}}
	out := &Plan{Kind: kind}
	for _, c := range calls {
		out.Calls = append(out.Calls, *c)
		for _, ch := range slices.Backward(c.Changes) {
			p.back(ch)
		}
	}
	out.Steps = p.wanted()
	return out, nil
}

// wanted are the steps that do something, or would if they were forced.
func (p *planner) wanted() []Step {
	var out []Step
	for _, st := range p.steps {
		if st.Conflict != "" || st.text != nil || !st.Now.equal(st.Will) {
			out = append(out, *st)
		}
	}
	slices.SortFunc(out, func(a, b Step) int { return comparePlaces(a.Place, b.Place) })
	return out
}

// A planner goes back, call by call.
type planner struct {
	s     *Store
	steps map[change.Place]*Step
}

// back takes one change back, as far as what the calls after it left there allows.
func (p *planner) back(ch Change) {
	st := p.step(ch.Place)
	switch {
	case st.Conflict != "":
		st.Will = ch.Was // forced, it goes back further
	case st.text == nil && st.Will.same(ch.Now):
		p.restore(st, ch)
	case st.text == nil && st.Will.same(ch.Was):
		// somebody took it back by hand
	default:
		p.merge(st, ch)
	}
}

// step is what is known of a place; at first what stands there.
func (p *planner) step(at change.Place) *Step {
	if st := p.steps[at]; st != nil {
		return st
	}
	st := &Step{Place: at}
	p.steps[at] = st
	now, entry, err := p.s.look(at)
	if err != nil {
		st.Conflict = fmt.Sprintf("it cannot be read: %v", err)
	}
	st.Now, st.Will, st.entry = now, now, entry
	return st
}

// restore has a place be as it was before the change. A mode that somebody set since stays.
func (p *planner) restore(st *Step, ch Change) {
	before := st.Will
	st.Will = ch.Was
	if before.Type == ch.Was.Type && before.Mode != ch.Now.Mode {
		st.Will.Mode = before.Mode
	}
	if ch.Was.Lost != "" && !ch.Was.same(ch.Now) {
		st.Conflict = ch.Was.Lost
		st.Will = before
	}
}

// merge takes a change back out of a text that somebody changed since, where the
// two do not touch. A conflict's Will is what force would do: what was there before.
func (p *planner) merge(st *Step, ch Change) {
	conflict := func(why string) {
		st.Conflict = why
		st.Will = ch.Was
	}
	if st.Will.Type != change.File || ch.Now.Type != change.File || ch.Was.Type != change.File {
		conflict(fmt.Sprintf("somebody changed it since: it is %v now, the call had left %v", st.Will.Type, ch.Now.Type))
		return
	}
	now, err := p.textOf(st)
	if err != nil {
		conflict("somebody changed it since, and it cannot be read: " + err.Error())
		return
	}
	left, err1 := p.s.Content(ch.Now, maxMerge)
	was, err2 := p.s.Content(ch.Was, maxMerge)
	if err := errors.Join(err1, err2); err != nil {
		conflict("somebody changed it since, and what it was cannot be read: " + err.Error())
		return
	}
	text, ok := merge(left, now, was)
	if !ok {
		conflict("somebody changed it since, in the same lines")
		return
	}
	st.text = text
	st.Merged = true
	st.Will.Object = digestOf(text)
	st.Will.Size = int64(len(text))
	st.Will.Lost = ""
	st.Will.Time = 0 // it is a new text
}

// textOf is the content of a step as it is planned so far.
func (p *planner) textOf(st *Step) ([]byte, error) {
	switch {
	case st.text != nil:
		return st.text, nil
	case st.Will.Object != st.Now.Object:
		return p.s.Content(st.Will, maxMerge)
	}
	t, err := change.OpenTree(p.s.o.Roots[st.Root])
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Read(st.Path, maxMerge)
}

// An Outcome is what became of a plan.
type Outcome struct {
	Call    Call // as it stands in the history; without an ID nothing was done
	Done    []Step
	Refused []Step // with the reason as their Conflict
}

// Apply does what a plan says. Paths that changed since it was made, and
// conflicts, are left alone and told. With force, conflicts are done too: what
// stands there is kept like everything, so that this can be undone.
func (s *Store) Apply(ctx context.Context, call Call, plan *Plan, force bool) (*Outcome, error) {
	out := &Outcome{}
	set := &change.Set{}
	var steps []Step
	for _, st := range plan.Steps {
		switch {
		case st.Conflict != "" && !force, st.Root < 0 || st.Root >= len(s.o.Roots):
			out.Refused = append(out.Refused, st)
		default:
			steps = append(steps, st)
			set.Changes = append(set.Changes, s.changeFor(st))
		}
	}
	if len(steps) == 0 {
		return out, nil
	}
	call.Kind, call.Of = plan.Kind, nil
	for _, c := range plan.Calls {
		call.Of = append(call.Of, c.ID)
	}
	report, err := s.make(ctx, call, set)
	if err != nil {
		return out, err
	}
	out.Call = call
	out.tell(steps, report)
	return out, nil
}

// make makes a set and writes it into the history.
func (s *Store) make(ctx context.Context, call Call, set *change.Set) (*change.Report, error) {
	r, err := s.Begin(call)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := change.Begin(s.o.changes())
	if err != nil {
		return nil, err
	}
	defer t.Close()
	recorded, err := r.Record(t, set)
	if err != nil {
		return nil, err
	}
	if err := r.Commit(); err != nil {
		return nil, err
	}
	report, err := t.Apply(ctx, set)
	if err != nil {
		return nil, err
	}
	return report, recorded.Made(report)
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
}

// changeFor is a step as a change of a set. Was is what the plan saw, so that what
// somebody changes until it is made is refused.
func (s *Store) changeFor(st Step) change.Change {
	c := change.Change{Root: st.Root, Path: st.Path, Was: st.entry, Will: st.Will.Entry}
	if os.Geteuid() != 0 {
		c.Will.Owner = change.Owner{} // only root gives files away
	}
	contentStays := st.Now.Type == change.File && st.Will.Object == st.Now.Object
	if c.Will.Type != change.File || contentStays {
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
