package rpc

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxWait bounds a call whose deadline moves on, because the other side asks
// back or reports progress.
const maxWait = 30 * time.Minute

// ErrLate is the cause of a context whose patience ended.
var ErrLate = errors.New("deadline")

// Limit ends a call that takes longer than d. Time in which the other side
// waits for an answer of ours, or reports progress, does not count.
func (p *Peer) Limit(ctx context.Context, d time.Duration, c *Call) (context.Context, func()) {
	return Patient(ctx, d, func() time.Duration {
		if p.Running() > 0 {
			return d
		}
		return d - time.Since(time.Unix(0, c.moved.Load()))
	})
}

// deadline ends a context when its time is over and nobody asks for more.
type deadline struct {
	mu     sync.Mutex
	timer  *time.Timer
	done   bool
	start  time.Time
	more   func() time.Duration
	cancel context.CancelCauseFunc
}

// Patient is a context that ends after d, or as much later as more says when
// its time has come, up to half an hour in all. Its cause is then ErrLate. The
// returned function must be called.
func Patient(ctx context.Context, d time.Duration, more func() time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &deadline{start: time.Now(), more: more, cancel: cancel}
	t.mu.Lock()
	t.timer = time.AfterFunc(d, t.due)
	t.mu.Unlock()
	return ctx, t.end
}

func (t *deadline) due() {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := t.more()
	if !t.done && rest > 0 && time.Since(t.start) < maxWait {
		t.timer.Reset(rest)
		return
	}
	t.cancel(ErrLate)
}

func (t *deadline) end() {
	t.mu.Lock()
	t.done = true
	t.timer.Stop()
	t.mu.Unlock()
	t.cancel(nil)
}

// Explained tells a deadline of ours from a caller that went away.
func Explained(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrLate) {
		return ErrLate
	}
	return err
}
