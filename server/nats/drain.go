package natsbus

import (
	"context"
	"errors"
	"time"
)

// Drain takes no new runs, lets those that run come to their end, and goes. Where ctx ends first they are cancelled. A
// second Drain does nothing.
func (w *Worker) Drain(ctx context.Context) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed, w.draining = true, true
	w.mu.Unlock()
	w.announce(false)
	w.emptyQueue()
	err := w.emptied(ctx)
	if err != nil {
		w.cancelAll()
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer stop()
		_ = w.emptied(last) // what does not listen is left behind
	}
	w.announce(true)
	w.stop()
	return errors.Join(err, w.closeSessions())
}

// cancelTime is what runs have to come back that were cancelled.
const cancelTime = 2 * time.Second

// emptied waits until nothing runs, and all that ran has told what it came to.
func (w *Worker) emptied(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		left := w.running + w.sending
		w.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (w *Worker) cancelAll() {
	for _, r := range w.alive() {
		r.stop()
	}
}

// stop ends what the worker started.
func (w *Worker) stop() {
	if !w.nc.IsClosed() {
		_ = w.nc.FlushTimeout(cancelTime) // the results that were sent last
	}
	for _, s := range w.subs {
		_ = s.Unsubscribe() // of a closed connection it is none any more
	}
	w.end()
	w.work.Wait()
}
