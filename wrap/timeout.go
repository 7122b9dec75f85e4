package wrap

import (
	"context"
	"time"

	"helve/internal/deep"
	"helve/tool"
)

// grace is what a job gets after its context is done to come back with what it has: a partial output is worth more than
// none.
const grace = 500 * time.Millisecond

// remoteTime is how much later a job is ended that another host runs and ends by itself: its own word on what it had
// done until then is worth more than ours.
const remoteTime = 2 * time.Second

// Timeout ends a job after the time that limit gives it, 0 for none. A job that does not come back after its context is
// done is left behind: its goroutine ends when the tool returns, if ever. One that says that it is prompt has none. Time spent waiting outside this middleware
// does not count.
func Timeout(limit func(*tool.Job) time.Duration) func(tool.Runner) tool.Runner {
	return func(next tool.Runner) tool.Runner {
		return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
			d := limit(j)
			if d > 0 && j.Remote {
				d += remoteTime
			}
			inner, cancel := within(ctx, d)
			defer cancel()
			t := timed{job: j, limit: d, over: func() bool { return ctx.Err() != nil }}
			if j.Prompt {
				return t.await(inner, next)
			}
			return t.run(inner, next)
		}
	}
}

// within is a context that ends after d, if that is a time, and with cancel.
func within(ctx context.Context, d time.Duration) (inner context.Context, cancel context.CancelFunc) {
	if d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return context.WithCancel(ctx)
}

// A timed job is one that is waited for.
type timed struct {
	job   *tool.Job
	limit time.Duration
	over  func() bool // the caller wants no result any more; the limit alone says nothing of that
}

type outcome struct {
	res *tool.Result
	err error
}

func (t *timed) run(inner context.Context, next tool.Runner) (*tool.Result, error) {
	done := make(chan outcome, 1) // who comes late finds room, and its goroutine ends
	go func() {
		deep.Stack()
		res, err := next(inner, t.job)
		done <- outcome{res, err}
	}()
	select {
	case o := <-done:
		return o.res, o.err
	case <-inner.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case o := <-done:
		return t.late(o)
	case <-patience.C:
		return nil, t.overdue()
	}
}

// await runs a job that comes back by itself.
func (t *timed) await(inner context.Context, next tool.Runner) (*tool.Result, error) {
	res, err := next(inner, t.job)
	if inner.Err() != nil {
		return t.late(outcome{res, err})
	}
	return res, err
}

// late is what became of a job that came back in its grace: its own result if it has one, else the reason for the end.
func (t *timed) late(o outcome) (*tool.Result, error) {
	if o.err == nil && o.res != nil {
		return o.res, nil
	}
	return nil, t.overdue()
}

func (t *timed) overdue() error {
	name := t.job.Call.Name
	if t.over() {
		return tool.ErrorOf(tool.Cancelled, name, "cancelled")
	}
	return tool.ErrorOf(tool.TimedOut, name, "timed out after %v", t.limit).
		WithHint("Ask for less at once; the work may have been done in part.")
}
