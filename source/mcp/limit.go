package mcp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxWait bounds a call whose deadline moves on because the server asks back or reports progress.
const maxWait = 30 * time.Minute

// errLate is the cause of a context that limit ended.
var errLate = errors.New("deadline")

// A watch ends a call that takes too long. Time in which the server waits for an answer of ours, or reports progress, does not count.
type watch struct {
	mu    sync.Mutex
	timer *time.Timer
	done  bool
}

func (c *conn) limit(ctx context.Context, d time.Duration, w *waiting) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	start := time.Now()
	t := &watch{}
	t.mu.Lock()
	t.timer = time.AfterFunc(d, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		rest := d - time.Since(time.Unix(0, w.moved.Load()))
		if c.asking.Load() > 0 {
			rest = d
		}
		if !t.done && rest > 0 && time.Since(start) < maxWait {
			t.timer.Reset(rest)
			return
		}
		cancel(errLate)
	})
	t.mu.Unlock()
	return ctx, func() {
		t.mu.Lock()
		t.done = true
		t.timer.Stop()
		t.mu.Unlock()
		cancel(nil)
	}
}

// explained tells a deadline of ours from a caller that went away.
func explained(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errLate) {
		return errLate
	}
	return err
}
