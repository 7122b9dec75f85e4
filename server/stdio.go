package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// maxLine bounds one message on stdin: above what a tool's arguments may hold, far below what a machine has.
	maxLine = 64 << 20
	// maxUnsent is how many bytes may wait for a client that does not read; who has more to say waits.
	maxUnsent = 8 << 20
)

// Serve speaks to one client, a message a line, until in ends, ctx is done or the client is gone; then what runs is cancelled and the
// conversation ended. Only what the protocol says is written to out. The principal is "local".
//
// A read from in that does not come back is left behind when ctx is done.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	w := newLineWriter(out)
	p, err := s.join(&peer{principal: "local", side: w})
	if err != nil {
		return err
	}
	defer p.close()
	defer w.close()
	ended := make(chan error, 1)
	go func() { ended <- p.readLines(in, w) }()
	select {
	case err = <-ended:
		p.drain(lastWords)
	case <-ctx.Done():
	case <-w.broken:
		err = w.err
	}
	return err
}

// lastWords is how long what runs may go on when the client's input has ended: a script that pipes its requests in reads the answers.
const lastWords = time.Second

// drain waits until nothing runs, for so long at most. What only waits for news has its answer now.
func (p *peer) drain(d time.Duration) {
	p.mu.Lock()
	for _, r := range p.inflight {
		if r.method == "subscriptions/listen" && r.stop != nil {
			r.stop()
		}
	}
	p.mu.Unlock()
	idle := make(chan struct{})
	go func() { p.wg.Wait(); close(idle) }() // ends with the peer, if not before
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	}
}

// readLines receives until the input ends.
func (p *peer) readLines(in io.Reader, out stream) error {
	br := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(br)
		switch {
		case errors.Is(err, errLong):
			out.reply(p.life, encodeError(nil, errorf(codeInvalidRequest, "invalid request: a message has more than %d bytes", maxLine)))
			continue
		case err == nil || len(bytes.TrimSpace(line)) > 0:
			if line = bytes.TrimSpace(line); len(line) > 0 {
				p.receive(line, out)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read from the client: %w", err)
		}
	}
}

var errLong = errors.New("line too long")

// readLine reads one line into memory of its own: what is made of it aliases it. One that is too long is skipped to its end.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := br.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLong
		default:
			return line, err
		}
	}
}

// A lineWriter writes messages, a line each. What several senders have to say at once goes out in one write; nobody waits for another's
// write longer than maxUnsent allows.
type lineWriter struct {
	to     io.Writer
	broken chan struct{} // closed when a write failed; err says why
	err    error

	mu      sync.Mutex
	room    *sync.Cond
	pending []byte
	spare   []byte
	writing bool
	closed  bool
}

func newLineWriter(to io.Writer) *lineWriter {
	w := &lineWriter{to: to, broken: make(chan struct{})}
	w.room = sync.NewCond(&w.mu)
	return w
}

// close lets those who wait go.
func (w *lineWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.room.Broadcast()
}

func (w *lineWriter) send(ctx context.Context, msg []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) > maxUnsent {
		defer context.AfterFunc(ctx, w.wake)()
	}
	for len(w.pending) > maxUnsent && !w.closed && ctx.Err() == nil {
		w.room.Wait()
	}
	if w.closed {
		return errGone
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.pending = append(append(w.pending, msg...), '\n')
	if w.writing {
		return nil // whoever writes takes it along
	}
	return w.flush()
}

func (w *lineWriter) reply(ctx context.Context, msg []byte) error { return w.send(ctx, msg) }

func (w *lineWriter) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.room.Broadcast()
}

// flush writes what is pending until nothing is. w.mu is held on entry and exit.
func (w *lineWriter) flush() error {
	w.writing = true
	for len(w.pending) > 0 && !w.closed {
		out := w.pending
		w.pending = w.spare[:0]
		w.mu.Unlock()
		_, err := w.to.Write(out)
		w.mu.Lock()
		w.spare = nil
		if cap(out) <= 1<<20 {
			w.spare = out
		}
		w.room.Broadcast()
		if err != nil {
			w.closed, w.err = true, fmt.Errorf("write to the client: %w", err)
			close(w.broken)
			return errGone
		}
	}
	w.writing = false
	return nil
}
