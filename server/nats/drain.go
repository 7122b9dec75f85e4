package natsbus

import (
	"context"
	"errors"
)

// Drain takes no new runs, lets those that run come to their end, and goes. Where ctx ends first they are cancelled. A
// second Drain does nothing.
func (w *Worker) Drain(ctx context.Context) error {
	if !w.runs.shut() {
		return nil
	}
	w.announce(false)
	w.runs.emptyQueue()
	err := w.runs.emptied(ctx)
	if err != nil {
		w.runs.cancelAll()
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer stop()
		_ = w.runs.emptied(last) // what does not listen is left behind
	}
	w.announce(true)
	w.stop()
	return errors.Join(err, w.sessions.closeAll())
}
