package bash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/tool"
)

// A Committed draft is what became of one.
type Committed struct {
	Need     *tool.Need      // the client must be asked; the answer comes in Call.Resume of the next Commit
	Refused  *tool.Error     // nothing was made, and why
	Proposed string          // the difference that was not made
	Declined bool            // with Refused: a person said no
	Kept     string          // with Refused: the ID of the draft in which it stays; "": it is lost
	Undo     record.UndoMeta // what was made
	Notes    []string        // for the model: what was held back, a line each
	Outer    bool            // it went to the draft in which it was, and nothing to the disk
}

// Commit makes what the draft changes, as one. Where somebody must see it first, they are asked, with about above the
// difference. What is in another draft goes there, and nobody is asked. Without a Need the draft is over then.
func (d *Draft) Commit(ctx context.Context, call *tool.Call, about string) (*Committed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, ErrDraftOver
	}
	if d.outer != nil {
		return d.join()
	}
	f, err := d.looked(ctx, call)
	if err != nil {
		return nil, errors.Join(err, d.drop())
	}
	out, err := d.settle(ctx, f, about)
	if out == nil || out.Need == nil {
		d.drop() // what was made is made; what cannot be removed now is removed by the next start
	}
	return out, err
}

// looked is what the draft came to. The first time it is looked at, and closed to further changes.
func (d *Draft) looked(ctx context.Context, call *tool.Call) (*finished, error) {
	d.t.call, d.t.title = call, call.Name
	if d.look != nil {
		return d.look, nil
	}
	if err := d.unview(); err != nil {
		return nil, err
	}
	if !d.t.layer.Held() { // nothing was ever done in it
		d.look = &finished{c: &command{}, t: d.t, set: &change.Set{}}
		return d.look, nil
	}
	if !d.owes() && call.Leaves.New != tool.LeftMade { // else all of it is shown, or what is new is nobody's question
		d.t.where.New = &check.New{File: d.w.KnewFile()}
	}
	f := &finished{c: &command{}, t: d.t}
	if err := f.look(ctx); err != nil {
		return nil, err
	}
	if d.relied != nil {
		d.relied(f.set)
	}
	d.gone(f.set)
	merged, err := d.merge(f.set)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	}
	d.merged = merged
	if n := len(f.set.Changes); n > maxDrafted {
		return nil, fmt.Errorf("%w: it changes %d places, more than the %d of a draft", errNotMade, n, maxDrafted)
	}
	if !d.owes() { // what was judged by itself needs no second word
		f.found = slices.DeleteFunc(f.found, d.judged(f))
	}
	d.look = f
	return f, nil
}

// settle asks about what the draft changes, as far as somebody must be asked, and makes it.
func (d *Draft) settle(ctx context.Context, f *finished, about string) (*Committed, error) {
	if len(f.set.Changes) == 0 {
		return &Committed{}, nil
	}
	if refused, err := d.refuses(f.set); refused != nil || err != nil { // nobody is asked about what cannot be made
		return refused, err
	}
	if d.owes() {
		return d.settleShown(ctx, f, about)
	}
	asked := f.askable()
	if len(asked) > 0 {
		need, err := f.ask(ctx, d.t.call, asked)
		if err != nil || need != nil {
			return waitsFor(need), err
		}
	}
	held := f.found
	if f.answer.Yes {
		held = slices.DeleteFunc(slices.Clone(held), func(x check.Finding) bool { return !f.never(x) })
	}
	if !f.answer.Unasked {
		asked = nil
	}
	return d.make(ctx, f, held, asked)
}

// settleShown is settle where somebody must see all of it.
func (d *Draft) settleShown(ctx context.Context, f *finished, about string) (*Committed, error) {
	shown, err := d.t.showAll(f.set, f.found)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be shown: %w", errNotMade, err)
	}
	need, err := d.askShown(ctx, f, shown, about)
	if err != nil || need != nil {
		return waitsFor(need), err
	}
	if !f.answer.Yes {
		return &Committed{
			Refused:  declinedDraft(f.answer),
			Proposed: shown.diff.Unified,
			Declined: !f.answer.Unasked,
		}, nil
	}
	if d.blind { // what others would run nobody has seen
		return d.make(ctx, f, f.found, f.askable())
	}
	held := slices.DeleteFunc(slices.Clone(f.found), func(x check.Finding) bool { return !f.never(x) })
	return d.make(ctx, f, held, nil)
}

// waitsFor is what became of a draft whose client must be asked; nil: it is an error.
func waitsFor(need *tool.Need) *Committed {
	if need == nil {
		return nil
	}
	need.Here = true
	return &Committed{Need: need}
}

// make makes the draft but for what was found in it.
func (d *Draft) make(ctx context.Context, f *finished, held, waits []check.Finding) (*Committed, error) {
	d.changedMeanwhile(f.set)
	if refused, err := d.refuses(f.set); refused != nil || err != nil {
		return refused, err
	}
	made, err := d.t.make(ctx, f.set, held, waits)
	if err != nil {
		return nil, err
	}
	made.answer = f.answer
	if len(made.Refused) > 0 && made.count() == 0 && len(made.Git) == 0 {
		return &Committed{Refused: conflict(made.Refused)}, nil
	}
	if d.made != nil {
		d.made(made)
	}
	notes := made.notes()
	if len(d.merged) > 0 {
		notes = append(notes, "[changed by somebody else meanwhile, and merged: "+named(d.merged)+"]")
	}
	return &Committed{Undo: made.undo, Notes: notes}, nil
}

// shownConflicts bounds the files of which both differences are shown, and shownConflict what is shown of one, in
// bytes.
const (
	shownConflicts = 20
	shownConflict  = 8 << 10
)

// refuses makes nothing of a set of which somebody else changed something; nil: nobody did. One place is enough, where
// several repositories stand for themselves, too. What the draft holds stays, where it can.
func (d *Draft) refuses(set *change.Set) (*Committed, error) {
	list, err := d.conflicts(set)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	case len(list) == 0:
		return nil, nil
	}
	id := ""
	if d.stays != nil {
		id, err = d.stays(d.t.call)
	}
	return &Committed{Refused: inConflict(list, d.wherePut(id, err)), Kept: id}, nil
}

// inConflict says what somebody else changed of what the draft changes, with both differences, and how to go on.
func inConflict(list []DraftConflict, next string) *tool.Error {
	var names, lines []string
	for i, c := range list {
		names = append(names, c.Path)
		if i < shownConflicts {
			lines = append(lines, c.Words(shownConflict))
		}
	}
	if more := len(list) - shownConflicts; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return tool.Errorf(tool.Execution, "nothing was made: somebody changed meanwhile what it changes: %s", named(names)).
		WithHint("%s\n%s", next, strings.Join(lines, "\n"))
}

// conflict says what somebody else changed of what the draft changes.
func conflict(refused []heldBack) *tool.Error {
	var words []string
	for _, r := range refused {
		if !strings.HasPrefix(r.Why, "it goes with ") { // what it goes with is named
			words = append(words, r.Path+" ("+r.Why+")")
		}
	}
	return tool.Errorf(tool.Execution, "nothing was made: %s", named(words)).
		WithHint("Read these files as they are now, and do it again.")
}
