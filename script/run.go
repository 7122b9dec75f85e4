package script

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"helve/script/internal/wire"
	"helve/tool"
	"helve/tool/drafting"
)

// A run is one run of a script, from its beginning to its end or to a question that the client must be asked.
type run struct {
	s      *Scripts
	kit    *tool.Kit
	call   *tool.Call // of run_script
	in     runIn
	known  map[string]bool // public names of the tools that are functions
	record *record
	resume *tool.Resume
	round  *tool.Resume // the answer to the question about the calls that are certain; nil: there is none
	answer *tool.Resume // the answer to the question about what the draft holds; nil: there is none
	out    *Outcome     // what the script gave, when it is over
	kept   bool         // the record waits for an answer

	child    *process
	clock    *clock
	said     chan wire.Up
	hungUp   chan error // why nothing more is said
	outcomes chan outcome
	queue    []waiting           // calls that are still to be made, in their order
	saves    chan drafting.Saved // what the commit came to that calls wait for
	stored   bool                // such a commit is on its way
	flying   int                 // calls that are being made
	calls    int                 // that were made in this run or an earlier one
}

// A waiting call has the ID of the message that asks for it.
type waiting struct {
	id    int
	entry *entry
}

// An outcome is what a call came to.
type outcome struct {
	id    int
	entry *entry
	res   *tool.Result
	err   error
}

// run runs a script.
func (s *Scripts) run(ctx context.Context, kit *tool.Kit, c *tool.Call, in runIn) (*tool.Result, error) {
	r := &run{s: s, kit: kit, call: c, in: in, resume: c.Resume}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := r.open(ctx); err != nil { // only now: a ticket works once
		return nil, err
	}
	defer func() {
		if !r.kept {
			r.record.drafts.Over(drafting.Dropped)
		}
	}()
	if r.record.end == nil {
		res, err := r.lead(ctx)
		if res != nil {
			res.Family = r.record.parent
			return res, nil
		}
		r.record.end = &ending{out: r.out, bad: err}
	}
	res, err := r.conclude(ctx)
	if err != nil {
		res = tool.Fail(r.told(err)).WithMeta(r.record.changes())
	}
	res.Family = r.record.parent
	return res, nil
}

// lead starts the interpreter and does what the script asks for. A result is a question that the client must be asked.
func (r *run) lead(ctx context.Context) (*tool.Result, error) {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, within{}, true))
	defer cancel()
	child, err := r.s.nursery.take(ctx)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%w", err)
	}
	r.child = child
	defer r.s.nursery.follow(child)
	timeout := time.Duration(r.in.Timeout) * time.Millisecond
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	r.clock = newClock(min(timeout, maxTimeout))
	defer r.clock.stop()
	tools := r.s.bound(r.kit.View())
	r.known = tools.known
	if err := child.send(wire.Down{Start: r.begin(tools.given(r.in.Script))}); err != nil {
		return nil, child.death()
	}
	r.said = make(chan wire.Up)
	r.hungUp = make(chan error, 1)
	r.outcomes = make(chan outcome)
	r.saves = make(chan drafting.Saved, 1)
	go r.listen(ctx)
	return r.follow(ctx, cancel)
}

// open finds the record of an earlier run, or begins one.
func (r *run) open(ctx context.Context) error {
	digest := r.in.digest(r.call)
	r.call.Resume = nil // its answer is to one question of many
	if r.resume == nil || len(r.resume.State) == 0 {
		r.resume = nil
		r.record = &record{
			owner:   owner(r.call),
			digest:  digest,
			parent:  r.call.AsParent(),
			entries: map[string]*entry{},
			undoes:  r.offers("undo"),
		}
		return r.goOn(ctx)
	}
	rec, err := r.s.records.take(r.resume.State, digest, r.s.o.Now())
	if err != nil {
		return err
	}
	rec.begin()
	r.record = rec
	if rec.need != nil {
		r.round = &tool.Resume{State: rec.need.State, Answers: r.resume.Answers, Took: r.resume.Took}
		rec.need = nil
	}
	if need := rec.drafts.Need; need != nil {
		r.answer = &tool.Resume{State: need.State, Answers: r.resume.Answers, Took: r.resume.Took}
		rec.drafts.Need = nil
	}
	if rec.end != nil && rec.end.out != nil {
		r.calls = rec.end.out.Calls
	}
	return nil
}

// offers tells whether a model finds a tool of that name.
func (r *run) offers(name string) bool {
	_, bad := r.kit.View().Lookup(name)
	return bad == nil
}

// begin is the child's first message.
func (r *run) begin(functions []wire.Function) *wire.Start {
	return &wire.Start{
		Source:    r.in.Script,
		Inputs:    r.in.Inputs,
		Functions: functions,
		Steps:     steps,
		Printed:   printedBytes,
		Parallel:  maxParallel,
		Dry:       r.call.Ahead != nil && !r.record.begun,
	}
}

// listen carries what the child says. It ends with the child, or with the run.
func (r *run) listen(ctx context.Context) {
	for {
		var up wire.Up
		if err := wire.Read(r.child.out, &up); err != nil {
			r.hungUp <- err
			return
		}
		select {
		case r.said <- up:
		case <-ctx.Done():
			return
		}
	}
}

// follow does what the script asks for until it is over.
func (r *run) follow(ctx context.Context, cancel context.CancelFunc) (*tool.Result, error) {
	for {
		select {
		case up := <-r.said:
			if up.Done != nil {
				return nil, r.finish(up.Done)
			}
			res, err := r.hear(ctx, up)
			switch {
			case err != nil:
				return r.broken(cancel, err)
			case res != nil:
				return res, nil
			}
		case o := <-r.outcomes:
			r.flying--
			if o.err != nil || o.res.Need != nil {
				return r.interrupted(ctx, cancel, o)
			}
			r.record.came(o.entry, o.id, o.res)
			if err := r.child.send(wire.Down{Reply: o.entry.reply}); err != nil {
				return r.broken(cancel, r.child.death())
			}
			r.advance(ctx)
		case s := <-r.saves:
			r.stored = false
			r.clock.waiting(false)
			need, err := r.took(s)
			switch {
			case err != nil:
				return r.broken(cancel, err)
			case need != nil:
				r.child.end()
				return r.postponed(need, r.queue[0].entry)
			}
			r.advance(ctx)
		case <-r.hungUp:
			return r.broken(cancel, r.child.death())
		case <-r.clock.over():
			return r.broken(cancel, tool.Errorf(tool.TimedOut, "timed out after %v", r.clock.total).
				WithHint("Ask for less at once, or set timeout."))
		case <-ctx.Done():
			return r.broken(cancel, ctx.Err())
		}
	}
}

// hear does what the child asks for. A result is the end of this run.
func (r *run) hear(ctx context.Context, up wire.Up) (*tool.Result, error) {
	switch {
	case up.Call != nil:
		return nil, r.begun(ctx, up.Call)
	case up.Ahead != nil && !r.record.begun:
		return r.agree(ctx, up.Ahead)
	}
	return nil, errors.New("the interpreter says what nobody understands")
}

// finish notes what a script gave that came to its end.
func (r *run) finish(d *wire.Done) error {
	for _, e := range r.record.order {
		if !e.used {
			return tool.Errorf(tool.Execution,
				"the script went another way than before it waited for an answer: it did not call %s again", e.tool)
		}
	}
	r.out = &Outcome{Result: d.Result, Printed: d.Printed, Dropped: d.Dropped, Note: r.record.note, Calls: r.calls}
	if d.Err == nil {
		return nil
	}
	words := d.Err.Message
	if d.Err.Where != "" {
		words = strings.TrimSuffix(words, ".") + " (" + d.Err.Where + ")"
	}
	bad := tool.Errorf(tool.Execution, "%s", words).WithHint("%s", r.hint(d.Err))
	if d.Err.Code != "" {
		bad.Code = tool.Code(d.Err.Code)
	}
	if r.record.note != "" {
		bad.Hint = strings.TrimSpace(bad.Hint + "\n" + r.record.note)
	}
	if d.Printed != "" {
		bad.Hint = strings.TrimSpace(bad.Hint + "\nPrinted before:\n" + strings.TrimSuffix(d.Printed, "\n"))
	}
	return bad
}

// hint is the next step after a failure of the script itself.
func (r *run) hint(f *wire.Failure) string {
	_, name, ok := strings.Cut(f.Message, "undefined: ")
	if f.Hint != "" || !ok {
		return f.Hint
	}
	name, _, _ = strings.Cut(name, " ")
	if _, bad := r.kit.View().Lookup(name); bad != nil {
		return bad.Text()
	}
	return ""
}

// told adds to an error what was done before it.
func (r *run) told(err error) error {
	own := *asError(err)
	made := append(r.record.made(), r.record.drafts.Notes...)
	own.Hint = strings.TrimSpace(own.Hint + "\n" + strings.Join(made, "\n"))
	return &own
}

// asError is an error as the model reads it.
func asError(err error) *tool.Error {
	bad, ok := errors.AsType[*tool.Error](err)
	switch {
	case ok:
		return bad
	case errors.Is(err, context.Canceled):
		return tool.Errorf(tool.Cancelled, "cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return tool.Errorf(tool.TimedOut, "timed out")
	}
	return tool.Errorf(tool.Execution, "%w", err)
}

// broken ends a script that cannot go on, and waits for its calls.
func (r *run) broken(cancel context.CancelFunc, err error) (*tool.Result, error) {
	r.child.end()
	cancel()
	r.land()
	return nil, err
}

// land waits for the calls that are being made: what they did is on record before the script is over.
func (r *run) land() (needs []outcome) {
	if r.stored {
		r.stored = false
		r.clock.waiting(false)
		r.took(<-r.saves) // the error of what ended the script is told, and what became of the draft
	}
	for ; r.flying > 0; r.flying-- {
		o := <-r.outcomes
		switch {
		case o.res == nil:
		case o.res.Need != nil:
			needs = append(needs, o)
		default:
			r.record.came(o.entry, o.id, o.res)
		}
	}
	return needs
}

// interrupted ends a run at a call that cannot be made before the client was asked, or whose asking failed.
func (r *run) interrupted(ctx context.Context, cancel context.CancelFunc, first outcome) (*tool.Result, error) {
	if first.err != nil {
		if first.res != nil && first.res.Need == nil {
			r.record.came(first.entry, first.id, first.res)
		}
		return r.broken(cancel, first.err)
	}
	r.child.end() // it runs again from its beginning, with what its calls came to
	needs := append([]outcome{first}, r.land()...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, o := range needs {
		o.entry.need = o.res.Need
	}
	// The first in the order of the script is asked about: in the next run it is the first to be made again, and its
	// answer is there before another one needs something.
	i := slices.IndexFunc(r.record.order, func(e *entry) bool { return e.need != nil })
	asked := r.record.order[i]
	r.record.asked = asked.key
	return r.postponed(asked.need, asked)
}

// postponed ends a run before a call, until the client was asked.
func (r *run) postponed(need *tool.Need, at *entry) (*tool.Result, error) {
	if r.record.size() > maxRecord {
		return nil, tool.Errorf(tool.Execution,
			"%s needs approval, and what the script's calls brought so far is more than the %d MiB that are kept for so long",
			at.tool, maxRecord>>20).WithHint("Make such calls first, or ask for less before them.")
	}
	return r.wait(need)
}
