package run

import (
	"context"
	"encoding/json"
	"errors"

	"helve/agent"
)

// An Ending is how the answer to a prompt came to its end.
type Ending struct {
	Stop        agent.Stop
	Reason      string // of Stop, in words; "": it says all
	Interrupted bool
	Err         error  // nil: it came to its end
	Hint        string // what a person can do about Err; "": nothing is known
	Outcome     json.RawMessage
}

// Prompt has the agent answer.
func (h *Hosted) Prompt(ctx context.Context, prompt agent.User) Ending {
	t := h.t
	if !h.ready {
		waitForSources(ctx, t.ws)
		h.ready = true
	}
	if t.held == nil {
		if _, err := h.hold(); err != nil {
			return Ending{Stop: agent.Failed, Err: err}
		}
	}
	if err := t.offer(ctx); err != nil {
		return Ending{Stop: agent.Failed, Err: err, Interrupted: ctx.Err() != nil}
	}
	h.takeMode()
	e := t.answer(ctx, prompt)
	told, _ := json.Marshal(t.r.outcome("done", e, &t.r.now, e.Turns, e.Usage)) // strings and numbers
	t.r.now = tally{}
	out := Ending{Stop: e.Stop, Reason: e.Reason, Interrupted: e.interrupted(), Err: e.err, Outcome: told}
	if e.err != nil {
		out.Hint = nextStep(e.err, t.r.model, t.r.id)
	}
	return out
}

// Close ends the conversation; what was said is kept.
func (h *Hosted) Close() error {
	var errs []error
	t := h.t
	if t.agent.Session != nil {
		errs = append(errs, t.agent.Session.Close())
	}
	if t.held != nil {
		errs = append(errs, t.held.Close())
	}
	if t.ws != nil {
		errs = append(errs, t.ws.Close())
	}
	if _, failed := t.s.PruneConversations(context.Background(), t.o.Common, h.keep, false); failed != nil {
		t.s.Note("old conversations: %v", failed)
	}
	return errors.Join(errs...)
}
