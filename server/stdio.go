package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// maxLine bounds one message on stdin: above what a tool's arguments may hold,
// far below what a machine has.
const maxLine = 64 << 20

// Serve speaks to one client, a message a line, until in ends, ctx is done or
// the client is gone; then what runs is cancelled and the conversation ended.
// Only what the protocol says is written to out. The principal is "local".
//
// A read from in that does not come back is left behind when ctx is done. A pipe
// may be read over a descriptor of our own: cancel ctx rather than close in.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	w := rpc.NewLineWriter(out, 0)
	c, err := s.connect(connect{principal: "local", stdio: true}, w)
	if err != nil {
		return err
	}
	w.Crowd = c.Crowded
	defer c.close()
	defer w.Close()
	in, done := polled(in, out)
	defer done()
	r := &reading{
		conn:  c,
		lines: rpc.NewLineReader(in, maxLine),
		out:   w,
		ended: make(chan error, 1),
	}
	go r.read()
	select {
	case err = <-r.ended:
		c.drain(drainTime)
	case <-ctx.Done():
	case <-w.Broken():
		err = fmt.Errorf("write to the client: %w", w.Err())
	}
	return err
}

// drainTime is how long what runs may go on when the client's input has ended:
// a script that pipes its requests in reads the answers.
const drainTime = time.Second

// drain waits until nothing runs, for so long at most. What only waits for news
// has its answer now.
func (c *connection) drain(d time.Duration) {
	c.Finish(rpc.MethodListen)
	idle := make(chan struct{})
	go func() { // ends with the connection, if not before
		c.Wait()
		close(idle)
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	}
}

// A reading receives what the client says. One goroutine at a time reads: it serves what it read itself where nothing
// else is to be done, which saves waking another one for it. Another one goes on reading when that takes longer than a
// moment, and whoever comes back from serving then is not needed any more.
type reading struct {
	conn  *connection
	lines *rpc.LineReader
	out   rpc.Out
	ended chan error // gets why there is nothing more to read

	mu    sync.Mutex
	turn  int         // how often another one has read on
	since time.Time   // when whoever reads began to serve; zero: it reads
	late  *time.Timer // set while there are requests, for look; nil: it is not
}

// aMoment is how long what comes next may wait for a request that is served. The clock of a program at rest is no finer.
const aMoment = time.Millisecond

// read receives until the input ends, or another one reads on.
func (r *reading) read() {
	for {
		line, err := r.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			r.ended <- err
			return
		}
		q := r.conn.receive(line, r.out)
		switch {
		case q == nil:
		case r.lines.More() || r.conn.Running() > 0 || r.conn.apart(q):
			r.conn.Start(q)
		case !r.serve(q):
			return
		}
	}
}

// next is the next message. One that is too long is refused.
func (r *reading) next() ([]byte, error) {
	for {
		line, err := r.lines.Next()
		if errors.Is(err, rpc.ErrLong) {
			if err = r.lines.Skip(); err == nil || errors.Is(err, io.EOF) {
				r.refuseLong()
				continue
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = fmt.Errorf("read from the client: %w", err)
		}
		return line, err
	}
}

func (r *reading) refuseLong() {
	long := rpc.Errorf(
		rpc.CodeInvalidRequest,
		"invalid request: a message has more than %d bytes",
		maxLine,
	)
	r.conn.Refuse(nil, long, r.out)
}

// serve serves a request. It tells whether reading is still to be gone on with here.
func (r *reading) serve(q *rpc.Request) (still bool) {
	r.mu.Lock()
	r.since = time.Now()
	turn := r.turn
	if r.late == nil {
		r.late = time.AfterFunc(aMoment, r.look)
	}
	r.mu.Unlock()
	r.conn.Serve(r.conn.Life(), q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != turn {
		return false
	}
	r.since = time.Time{}
	return true
}

// look reads on in place of whoever serves for longer than a moment. It is not called for each request: a timer that
// is set and stopped for each costs more than to look now and then while there are any.
func (r *reading) look() {
	r.mu.Lock()
	r.late = nil
	if r.since.IsZero() {
		r.mu.Unlock()
		return
	}
	if rest := aMoment - time.Since(r.since); rest > 0 {
		r.late = time.AfterFunc(rest, r.look)
		r.mu.Unlock()
		return
	}
	r.since = time.Time{}
	r.turn++
	r.mu.Unlock()
	r.read()
}

// apart tells whether a request is better served by a goroutine of its own: a call of a tool whose work is done in other
// goroutines, because it may hang. Handing it over wakes a thread, which then stands ready for these; each of them would
// wake one otherwise, which by the profile costs a small call a sixth.
func (c *connection) apart(q *rpc.Request) bool {
	r, ok := q.Service().(*request)
	if !ok || q.Method != rpc.MethodCall {
		return false
	}
	c.mu.Lock()
	conv := c.conversation
	c.mu.Unlock()
	if conv == nil || !conv.opening.TryLock() {
		return true // it is opened first
	}
	kit := conv.kit
	conv.opening.Unlock()
	if kit == nil {
		return true
	}
	t, found := kit.View().Get(toolName(r.fields))
	_, immediate := t.(tool.Immediate)
	return found && !immediate
}

// toolName is the name in the parameters of tools/call.
func toolName(params []rawjson.Member) string {
	for _, m := range params {
		if m.Key == "name" {
			name, _ := rawjson.String(m.Value)
			return name
		}
	}
	return ""
}

// receive takes one message as it came. Notifications have no answers, not even
// refusals. A request is the caller's to have served.
func (c *connection) receive(line []byte, out rpc.Out) *rpc.Request {
	m, bad := rpc.Parse(line)
	switch {
	case bad == nil:
		return c.Take(m, out)
	case m == nil:
		c.Refuse(nil, bad, out)
	case !m.Notification():
		c.Refuse(m.ID, bad, out)
	}
	return nil
}
