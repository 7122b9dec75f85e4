package search

import (
	"context"
	"io"
)

// interruptible is a writer to w that a context ends. A write waits for whoever reads: a pager that shows its first
// page, a pipe that nobody empties. It would outlast the signal that is meant to end the program, so it is left behind:
// the program ends before it does. Not for several callers at once.
func interruptible(ctx context.Context, w io.Writer) io.Writer {
	return &interruptibleWriter{ctx: ctx, to: w, done: make(chan written, 1)}
}

type interruptibleWriter struct {
	ctx  context.Context // that of one command, which the writer does not outlive
	to   io.Writer
	done chan written
}

type written struct {
	n   int
	err error
}

// Write writes a copy of p, which a write that was left behind may read after its caller has p again.
func (w *interruptibleWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil { // and behind a write that was left no other begins
		return 0, err
	}
	own := append([]byte(nil), p...)
	go func() {
		n, err := w.to.Write(own)
		w.done <- written{n, err}
	}()
	select {
	case out := <-w.done:
		return out.n, out.err
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
}
