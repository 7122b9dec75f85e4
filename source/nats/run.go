package natsbus

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"helve/internal/wire"
	"helve/tool"
	"helve/tool/telemetry"
)

const (
	// safeTries is how often a call is sent to another worker that did not begin.
	safeTries = 5
	// readTries is how often one is that changes nothing, whether it began or not.
	readTries = 2
	// pauseLeast and pauseMost are between two tries at workers that are full: several gateways may share them.
	pauseLeast = 500 * time.Microsecond
	pauseMost  = 2500 * time.Microsecond
)

// run has a worker run the job, and another one where that can do no harm.
func (j *job) run(ctx context.Context) (*tool.Result, error) {
	req, err := j.request(j.call.Resume)
	if err != nil {
		return nil, err
	}
	msg := wire.Run{
		Request:  req,
		Digest:   j.digest,
		Shown:    j.shown,
		Confined: j.confined,
		Review:   j.review,
		Sure:     !j.spec.ReadOnly,
		Task:     j.call.Task != nil,
		Judged:   j.judged,
		Seen:     j.seen,
	}
	trace := telemetry.Going(ctx)
	msg.Traceparent, msg.Tracestate = trace.Parent, trace.State
	want := j.want
	want.slot = true
	j.c.conversations.follow(ctx, want.pin) // a person may have thought for long
	safe, again, conflicts := 0, 0, 0
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err() // nobody waits: a worker might be quicker than the word that ends it
		}
		m, err := j.c.line.place(ctx, want, j.call.Progress)
		if err != nil {
			return nil, err
		}
		if !j.c.conversations.claim(ctx, want.pin, m) && conflicts < mostConflicts {
			conflicts++
			j.c.line.give(m, want, notBegun, 0)
			continue
		}
		msg.Queue = !want.bounced
		a := newAttempt(j, m, msg)
		how := a.do(ctx)
		switch {
		case how == ended:
			if j.own != nil {
				a.result = j.own.answer(a.result)
			}
			if a.result.Need != nil {
				a.result.Need.Here = false // it waits at the conversation's worker, which is the same for every gateway
			}
			j.c.conversations.tellMoved(j.want.pin, a.result)
			return a.result, nil
		case how == full:
			want.bounced = true
			pause(ctx)
			continue
		case how == given:
			return nil, j.givenUp(ctx, a)
		case how == cutOff:
			return nil, j.cutOff(a)
		}
		j.c.line.lost(m)
		switch {
		case j.spec.ReadOnly && again < readTries: // nobody says when one begins
			again++
		case j.spec.ReadOnly:
			return nil, tool.Errorf(tool.Execution, "%d workers went away while they ran it", again+1).
				WithHint("It changes nothing, so nothing was done. If it goes on, the call itself ends them.")
		case how == notBegun && safe < safeTries:
			safe++
		case how == notBegun:
			return nil, tool.Errorf(tool.Execution, "%d workers went away before they began; nothing was done", safe+1)
		default:
			return nil, unknown(m)
		}
	}
}

func pause(ctx context.Context) {
	d := pauseLeast + rand.N(pauseMost-pauseLeast)
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// unknown is the error of a call that began at a worker of which nothing more is heard.
func unknown(m *member) *tool.Error {
	return tool.Errorf(tool.OutcomeUnknown,
		"the worker that ran it (%s) is gone; what it was to do may have been done, in part or not at all", m).
		WithHint("Look at what is there before you call again: nothing repeats this call.")
}

// cutOff is the error of a call whose worker cannot be heard any more. What had not begun never does: a worker begins
// what is waited for alone.
func (j *job) cutOff(a *attempt) error {
	away := j.c.o.Away
	switch {
	case j.spec.ReadOnly:
		return tool.Errorf(tool.Execution, "the bus cannot be reached for %v; worker %s is not heard", away, a.m).
			WithHint("It changes nothing, so nothing was done. Call again later.")
	case !a.begun:
		return tool.Errorf(tool.Execution, "the bus cannot be reached for %v; nothing was done", away).
			WithHint("Call again later.")
	}
	return tool.Errorf(tool.OutcomeUnknown,
		"the bus cannot be reached for %v, so worker %s is not heard; "+
			"what it was to do may have been done, in part or not at all", away, a.m).
		WithHint("It goes on there, to its end: look at what is there before you call again. Nothing repeats it.")
}

// givenUp is the error of a call that was cancelled, and whose worker said nothing to that.
func (j *job) givenUp(ctx context.Context, a *attempt) error {
	if !a.begun || j.spec.ReadOnly {
		return ctx.Err()
	}
	if !j.c.nc.IsConnected() {
		return unknown(a.m)
	}
	e := tool.Errorf(tool.Cancelled, "cancelled; the worker has not said yet how far it came")
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e = tool.Errorf(tool.TimedOut, "timed out; the worker has not said how far it came")
	}
	return e.WithHint("It may go on for a moment: look at what is there before you call again.")
}
