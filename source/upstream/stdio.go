package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

const (
	// maxLine bounds one message: 16 MiB is the bound of the official SDK, too.
	maxLine = 16 << 20
	// maxBatch bounds a batch, which one old version of the protocol had.
	maxBatch = 1000
	// tailKept is how much of stderr's end is in errors, in bytes.
	tailKept = 4 << 10
	// noiseKept is how much of a line that is no message is shown, in bytes;
	// noiseLines how many such lines are.
	noiseKept  = 200
	noiseLines = 20
	// writeTime bounds one write: a server that reads nothing for so long will
	// not read any more.
	writeTime = 10 * time.Second
	// leaveTime is what a server gets to leave once its stdin is closed.
	leaveTime = 500 * time.Millisecond
	// whyTime is how long the exit status of a server that closed its stdout is
	// waited for. Nearly all have left by then; on a machine that is busy
	// collecting them takes its time, and the status says most of why.
	whyTime = 3 * time.Second
)

// A stdio is a program as a pipe of messages.
type stdio struct {
	proc Process
	in   *rpc.LineWriter
	out  *rpc.LineReader
	tail *tail

	queue []*rpc.Message // the rest of a batch
	noise int
	once  sync.Once
}

var _ pipe = (*stdio)(nil)

// openStdio starts a program. It is ended by close, and before that by itself or
// by a write that it does not take. Its stderr is written to log as well.
func openStdio(l Launcher, c Command, log io.Writer) (*stdio, error) {
	t := &tail{most: tailKept}
	c.Stderr = io.MultiWriter(t, log) // neither ever fails
	p, err := l.Launch(c)
	if err != nil {
		return nil, err
	}
	in, out := p.Pipe()
	return &stdio{
		proc: p,
		in:   rpc.NewLineWriter(in, writeTime),
		out:  rpc.NewLineReader(out, maxLine),
		tail: t,
	}, nil
}

// Send writes one message. A write that failed half-way has broken the framing:
// the process is ended. ctx may be done because the connection has ended: what
// did not go out is rpc.ErrUnsent then, too.
func (s *stdio) Send(ctx context.Context, m *rpc.Message) error {
	err := s.in.Send(ctx, m)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ctx.Err()):
		return rpc.Unsent(errors.New("nobody waited until it could be sent"))
	}
	go s.close()
	return rpc.Unsent(s.why(io.ErrClosedPipe))
}

// Answer is Send.
func (s *stdio) Answer(ctx context.Context, m *rpc.Message) error { return s.Send(ctx, m) }

// receive reads the next message. Lines that are none are left out. The error
// says how the server ended.
func (s *stdio) receive() (*rpc.Message, error) {
	for {
		if len(s.queue) > 0 {
			m := s.queue[0]
			s.queue = s.queue[1:]
			return m, nil
		}
		line, err := s.out.Next()
		if errors.Is(err, rpc.ErrLong) {
			if m, err := s.out.SkipMessage(); err == nil {
				return m, nil
			}
			return nil, errLine
		}
		if err != nil {
			return nil, s.why(err)
		}
		s.queue = s.decode(line)
	}
}

var errLine = fmt.Errorf("a message of more than %d bytes", maxLine)

// decode reads a line: one message, a batch of them, or noise.
func (s *stdio) decode(line []byte) []*rpc.Message {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if rpc.FirstByte(line) != '[' {
		return s.one(nil, line)
	}
	batch, err := rawjson.Array(line)
	if err != nil || len(batch) > maxBatch {
		s.heard(line)
		return nil
	}
	var out []*rpc.Message
	for _, b := range batch {
		out = s.one(out, b)
	}
	return out
}

// one appends the message in b, if it is one.
func (s *stdio) one(out []*rpc.Message, b []byte) []*rpc.Message {
	m := rpc.ParseLoosely(b)
	if m == nil {
		s.heard(b)
		return out
	}
	return append(out, m)
}

// heard keeps a line that is no message together with what stderr said: a
// banner, or the reason why nothing works.
func (s *stdio) heard(line []byte) {
	if s.noise++; s.noise <= noiseLines {
		fmt.Fprintf(s.tail, "[stdout] %s\n", line[:min(len(line), noiseKept)])
	}
}

// why is the reason for an end, with the last words of stderr.
func (s *stdio) why(err error) error {
	select {
	case <-s.proc.Done():
		err = errors.New(s.proc.Exit())
	case <-time.After(whyTime):
	}
	if said := s.tail.String(); said != "" {
		return &lastWords{err, said}
	}
	return err
}

// lastWords are how a program ended, with the end of what it wrote to stderr.
type lastWords struct {
	err  error
	said string
}

func (e *lastWords) Error() string { return e.err.Error() + "; it said: " + e.said }
func (e *lastWords) Unwrap() error { return e.err }

// close lets those who wait for a write go first: the program may be gone only when
// nobody holds its stdin.
func (s *stdio) close() {
	s.once.Do(func() {
		s.in.Close()
		s.proc.End(leaveTime)
	})
	<-s.proc.Done()
}
