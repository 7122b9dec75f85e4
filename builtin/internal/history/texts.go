package history

import (
	"errors"
	"fmt"
	"slices"

	"helve/internal/change"
)

// MaxShown is up to how many bytes a text is shown: longer ones nobody reads.
const MaxShown = 1 << 20

var errNoText = errors.New("it is no text")

// Text is what a state's file held, to be shown; "" for what is no file. The error says why it cannot be shown.
func (s *Store) Text(st State) (string, error) {
	switch {
	case st.Type == change.Link:
		return "-> " + string(st.Target) + "\n", nil
	case st.Type != change.File:
		return "", nil
	case st.Size > MaxShown:
		return "", fmt.Errorf("it has more than %d bytes", MaxShown)
	}
	b, err := s.Content(st, MaxShown)
	if err == nil && !isText(b) {
		err = errNoText
	}
	return string(b), err
}

// Texts are what stands at a step's place, and what would stand there.
func (s *Store) Texts(st *Step) (now, will string, err error) {
	now, err = s.present(st)
	if err != nil {
		return "", "", err
	}
	if st.text != nil {
		return now, string(st.text), nil
	}
	if st.Will.Object == st.Now.Object && st.Will.Type == st.Now.Type {
		return now, now, nil
	}
	will, err = s.Text(st.Will)
	return now, will, err
}

// present is the text that stands at a step's place.
func (s *Store) present(st *Step) (string, error) {
	if st.Now.Type != change.File {
		return s.Text(st.Now)
	}
	t, err := change.OpenTree(s.o.Roots[st.Root])
	if err != nil {
		return "", err
	}
	defer t.Close()
	b, err := t.Read(st.Path, MaxShown)
	if err == nil && !isText(b) {
		err = errNoText
	}
	return string(b), err
}

// Leave has a plan leave the places alone for which why gives a reason; no force changes that.
func (p *Plan) Leave(why func(change.Place) string) {
	for i := range p.Steps {
		st := &p.Steps[i]
		if reason := why(st.Place); reason != "" {
			st.Conflict = reason
			st.denied = true
		}
	}
}

// Denied tells that a step is left alone whatever is forced, and that its content is nobody's business here.
func (st *Step) Denied() bool { return st.denied }

// Fold is what several calls did together: of each path what was there before the first and after the last. The calls
// come in the order of a List, the newest first.
func Fold(calls []Call) []Change {
	at := map[change.Place]int{}
	var out []Change
	for i := len(calls) - 1; i >= 0; i-- {
		for _, c := range calls[i].Changes {
			n, known := at[c.Place]
			if !known {
				at[c.Place] = len(out)
				out = append(out, c)
				continue
			}
			out[n].Now = c.Now
		}
	}
	kept := out[:0]
	for _, c := range out {
		if !c.Was.equal(c.Now) {
			kept = append(kept, c)
		}
	}
	return kept
}

// Find is what an ID means, the newest first: the call of that ID, or all calls with that Parent. The beginning is
// enough where only one has it. Without an error there is at least one.
func (s *Store) Find(id string) ([]Call, error) {
	g, unlock, err := s.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	found, err := g.named(id)
	if err != nil {
		return nil, err
	}
	slices.Reverse(found)
	return copied(found), nil
}

// copied are calls that nobody else holds.
func copied(calls []*Call) []Call {
	out := make([]Call, 0, len(calls))
	for _, c := range calls {
		out = append(out, *c)
	}
	return out
}

// Between are the calls after from, up to and with to; the newest first.
func (s *Store) Between(from, to string) ([]Call, error) {
	g, unlock, err := s.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	first, err := g.find(from)
	if err != nil {
		return nil, err
	}
	last, err := g.find(to)
	if err != nil {
		return nil, err
	}
	var out []Call
	for inside, i := false, len(g.calls)-1; i >= 0 && g.calls[i] != first; i-- {
		inside = inside || g.calls[i] == last
		if inside {
			out = append(out, *g.calls[i])
		}
	}
	if len(out) == 0 && first != last {
		return nil, fmt.Errorf("history: %s came after %s: name the older one first", first.ID, last.ID)
	}
	return out, nil
}
