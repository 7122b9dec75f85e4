package bash

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"helve/engine/sandbox"
	"helve/internal/change"
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
	size  int64        // of the files in it when the last command ended, in bytes

	base  sync.Map // of change.Place: the text that stood there before a tool for files changed it; nil: it is not known
	own   sync.Map // of change.Place: owned, what a tool for files alone made of it
	stood sync.Map // of change.Place: a record.Stood, what stood there when the draft came to it
	from  sync.Map // of change.Place: the place of what was renamed to it and is gone since
	owed  sync.Map // one key, true: somebody must see the difference before it is made
	plain bool     // no word counts for that which was said before it showed

	merged   []string               // the files in which somebody else's change is, too
	mergedAt map[change.Place]int64 // and when that was made, by the clock of the files

	what   string                                  // whose changes they are, for people; "": the script
	relied func(*change.Set)                       // corrects what was changed since; nil: all since the layer was there
	stays  func(*tool.Call) (id string, err error) // has a draft in conflict stay; nil: it is told, and nothing more
	made   func(*changes)                          // is told of what was made before the transaction ends; nil: nobody

	changes atomic.Int64 // how often something in it was changed, or may have been

	outer *Draft                     // in which it is; nil: it lies over the disk
	based int64                      // the changes of that one when it was begun
	began [sha256.Size]byte          // a digest of what was in it then
	keep  func(at change.Name) error // writes down that another layer is in place of its own; nil: nobody needs that

	blind bool // nobody saw what others would run, and the rest was said yes to

	look *finished // what it came to, once that was looked at; then nothing is changed in it any more
	over bool
}

// maxDrafted bounds the changes of a draft: beyond it a person reads no difference.
const maxDrafted = 100_000

// maxDraftSize bounds what commands leave in a draft, in bytes: the one that passes it is the last.
const maxDraftSize = 2 << 30

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
	tx.NoteMarks()
	d.stays = d.stay
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
		tool:  scriptTool,
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

// BePlain notes that no word counts for that which was said before the difference showed.
func (d *Draft) BePlain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plain = true
}

// Plain tells that none counts.
func (d *Draft) Plain() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.plain
}

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
		d.mu.RUnlock()
		if err := d.view(ctx, open); err != nil {
			return err
		}
	}
}

// view opens the view.
func (d *Draft) view(ctx context.Context, open Opener) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.leave != nil:
		return nil
	case d.over, d.look != nil:
		return ErrDraftOver
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
	switch {
	case d.over, d.look != nil:
		return ErrDraftOver
	case d.size > maxDraftSize:
		return tool.Errorf(tool.Execution, "the draft holds %d MB, and commands go on in one of %d MB at most",
			d.size>>20, int64(maxDraftSize>>20)).
			WithHint("Have what stands committed or dropped, and make what is large outside of a draft.")
	}
	if c.confine.Level != sandbox.ReadOnly {
		d.changes.Add(1)
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
	if d.outer != nil {
		return d.differs()
	}
	return d.t.layer.Touched()
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
