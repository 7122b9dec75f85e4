package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/spawn"
)

const (
	// maxLine bounds one message: 16 MiB is the bound of the official SDK, too.
	maxLine = 16 << 20
	// keptLine is how much memory is kept for the next long message.
	keptLine = 1 << 20
	// maxBatch bounds a batch, which one old version of the protocol had.
	maxBatch = 1000
	// tailKept is how much of stderr's end stands in errors, in bytes.
	tailKept = 4 << 10
	// noiseKept is how much of a line that is no message is shown.
	noiseKept = 200
	// writeTime bounds one write: a server that reads nothing for so long will not read any more.
	writeTime = 10 * time.Second
	// leaveTime is what a server gets to leave once its stdin is closed.
	leaveTime = 500 * time.Millisecond
	// whyTime is how long the exit status of a server that closed its stdout is waited for. Nearly all have left by then; on a machine that
	// is busy collecting them takes its time, and the status says most of why.
	whyTime = 3 * time.Second
)

// A Launcher starts programs in a way of its own: confined, say.
type Launcher interface {
	Launch(Command) (Process, error)
}

// A Command is a program that a Launcher starts.
type Command struct {
	Argv   []string
	Dir    string
	Env    []string  // the whole environment
	Stderr io.Writer // written to until the process has ended
}

// A Process is a program that was started.
type Process interface {
	Pipe() (stdin io.WriteCloser, stdout io.Reader) // the same two at every call
	Done() <-chan struct{}                          // closed when it has ended, with all that it started
	Exit() string                                   // how: exit status 1, ended by SIGKILL; after Done
	End(grace time.Duration)                        // closes stdin, waits for grace, ends the whole tree; returns when it is gone
}

type plainLauncher struct{}

type plainProcess struct{ *spawn.Process }

func (plainLauncher) Launch(c Command) (Process, error) {
	p, err := spawn.Start(spawn.Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Stderr: c.Stderr})
	if err != nil {
		return nil, err
	}
	return plainProcess{p}, nil
}

func (p plainProcess) Pipe() (io.WriteCloser, io.Reader) { return p.Stdin, p.Stdout }
func (p plainProcess) Exit() string                      { return p.Process.Exit().String() }

// A stdio is a program as a pipe of messages.
type stdio struct {
	proc Process
	in   io.WriteCloser
	out  *bufio.Reader
	tail *tail
	turn chan struct{} // holds one token: who has it writes

	queue []*message // the rest of a batch
	long  []byte     // where a message that is longer than out comes together
	noise int
	once  sync.Once
}

func openStdio(l Launcher, c Command) (*stdio, error) {
	t := &tail{}
	c.Stderr = t
	p, err := l.Launch(c)
	if err != nil {
		return nil, err
	}
	in, out := p.Pipe()
	s := &stdio{proc: p, in: in, out: bufio.NewReaderSize(out, 64<<10), tail: t, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s, nil
}

// send writes one message. A write that failed half-way has broken the framing: the process is ended.
func (s *stdio) send(ctx context.Context, m *message) error {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.proc.Done():
		return s.why(io.ErrClosedPipe)
	}
	defer func() { s.turn <- struct{}{} }()
	if d, ok := s.in.(interface{ SetWriteDeadline(time.Time) error }); ok {
		d.SetWriteDeadline(time.Now().Add(writeTime))
	}
	if _, err := s.in.Write(append(m.encode(), '\n')); err != nil {
		go s.close()
		return s.why(err)
	}
	return nil
}

// receive reads the next message. Lines that are none are left out. The error says how the server ended.
func (s *stdio) receive() (*message, error) {
	for {
		if len(s.queue) > 0 {
			m := s.queue[0]
			s.queue = s.queue[1:]
			return m, nil
		}
		line, err := s.line()
		if err != nil {
			return nil, s.why(err)
		}
		s.queue = s.decode(line)
	}
}

func (s *stdio) decode(line []byte) []*message {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if len(line) == 0 {
		return nil
	}
	parts := [][]byte{line}
	if line[0] == '[' {
		batch, err := rawjson.Array(line)
		if err != nil || len(batch) > maxBatch {
			s.heard(line)
			return nil
		}
		parts = parts[:0]
		for _, b := range batch {
			parts = append(parts, b)
		}
	}
	var out []*message
	for _, p := range parts {
		if m, err := decode(p); err == nil {
			out = append(out, m)
		} else {
			s.heard(p)
		}
	}
	return out
}

// heard keeps a line that is no message beside what stderr said: a banner, or the reason why nothing works.
func (s *stdio) heard(line []byte) {
	if s.noise++; s.noise <= 20 {
		fmt.Fprintf(s.tail, "[stdout] %s\n", line[:min(len(line), noiseKept)])
	}
}

var errLine = fmt.Errorf("a message of more than %d bytes", maxLine)

func (s *stdio) line() ([]byte, error) {
	if cap(s.long) > keptLine {
		s.long = nil
	}
	s.long = s.long[:0]
	for {
		part, err := s.out.ReadSlice('\n')
		if err == nil && len(s.long) == 0 {
			return bytes.Clone(part), nil // the members of the message live on in results
		}
		if s.long = append(s.long, part...); err == nil {
			return bytes.Clone(s.long), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(s.long) > maxLine {
			return nil, errLine
		}
	}
}

// why is the reason for an end, with the last words of stderr.
func (s *stdio) why(err error) error {
	if errors.Is(err, errLine) {
		return err
	}
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

func (s *stdio) close() {
	s.once.Do(func() { s.proc.End(leaveTime) })
	<-s.proc.Done()
}

// A tail keeps the end of what is written to it. Safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-tailKept):]...)
	if len(t.buf) > 2*tailKept {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailKept:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, _ := rawjson.Visible(strings.ToValidUTF8(string(t.buf[max(0, len(t.buf)-tailKept):]), ""))
	return strings.TrimSpace(s)
}
