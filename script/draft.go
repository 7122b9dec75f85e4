package script

import (
	"context"
	"encoding/json"
	"errors"

	"helve/tool"
	"helve/tool/drafting"
)

// A Draft is where the calls of a script change files, until all of it is made as one. Its Commit gets the call of
// run_script, with the Parent that its calls have.
type Draft = drafting.Draft

// A Committed is what became of a draft.
type Committed = drafting.Committed

const (
	// keepNone and keepPartial are what becomes of the changes of a script that ends early.
	keepNone    = "none"
	keepPartial = "partial"

	// shownScript bounds the script above a difference, in bytes; shownOutcome what a script came to of which nothing
	// was made.
	shownScript  = 16 << 10
	shownOutcome = 4 << 10
)

// draftFor is where a call of a tool works, which begins a draft if it is the first that could change something there.
// nil: on the disk.
func (r *run) draftFor(ctx context.Context, name string) tool.Draft {
	outer, within := r.call.Draft.(drafting.Outer)
	var open func() (Draft, error)
	switch {
	case within:
		open = func() (Draft, error) { return beginWithin(ctx, outer) }
	case r.s.o.Draft != nil:
		open = func() (Draft, error) { return r.s.o.Draft(ctx, r.committer()) }
	}
	d := r.record.drafts.For(r.kit.View(), name, open)
	if d == nil && within {
		return outer
	}
	return d
}

// beginWithin begins a draft in the one of the script. Where none can be had the script's calls fail: they must not
// change the disk.
func beginWithin(ctx context.Context, outer drafting.Outer) (Draft, error) {
	d, err := outer.Within(ctx, Name, "the script")
	if err != nil {
		return noDraft{err}, nil
	}
	return d, nil
}

// goOn opens the draft that the script goes on with, if it is to.
func (r *run) goOn(ctx context.Context) error {
	if r.in.Draft == "" {
		return nil
	}
	if _, within := r.call.Draft.(drafting.Outer); within {
		return tool.Errorf(tool.Validation, "draft: the call is in a draft already, and goes on with no other").
			WithHint("Leave out the argument, or make the call without that draft.")
	}
	if r.s.o.GoOn == nil {
		return tool.Errorf(tool.Validation, "draft: no script has one here: what it calls changes the files at once")
	}
	d, err := r.s.o.GoOn(ctx, r.committer(), r.in.Draft)
	if err == nil {
		r.record.drafts.GoOn(d)
	}
	return err
}

// looksAtDisk tells that a call sees or changes the files as they are on disk, so that what the script changed before
// has to be there.
func (r *run) looksAtDisk(ctx context.Context, e *entry) bool {
	c := r.inner(&entry{key: e.key, tool: e.tool, args: e.args})
	return r.record.drafts.LooksAtDisk(ctx, r.kit, c)
}

// committer is the call of run_script as a draft knows it: of the family of its calls, with the answer to what the
// draft asked in an earlier round.
func (r *run) committer() *tool.Call {
	own := *r.call
	own.Parent, own.Resume = r.record.parent, nil
	return &own
}

// saving commits the open draft; before is the call that has to find it on disk, nil: the script is over. What it
// returns does it: it may take as long as a person thinks.
func (r *run) saving(before *entry) func(context.Context) drafting.Saved {
	c := r.committer()
	c.Resume, r.answer = r.answer, nil
	r.call.Resume = c.Resume // the kit's Ask finds the answer there
	return r.record.drafts.Saving(c, r.about(before))
}

// took notes what a commit came to. A need is for the client; the error says why what the draft held is not on disk.
func (r *run) took(s drafting.Saved) (need *tool.Need, err error) {
	r.call.Resume = nil
	return r.record.drafts.Took(s, func(meta any) bool {
		made := metaChanges(meta)
		r.record.did = append(r.record.did, made)
		return len(made.Files)+made.More > 0
	})
}

// metaChanges are the changes that a commit names.
func metaChanges(meta any) (c changes) {
	b, err := json.Marshal(meta)
	if err != nil || json.Unmarshal(b, &c) != nil {
		return changes{}
	}
	return c
}

// about is what stands above the difference: what the script called, what comes next, and the script.
func (r *run) about(before *entry) string {
	var made []string
	for _, e := range r.record.order {
		if e.reply != nil {
			made = append(made, drafting.CallText(e.tool, e.args))
		}
	}
	next := ""
	if before != nil {
		next = drafting.CallText(before.tool, before.args)
	}
	who := "A script"
	if r.in.Draft != "" {
		who = "A script went on with draft " + r.in.Draft + ", and"
	}
	return drafting.About(who, made, next) + "The script:\n" + drafting.Bounded(r.in.Script, shownScript) + "\n"
}

// An ending is what a script came to.
type ending struct {
	out *Outcome
	bad error // why it ended early; nil: it did not
}

// conclude makes what the draft of a script holds that is over, or drops it, and says how all came out.
func (r *run) conclude(ctx context.Context) (*tool.Result, error) {
	end := r.record.end
	stays := end.bad == nil || r.in.Keep == keepPartial && ctx.Err() == nil
	if r.record.drafts.IsOpen() && stays {
		need, err := r.took(r.saving(nil)(ctx))
		if need != nil {
			r.record.slim()
			return r.wait(need)
		}
		end.add(err)
	}
	r.record.drafts.Over(drafting.Dropped)
	if end.bad != nil {
		return tool.Fail(r.told(end.bad)).WithMeta(r.record.changes()), nil
	}
	out := *end.out
	out.Note = drafting.Joined(append([]string{out.Note}, r.record.drafts.Notes...)...)
	res := tool.Render(out).WithSummary("script: %d calls", r.calls)
	if len(r.record.drafts.Fates) > 0 {
		res.WithMeta(r.record.changes())
	}
	return res, nil
}

// add notes that what a script changed was not made, which makes its result an error.
func (e *ending) add(err error) {
	refused, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
	case e.bad != nil:
		own := *asError(e.bad)
		own.Hint = drafting.Joined(own.Hint, refused.Text())
		e.bad = &own
	default:
		own := *refused
		outcome := drafting.Bounded(e.out.Text(), shownOutcome)
		own.Hint = drafting.Joined(own.Hint, drafting.Headed("What the script came to before that:", outcome))
		e.bad = &own
	}
}

// wait ends a run until the client was asked.
func (r *run) wait(need *tool.Need) (*tool.Result, error) {
	res, err := r.s.records.keep(r.record, need, r.s.o.Now())
	r.kept = err == nil
	return res, err
}
