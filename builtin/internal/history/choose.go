package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Wish says which calls are taken back. The zero value wishes for the last one that is not undone yet, with all that
// have its Parent.
type Wish struct {
	Kind Kind   // Undo, or Redo: the last undo is taken back, and nothing else counts but Session; "": Undo
	ID   string // this one: its ID, or the beginning of it; of a Call's Parent, all calls that have it; several with commas
	To   string // every one after this one: the files come to be as they were just after it
	// Calls are exactly these, as Choose gave them, and nothing else counts. ErrLate: one of them was undone since,
	// or is not undone any more.
	Calls []Call
	// Force has calls count which were taken back but for what was left alone.
	Force bool
	// Session has only the calls of this session be taken back; "": those of everybody.
	Session string
}

// Choose tells which calls a wish means, the newest first. It looks at no file. Without any it is ErrNothing.
func (s *Store) Choose(w Wish) ([]Call, error) {
	g, unlock, err := s.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	chosen, err := g.choose(w)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, g.nothing(w)
	}
	return copied(chosen), nil
}

// nothing is the error of a wish that no call fits.
func (g *log) nothing(w Wish) error {
	forced := w
	forced.Force = true
	if left, err := g.choose(forced); err == nil && len(left) > 0 && !w.Force {
		return fmt.Errorf("%w: %s", ErrForce, left[0].ID)
	}
	if w.Kind == Redo {
		return ErrNoUndo
	}
	return ErrNothing
}

// choose is Choose.
func (g *log) choose(w Wish) (calls []*Call, err error) {
	own := func(c *Call) bool { return w.Session == "" || c.Session == w.Session }
	switch {
	case len(w.Calls) > 0:
		calls, err = g.exactly(w.Calls)
	case w.Kind == Redo:
		calls = g.last(func(c *Call) bool { return c.Kind == Undo && c.waits(w.Force) && own(c) })
	case w.To != "":
		calls, err = g.after(w.To, own)
	case w.ID != "":
		calls, err = g.these(strings.Split(w.ID, ","), own)
	default:
		waits := func(c *Call) bool { return c.waits(w.Force) }
		for _, c := range g.last(func(c *Call) bool { return c.Kind == Work && waits(c) && own(c) }) {
			calls = standing(g.family(c), waits)
		}
	}
	return narrowed(calls, w.To != ""), err
}

// exactly are calls that were chosen before.
func (g *log) exactly(chosen []Call) ([]*Call, error) {
	byID := map[string]*Call{}
	for _, c := range g.calls {
		byID[c.ID] = c
	}
	var out []*Call
	for _, c := range chosen {
		now := byID[c.ID]
		switch {
		case now == nil:
			return nil, fmt.Errorf("history: %w: %q", ErrUnknown, c.ID)
		case now.Undone != c.Undone, now.stands() != c.stood:
			return nil, fmt.Errorf("%w: %s", ErrLate, c.ID)
		}
		out = append(out, now)
	}
	return out, nil
}

// standing are the calls of a list that fit, the newest first.
func standing(list []*Call, fits func(*Call) bool) []*Call {
	out := slices.DeleteFunc(slices.Clone(list), func(c *Call) bool { return !fits(c) })
	slices.Reverse(out)
	return out
}

// last is the newest call that fits.
func (g *log) last(fits func(*Call) bool) []*Call {
	for _, c := range slices.Backward(g.calls) {
		if fits(c) {
			return []*Call{c}
		}
	}
	return nil
}

// these are the calls of IDs, the newest first, those left out that are undone already.
func (g *log) these(ids []string, own func(*Call) bool) ([]*Call, error) {
	if len(ids) == 1 {
		return g.one(ids[0], own)
	}
	chosen := map[*Call]bool{}
	var last error
	for _, id := range ids {
		calls, err := g.one(strings.TrimSpace(id), own)
		switch {
		case errors.Is(err, errUndone):
			last = err
		case err != nil:
			return nil, err
		}
		for _, c := range calls {
			chosen[c] = true
		}
	}
	if len(chosen) == 0 {
		return nil, last
	}
	return standing(g.calls, func(c *Call) bool { return chosen[c] }), nil
}

// one is the call of an ID, or those of a parent that are not undone yet, the newest first.
func (g *log) one(id string, own func(*Call) bool) ([]*Call, error) {
	found, err := g.named(id)
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		if !own(c) {
			return nil, fmt.Errorf("history: %w: %s", ErrNotOwn, c.ID)
		}
	}
	out := standing(found, func(c *Call) bool { return !c.Undone })
	if len(out) == 0 {
		return nil, fmt.Errorf("history: the call %s %w", found[0].ID, errUndone)
	}
	return out, nil
}

// after are the calls after one. Undos are among them: going back through each is what was there.
func (g *log) after(id string, own func(*Call) bool) ([]*Call, error) {
	c, err := g.find(id)
	if err != nil {
		return nil, err
	}
	if !own(c) {
		return nil, fmt.Errorf("history: %w: %s", ErrNotOwn, c.ID)
	}
	var out []*Call
	for _, later := range g.calls[slices.Index(g.calls, c)+1:] {
		if own(later) {
			out = append(out, later)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// errUndone: there is nothing of the call to take back.
var errUndone = errors.New("is undone already")

// ErrNotOwn: the call is one of another session.
var ErrNotOwn = errors.New("the call is not one of this session")
