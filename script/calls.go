package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"helve/script/internal/wire"
	"helve/tool"
	"helve/tool/drafting"
)

// begun begins a call of the script: it is answered from the record, or made.
func (r *run) begun(ctx context.Context, c *wire.Call) error {
	e := r.record.entries[c.Key()]
	if e != nil && (e.used || !e.same(c)) {
		return tool.Errorf(tool.Execution, "the script went another way than before it waited for an answer: "+
			"it calls %s where it called %s", drafting.CallText(c.Tool, c.Args), drafting.CallText(e.tool, e.args))
	}
	if e == nil {
		if r.calls >= maxCalls {
			return tool.Errorf(tool.Execution, "the script makes more than %d calls", maxCalls).
				WithHint("Ask a tool for many things at once: grep over a folder instead of read of each file.")
		}
		e = &entry{key: c.Key(), tool: c.Tool, args: c.Args}
		r.record.entries[e.key] = e
		r.record.order = append(r.record.order, e)
	}
	e.used = true
	r.calls++
	if e.reply != nil {
		own := *e.reply
		own.ID = c.ID
		if err := r.child.send(wire.Down{Reply: &own}); err != nil {
			return r.child.death()
		}
		return nil
	}
	if r.flying+len(r.queue) >= maxParallel || !r.known[c.Tool] {
		return errors.New("the interpreter asks for what it was not given")
	}
	r.queue = append(r.queue, waiting{c.ID, e})
	r.advance(ctx)
	return nil
}

// advance makes the calls that wait. One that has to find on disk what the script changed before has all others wait
// until that is there.
func (r *run) advance(ctx context.Context) {
	for len(r.queue) > 0 && !r.stored {
		w := r.queue[0]
		if r.looksAtDisk(ctx, w.entry) {
			if r.flying == 0 {
				r.stored = true
				r.clock.waiting(true) // a person may be asked
				save := r.saving(w.entry)
				go func() { r.saves <- save(ctx) }()
			}
			return
		}
		r.queue = r.queue[1:]
		r.start(ctx, w)
	}
}

// start makes a call.
func (r *run) start(ctx context.Context, w waiting) {
	r.flying++
	e := w.entry
	if r.call.Progress != nil {
		r.call.Progress(tool.Progress{Done: float64(r.calls), Message: fmt.Sprintf("call %d: %s", r.calls, e.tool)})
	}
	inner := r.inner(e)
	inner.Draft = r.draftFor(ctx, e.tool)
	go func() {
		res, err := r.kit.Call(ctx, inner)
		select {
		case r.outcomes <- outcome{w.id, e, res, err}:
		case <-r.clock.gone: // nobody waits any more
		}
	}()
}

// inner is a call of the script as the kit is asked for it.
func (r *run) inner(e *entry) *tool.Call {
	c := &tool.Call{
		ID:      fmt.Sprintf("%s/%s", r.call.ID, e.key),
		Name:    e.tool,
		Args:    e.args,
		Session: r.call.Session,
		Dir:     r.call.Dir,
		Meta:    r.call.Meta,
		Parent:  r.record.parent,
		Whole:   wholeBytes,
		Waiting: r.clock.waiting,
		Consent: r.record.consent,
	}
	if e.need != nil {
		c.Resume = &tool.Resume{State: e.need.State, Answers: json.RawMessage("{}")}
		if e.key == r.record.asked { // the answers are to its question
			c.Resume.Answers, c.Resume.Took = r.resume.Answers, r.resume.Took
		}
		e.need = nil
	}
	return c
}
