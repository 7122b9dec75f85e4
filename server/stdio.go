package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"helve/internal/rpc"
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
	defer c.close()
	defer w.Close()
	in, done := polled(in, out)
	defer done()
	ended := make(chan error, 1)
	go func() { ended <- c.readLines(in, w) }()
	select {
	case err = <-ended:
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

// readLines receives until the input ends.
func (c *connection) readLines(in io.Reader, out rpc.Out) error {
	lines := rpc.NewLineReader(in, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, rpc.ErrLong):
			if err = lines.Skip(); err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("read from the client: %w", err)
			}
			long := rpc.Errorf(
				rpc.CodeInvalidRequest,
				"invalid request: a message has more than %d bytes",
				maxLine,
			)
			c.Refuse(nil, long, out)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read from the client: %w", err)
		default:
			c.receive(line, out)
		}
	}
}

// receive takes one message as it came. Notifications have no answers, not even
// refusals.
func (c *connection) receive(line []byte, out rpc.Out) {
	m, bad := rpc.Parse(line)
	switch {
	case bad == nil:
		c.Receive(m, out)
	case m == nil:
		c.Refuse(nil, bad, out)
	case !m.Notification():
		c.Refuse(m.ID, bad, out)
	}
}
