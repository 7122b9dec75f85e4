package wrap

import (
	"context"
	"time"

	"helve/tool"
)

// grace is what a job gets after its context is done to come back with what it has: a partial output is worth more than none.
const grace = 500 * time.Millisecond

// Timeout ends a job after the time that limit gives it, 0 for none. A job that does not come back after its context is done is left
// behind: its goroutine ends when the tool returns, if ever. Time spent waiting outside this middleware does not count.
func Timeout(limit func(*tool.Job) time.Duration) func(tool.Runner) tool.Runner {
	return func(next tool.Runner) tool.Runner {
		return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
			d := limit(j)
			inner, cancel := context.WithCancel(ctx)
			if d > 0 {
				inner, cancel = context.WithTimeout(ctx, d)
			}
			defer cancel()
			return wait(ctx, inner, next, j, d)
		}
	}
}

type outcome struct {
	res *tool.Result
	err error
}

func wait(ctx, inner context.Context, next tool.Runner, j *tool.Job, d time.Duration) (*tool.Result, error) {
	done := make(chan outcome, 1)
	go func() {
		res, err := next(inner, j)
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
		return late(ctx, o, j, d)
	case <-patience.C:
		return nil, overdue(ctx, j, d)
	}
}

// late is what became of a job that came back in its grace: its own result if it has one, else the reason for the end.
func late(ctx context.Context, o outcome, j *tool.Job, d time.Duration) (*tool.Result, error) {
	if o.err == nil && o.res != nil {
		return o.res, nil
	}
	return nil, overdue(ctx, j, d)
}

func overdue(ctx context.Context, j *tool.Job, d time.Duration) error {
	if ctx.Err() != nil {
		return tool.Errorf(tool.Cancelled, "%s: cancelled", j.Call.Name)
	}
	return tool.Errorf(tool.TimedOut, "%s: timed out after %v", j.Call.Name, d).
		WithHint("Ask for less at once; the work may have been done in part.")
}
