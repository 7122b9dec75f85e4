package bash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/tool"
)

// A Draft holds back what several calls change in the workspace until all of it is made as one. Commands work in its
// layer, one after another, and tools for files in a view of it. It is safe for concurrent use.
type Draft struct {
	w *Commands
	t *transaction

	mu    sync.RWMutex // a command that may change the layer has it alone
	leave func() error // closes the view; nil: none is open
	seen  int          // how many views there were

	base  sync.Map // of change.Place: the text that stood there before a tool for files changed it; nil: it is not known
	own   sync.Map // of change.Place: owned, what a tool for files alone made of it
	stood sync.Map // of change.Place: a record.Stood, what stood there when the draft came to it
	from  sync.Map // of change.Place: the place of what was renamed to it and is gone since
	owed  sync.Map // one key, true: somebody must see the difference before it is made

	merged []string // the files in which somebody else's change is, too

	what   string            // whose changes they are, for people; "": the script
	relied func(*change.Set) // corrects what was changed since; nil: all since the layer was there is
	made   func(*changes)    // is told of what was made before the transaction ends; nil: nobody

	blind bool // nobody saw what others would run, and the rest was said yes to

	look *finished // what it came to, once that was looked at; then nothing is changed in it any more
	over bool
}

// maxDrafted bounds the changes of a draft: beyond it a person reads no difference.
const maxDrafted = 100_000

// OpenDraft begins a draft of this workspace, or says in words why nothing can be held back here.
func (w *Commands) OpenDraft(ctx context.Context) (*Draft, error) {
	if err := w.holdsBack(ctx); err != nil {
		return nil, err
	}
	tx, err := change.Begin(w.Changes())
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	d := w.draftIn(tx)
	d.t.layer.Last()
	return d, nil
}

// Named says what the history calls the changes of the draft by, and whose they are, for people.
func (d *Draft) Named(name, what string) { d.t.tool, d.what = name, what }

// holdsBack says in words why nothing can be held back here; nil: it can.
func (w *Commands) holdsBack(ctx context.Context) error {
	c := &command{}
	c.confine = w.confinement(w.Sandbox.Level)
	why := "commands may not change the workspace here"
	if c.confine.Level == sandbox.WorkspaceWrite {
		var err error
		if c.reach, err = w.Sandbox.reach(ctx, c.confine); err != nil {
			return err
		}
		why = w.writesThrough(c)
	}
	if why == "" && w.foundOut(w.noDiskFile()) != "" {
		why = throughGap(w.foundOut(w.noDiskFile()))
	}
	if why != "" {
		return fmt.Errorf("%w: %s", sandbox.ErrNoLayer, why)
	}
	return nil
}

// draftIn is a draft in a transaction.
func (w *Commands) draftIn(tx *change.Transaction) *Draft {
	d := &Draft{w: w}
	d.t = &transaction{
		w:     w,
		tx:    tx,
		tool:  "run_script",
		whole: true,
		layer: sandbox.NewLayer(tx),
		where: w.checked(tx),
	}
	return d
}

// In are the commands of the workspace as they run in a draft.
func (w *Commands) In(d *Draft) *Commands {
	return &Commands{Records: w.Records, Options: w.Options, shell: w.shell, draft: d}
}

// Owe notes that somebody must see what the draft changes before it is made.
func (d *Draft) Owe() { d.owed.Store(true, true) }

// owes tells that somebody must.
func (d *Draft) owes() bool {
	_, owed := d.owed.Load(true)
	return owed
}

// An Opener opens tools on a view. leave closes them, before the view is closed.
type Opener func(*sandbox.View) (leave func() error, err error)

// Read has do read the layer, or change files in it, by a view that open opens where none is open. seen tells one view
// from another: what was opened through an earlier one is closed.
func (d *Draft) Read(ctx context.Context, open Opener, do func(seen int) error) error {
	for {
		d.mu.RLock()
		if d.leave != nil {
			defer d.mu.RUnlock()
			return do(d.seen)
		}
		over := d.over || d.look != nil
		d.mu.RUnlock()
		if over {
			return ErrDraftOver
		}
		if err := d.view(ctx, open); err != nil {
			return err
		}
	}
}

// view opens the view.
func (d *Draft) view(ctx context.Context, open Opener) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leave != nil {
		return nil
	}
	v, err := d.t.layer.View(ctx, sandbox.Options{Launcher: d.w.Sandbox.Launcher})
	if err != nil {
		return d.w.notHeld(err)
	}
	leave, err := open(v)
	if err != nil {
		return errors.Join(err, v.Close())
	}
	d.leave = func() error { return errors.Join(leave(), v.Close()) }
	d.seen++
	return nil
}

// unview closes the view, with mu held: the layer is then where no process has it open.
func (d *Draft) unview() error {
	if d.leave == nil {
		return nil
	}
	err := d.leave()
	d.leave = nil
	return err
}

// command has run run a command in the layer.
func (d *Draft) command(c *command, run func() error) error {
	c.confine.Layer, c.confine.Looked = d.t.layer, true
	if c.confine.Level == sandbox.ReadOnly {
		d.mu.RLock()
		defer d.mu.RUnlock()
	} else {
		d.mu.Lock()
		defer d.mu.Unlock()
		if err := d.unview(); err != nil {
			return err
		}
	}
	if d.over || d.look != nil {
		return ErrDraftOver
	}
	err := run()
	if c.confine.Level != sandbox.ReadOnly && d.t.layer.Held() {
		err = errors.Join(err, d.note())
	}
	return err
}

// Changed tells whether the draft changes anything.
func (d *Draft) Changed() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return false, nil
	}
	if d.look != nil {
		return len(d.look.set.Changes) > 0, nil
	}
	return d.t.layer.Touched()
}

// A Committed draft is what became of one.
type Committed struct {
	Need     *tool.Need      // the client must be asked; the answer comes in Call.Resume of the next Commit
	Refused  *tool.Error     // nothing was made, and why
	Proposed string          // the difference that was not made
	Undo     record.UndoMeta // what was made
	Notes    []string        // for the model: what was held back, a line each
}

// Commit makes what the draft changes, as one. Where somebody must see it first, they are asked, with about above the
// difference. Without a Need the draft is over then.
func (d *Draft) Commit(ctx context.Context, call *tool.Call, about string) (*Committed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, ErrDraftOver
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
		return &Committed{Refused: declinedDraft(f.answer), Proposed: shown.diff.Unified}, nil
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

// shownConflicts bounds the files of which both differences are shown, and shownConflict what is shown of one, in bytes.
const (
	shownConflicts = 20
	shownConflict  = 8 << 10
)

// refuses makes nothing of a set of which somebody else changed something; nil: nobody did. One place is enough, where
// several repositories stand for themselves, too.
func (d *Draft) refuses(set *change.Set) (*Committed, error) {
	list, err := d.conflicts(set)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	case len(list) == 0:
		return nil, nil
	}
	return &Committed{Refused: inConflict(list)}, nil
}

// inConflict says what somebody else changed of what the draft changes, with both differences.
func inConflict(list []DraftConflict) *tool.Error {
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
		WithHint("Read these files as they are now, and do it again.\n%s", strings.Join(lines, "\n"))
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

// Drop loses the draft. A second call does nothing.
func (d *Draft) Drop() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drop()
}

func (d *Draft) drop() error {
	if d.over {
		return nil
	}
	d.over = true
	return errors.Join(d.unview(), d.t.tx.Close())
}
