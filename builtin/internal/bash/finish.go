package bash

import (
	"context"
	"fmt"
	"slices"
	"time"

	"helve/builtin/internal/record"
	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/tool"
)

// A finished command has ended, and what it changed was looked at and is not made yet.
type finished struct {
	c       *command
	exit    sandbox.Exit
	out     printed
	notes   []string // what stands behind the output, before all other notes
	temp    string   // what is to be said of the temporary folder
	reached sandbox.Reached

	t      *transaction    // nil: it changed the workspace while it ran, or nothing
	before *record.Scanned // the workspace before such a one; nil: nobody looked
	watch  *watched        // nil: as before
	set    *change.Set
	found  []check.Finding
	told   []heldBack // made, and would have waited: see Options.ReportNew

	answer tool.Answer // what was said to the findings; zero: nobody was asked
	timer  *time.Timer // of one that waits for an answer
}

// finish looks at what a command changed, and makes it.
func (w *Commands) finish(ctx context.Context, call *tool.Call, f *finished) (*tool.Result, error) {
	c := f.c
	if w.Unrepaired != nil {
		c.gaps = append(c.gaps, "what an earlier command changed could not be finished: "+w.Unrepaired.Error())
	}
	if f.t != nil && !f.t.layer.Held() {
		c.gaps = append(c.gaps, throughGap(f.t.layer.Why()))
		w.findOut(w.noLayerFile(), f.t.layer.Why())
		f.t.close()
		f.t = nil
	}
	f.reached = c.with(f.reached)
	if f.t == nil {
		return f.direct(ctx, call), nil
	}
	err := f.look(ctx)
	switch {
	case err != nil:
		f.t.close()
		return f.lost(err), nil
	case len(f.set.Changes) == 0:
		f.t.close()
		return f.result(nil), nil
	}
	return f.settle(ctx, call)
}

// direct is the result of a command that changed the workspace while it ran, or nothing.
func (f *finished) direct(ctx context.Context, call *tool.Call) *tool.Result {
	f.watch.look()
	made := changesOfRecord(f.before.Compare(context.WithoutCancel(ctx), call, f.c.in.String()))
	aside, failed := f.watch.take()
	if failed != "" {
		f.notes = append(f.notes, failed)
	}
	if len(aside) > 0 {
		if made == nil {
			made = &changes{}
		}
		made.Held = aside
	}
	return f.result(made)
}

// look finds out what the command changed, and what of that is dangerous. It is called when the command's whole tree
// has ended.
func (f *finished) look(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime) // what an ended command did is kept, too
	defer cancel()
	if f.exit.Lost != "" {
		return fmt.Errorf("%w: %s", errNotMade, f.exit.Lost)
	}
	if f.t.looked, err = f.t.tx.Now(); err != nil {
		return fmt.Errorf("%w: %w", errNotMade, err)
	}
	if f.set, err = f.t.layer.Set(ctx); err != nil {
		return fmt.Errorf("%w: %w", errNotMade, err)
	}
	if len(f.set.Changes) == 0 {
		return nil
	}
	if f.found, err = check.Check(ctx, f.t.where, f.set); err != nil {
		return fmt.Errorf("%w: %w", errNotMade, err)
	}
	f.found = slices.DeleteFunc(f.found, f.wasAllowed)
	f.found = slices.DeleteFunc(f.found, func(x check.Finding) bool {
		return f.leaving(x) == tool.LeftMade && !f.t.w.neverAsked(x)
	})
	if f.t.w.ReportNew {
		f.report()
	}
	return nil
}

// leaving is what the policy says of something that was found.
func (f *finished) leaving(x check.Finding) tool.Leaving {
	if x.New {
		return f.t.call.Leaves.New
	}
	return f.t.call.Leaves.Steer
}

// never tells of what is held back whatever anybody says.
func (f *finished) never(x check.Finding) bool {
	return f.leaving(x) == tool.LeftRefused || f.t.w.neverAsked(x)
}

// report has what waits for its name alone be made, and told.
func (f *finished) report() {
	f.found = slices.DeleteFunc(f.found, func(x check.Finding) bool {
		if x.New {
			f.told = append(f.told, heldBack{Path: f.t.w.ShownPath(x.Place), Why: x.Why})
		}
		return x.New
	})
}

// wasAllowed tells of a repository that goes by the line's own words: the policy has said yes to them.
func (f *finished) wasAllowed(x check.Finding) bool {
	writes := func(e tool.Effect) bool {
		named := e.Target == f.t.w.TargetOf(x.Place) || e.Target == f.t.w.TargetOf(x.Place.Parent())
		return e.Kind == tool.Write && named
	}
	return x.Why == check.Loss && slices.ContainsFunc(f.c.effects(), writes)
}

// watchDirect is watch; why the workspace cannot be watched becomes a gap.
func (c *command) watchDirect(ctx context.Context, w *Commands, call *tool.Call) *watched {
	x, gap := w.watch(ctx, call, c)
	if gap != "" {
		c.gaps = append(c.gaps, gap)
	}
	return x
}
