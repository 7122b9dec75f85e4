package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"runtime"
	"sync"
	"time"
)

const (
	// readBuffer is how much is read at a time: as much as a pipe holds.
	readBuffer = 64 << 10
	// keptLine is how much memory is kept for the next long line, or the next
	// large write.
	keptLine = 1 << 20
	// maxUnsent is how many bytes may wait for a side that does not read; who
	// has more to say waits.
	maxUnsent = 8 << 20
)

// ErrLong says that a line is longer than the reader takes.
var ErrLong = errors.New("line too long")

// A LineReader reads messages, a line each. It is for one goroutine.
type LineReader struct {
	in   *bufio.Reader
	max  int
	long []byte // where a line that is longer than the buffer comes together

	tail  []byte // the end of what was read of a line that was too long
	ended bool   // that was all of it
}

// NewLineReader reads lines of at most max bytes.
func NewLineReader(in io.Reader, max int) *LineReader {
	return &LineReader{in: bufio.NewReaderSize(in, readBuffer), max: max}
}

// Next is the next line that is not empty, without space around it, in memory
// of its own: the members of a message live on in results. ErrLong is followed
// by Skip, or by nothing.
func (l *LineReader) Next() ([]byte, error) {
	for {
		line, err := l.line()
		line = bytes.TrimSpace(line)
		if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
			return bytes.Clone(line), nil // what stopped in mid-line fails again
		}
		if err != nil {
			return nil, err
		}
	}
}

// More tells that there is more of what was read at once.
func (l *LineReader) More() bool { return l.in.Buffered() > 0 }

// line is the next line, or what there is of it; it lasts until the next call.
func (l *LineReader) line() ([]byte, error) {
	if cap(l.long) > keptLine {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if err == nil && len(l.long) == 0 {
			return part, nil
		}
		if len(l.long)+len(part) > l.max {
			l.tail = append(l.tail[:0], part[max(0, len(part)-aroundID):]...)
			l.ended = err == nil
			return nil, ErrLong
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// Skip goes on to the end of a line that was too long.
func (l *LineReader) Skip() error {
	_, err := l.skip()
	return err
}

// skip is Skip, with the end of the line.
func (l *LineReader) skip() (tail []byte, err error) {
	tail = l.tail
	if l.ended {
		l.ended = false
		return tail, nil
	}
	for {
		part, err := l.in.ReadSlice('\n')
		tail = append(tail, part[max(0, len(part)-aroundID):]...)
		tail = tail[max(0, len(tail)-aroundID):]
		if !errors.Is(err, bufio.ErrBufferFull) {
			return tail, err
		}
	}
}

// aroundID is how much of a line's beginning and end is looked at for the id of a message that was too long: writers put
// it first or last.
const aroundID = 2 * maxID

// longID finds the id of a message by its beginning, and by its end. They are compiled when one was too long: starts of
// the program do not pay for it.
var longID = sync.OnceValue(func() (found struct{ first, last *regexp.Regexp }) {
	found.first = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")\s*,`)
	found.last = regexp.MustCompile(`,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
	return found
})

// SkipMessage goes on to the end of a message that was too long, and answers in its place if it bears an id.
func (l *LineReader) SkipMessage() (*Message, error) {
	head := bytes.Clone(l.long[:min(len(l.long), aroundID)])
	tail, err := l.skip()
	if err != nil {
		return nil, err
	}
	found := longID().first.FindSubmatch(head)
	if found == nil {
		found = longID().last.FindSubmatch(tail)
	}
	if found == nil {
		return nil, ErrLong
	}
	return &Message{ID: found[1], Err: Errorf(CodeInternal, "the answer has more than %d bytes: ask for less at a time", l.max)}, nil
}

// A LineWriter writes messages, a line each. What several senders have to say
// at once goes out in one write. It is an Out, safe for concurrent use.
type LineWriter struct {
	// Crowd tells that others are about to send, too: they are let to do it before what there is goes out. nil: nobody
	// knows of any. Set before use.
	Crowd func() bool

	to      io.Writer
	timeout time.Duration
	broken  chan struct{} // closed when a write failed; err says why
	err     error
	beside  chan written // of a write that another goroutine has not come back from; whoever writes uses it

	mu      sync.Mutex
	space   *sync.Cond
	pending []byte
	spare   []byte
	writing bool
	closed  bool
}

var _ Out = (*LineWriter)(nil)

// NewLineWriter writes to w. A write that takes longer than timeout breaks it;
// 0: no bound.
func NewLineWriter(w io.Writer, timeout time.Duration) *LineWriter {
	l := &LineWriter{to: w, timeout: timeout, broken: make(chan struct{})}
	l.space = sync.NewCond(&l.mu)
	return l
}

// Broken is closed when a write failed: half a message breaks the framing, so
// nothing more is written. Err says why.
func (l *LineWriter) Broken() <-chan struct{} { return l.broken }

// Err is why a write failed; call it when Broken is closed.
func (l *LineWriter) Err() error { return l.err }

// Close lets those who wait go.
func (l *LineWriter) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.space.Broadcast()
}

var errClosedWriter = errors.New("the other side is gone")

// Send writes a message, or leaves it to whoever is writing. It waits while
// more than 8 MB are unwritten. With an error the message did not go out: half
// of one says nothing to the other side.
func (l *LineWriter) Send(ctx context.Context, m *Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) > maxUnsent {
		defer context.AfterFunc(ctx, l.wake)()
	}
	for len(l.pending) > maxUnsent && !l.closed && ctx.Err() == nil {
		l.space.Wait()
	}
	if l.closed {
		return errClosedWriter
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.pending = append(m.Append(l.pending), '\n')
	if l.writing {
		return nil // whoever writes takes it along
	}
	return l.flush(len(l.pending))
}

// Answer is Send.
func (l *LineWriter) Answer(ctx context.Context, m *Message) error { return l.Send(ctx, m) }

func (l *LineWriter) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.space.Broadcast()
}

// flush writes what is pending until nothing is. The error says that the first
// bytes, so many, did not all go out: what becomes of the rest is told by Broken.
// l.mu is held on entry and exit, and not while writing.
func (l *LineWriter) flush(own int) error {
	l.writing = true
	if l.Crowd != nil && l.Crowd() {
		l.mu.Unlock()
		runtime.Gosched()
		l.mu.Lock()
	}
	for len(l.pending) > 0 && !l.closed {
		out := l.pending
		l.pending = l.spare[:0]
		l.mu.Unlock()
		n, err := l.write(out, min(l.timeout, patience))
		l.mu.Lock()
		if l.timeout > patience && errors.Is(err, os.ErrDeadlineExceeded) {
			go l.writeRest(out, n) // ends after timeout
			return nil
		}
		if err := l.wrote(out, err); err != nil {
			if n >= own {
				return nil
			}
			return err
		}
		own = 0 // it is out
	}
	l.writing = false
	return nil
}

// patience is how long a sender waits for the other side to read. After that its message is on its way, and it may see
// whether anybody waits for it still.
const patience = 100 * time.Millisecond

// writeRest goes on with a write of which n bytes are out, and then with what is pending.
func (l *LineWriter) writeRest(out []byte, n int) {
	_, err := l.write(out[n:], l.timeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrote(out, err) == nil {
		_ = l.flush(0) // Broken tells of it
	}
}

// wrote notes what became of a write. l.mu is held.
func (l *LineWriter) wrote(out []byte, err error) error {
	l.spare = nil
	if cap(out) <= keptLine {
		l.spare = out
	}
	l.space.Broadcast()
	if err == nil {
		return nil
	}
	l.closed, l.err = true, err
	close(l.broken)
	return errClosedWriter
}

// write writes within a time, 0 for any.
func (l *LineWriter) write(b []byte, within time.Duration) (int, error) {
	if within <= 0 {
		return l.to.Write(b)
	}
	d, ok := l.to.(interface{ SetWriteDeadline(time.Time) error })
	if ok && d.SetWriteDeadline(time.Now().Add(within)) == nil {
		return l.to.Write(b)
	}
	return l.writeBeside(b, within)
}

// A written is what became of a write.
type written struct {
	n   int
	err error
}

// writeBeside is write for what has no deadlines, as pipes on Windows: another goroutine writes, which ends when the
// other side has read or the pipe is closed. Where the time was not enough, the next call waits for the same bytes.
func (l *LineWriter) writeBeside(b []byte, within time.Duration) (int, error) {
	if l.beside == nil {
		done := make(chan written, 1)
		l.beside = done
		go func() {
			n, err := l.to.Write(b)
			done <- written{n, err}
		}()
	}
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case w := <-l.beside:
		l.beside = nil
		return w.n, w.err
	case <-t.C:
		return 0, os.ErrDeadlineExceeded
	}
}
