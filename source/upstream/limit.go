package upstream

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

// A watch ends what takes too long.
type watch struct {
	mu    sync.Mutex
	timer *time.Timer
	done  bool
}

// limit ends a call that takes too long. Time in which the server waits for an answer of ours, or reports progress, does not count.
func (c *conn) limit(ctx context.Context, d time.Duration, w *waiting) (context.Context, func()) {
	return patient(ctx, d, func() time.Duration {
		if c.asking.Load() > 0 {
			return d
		}
		return d - time.Since(time.Unix(0, w.moved.Load()))
	})
}

// patient is a context that ends after d, or as much later as more says when it would, up to maxWait. Its cause is then errLate.
func patient(ctx context.Context, d time.Duration, more func() time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	start := time.Now()
	t := &watch{}
	t.mu.Lock()
	t.timer = time.AfterFunc(d, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if rest := more(); !t.done && rest > 0 && time.Since(start) < maxWait {
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
