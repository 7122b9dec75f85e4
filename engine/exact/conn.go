package exact

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	// writeTime bounds one write: a server that reads nothing for so long will not read any more.
	writeTime = 10 * time.Second
	// maxUnasked bounds the bytes that a server sends between two answers: reports of progress and problems are some
	// kB.
	maxUnasked = 32 << 20
	// maxQueue bounds the messages that a server has not read yet: a batch of questions, each with a text before it,
	// and the texts that are taken back for it, are two hundred.
	maxQueue = 1024
)

var (
	errDeaf  = errors.New("the language server does not read what it is asked")
	errFlood = errors.New("the language server sends more than anybody asked for")
)

// A message is one of either protocol: what the server answers, asks or reports.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	// These are tsserver's.
	Type    string          `json:"type"`
	Request int64           `json:"request_seq"`
	Success bool            `json:"success"`
	Body    json.RawMessage `json:"body"`
}

// reply is what came for a call; nil Result: the server refused it.
type reply struct{ result json.RawMessage }

// A conn carries messages to a server and back. Safe for concurrent use.
type conn struct {
	in      io.Writer
	framed  bool                           // what is sent has headers, too
	answers func(*message) json.RawMessage // to what the server asks; nil: nothing is answered

	queue chan []byte // what is to be written: nobody waits for a server that does not read

	mu      sync.Mutex
	last    int64
	pending map[int64]chan reply
	err     error         // why it ended
	ended   chan struct{} // closed then
}

func newConn(in io.Writer, framed bool, answers func(*message) json.RawMessage) *conn {
	return &conn{
		in:      in,
		framed:  framed,
		answers: answers,
		queue:   make(chan []byte, maxQueue),
		pending: map[int64]chan reply{},
		ended:   make(chan struct{}),
	}
}

// read takes what comes until the server ends, or sends what cannot be. The caller ends the server then.
func (c *conn) read(out io.Reader) {
	r := bufio.NewReaderSize(out, headerBytes)
	unasked := 0
	for {
		data, err := readFrame(r)
		if err != nil {
			c.end(err)
			return
		}
		m := &message{}
		if err := json.Unmarshal(data, m); err != nil {
			c.end(fmt.Errorf("%w: %w", errFrame, err))
			return
		}
		if c.take(m) {
			unasked = 0
			continue
		}
		if unasked += len(data); unasked > maxUnasked {
			c.end(errFlood)
			return
		}
	}
}

// take passes an answer on to who waits for it, and answers what the server asks. It tells whether somebody had waited.
func (c *conn) take(m *message) bool {
	id, answer := m.Request, m.Result
	switch {
	case m.Type == "response":
		if answer = nil; m.Success {
			answer = m.Body
		}
	case m.Type != "":
		return false
	case m.Method != "":
		if len(m.ID) > 0 && c.answers != nil {
			c.answer(m)
		}
		return false
	default:
		var err error
		id, err = strconv.ParseInt(string(m.ID), 10, 64)
		if err != nil {
			return false
		}
	}
	c.mu.Lock()
	to := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if to == nil {
		return false // nobody waits any more, or ever did
	}
	to <- reply{answer}
	return true
}

// answer tells the server what it asked for.
func (c *conn) answer(m *message) {
	c.send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}{"2.0", m.ID, c.answers(m)}) // what cannot be sent has ended the connection
}

// end notes why nothing comes any more; the first reason counts.
func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	close(c.ended)
}

// send has one message written, after those before it.
func (c *conn) send(m any) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if c.framed {
		data = frame(data)
	} else {
		data = append(data, '\n')
	}
	select {
	case <-c.ended:
		return c.err
	case c.queue <- data:
		return nil
	default:
		c.end(errDeaf)
		return errDeaf
	}
}

// write writes what was sent, until the connection ends. A write that failed half-way has broken the framing: it ends
// the connection, too.
func (c *conn) write() {
	for {
		select {
		case <-c.ended:
			return
		case data := <-c.queue:
			if f, ok := c.in.(*os.File); ok {
				f.SetWriteDeadline(time.Now().Add(writeTime)) // a file without deadlines is no pipe of ours
			}
			if _, err := c.in.Write(data); err != nil {
				c.end(err)
				return
			}
		}
	}
}

// expect makes place for an answer, and numbers the call.
func (c *conn) expect() (int64, chan reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	to := make(chan reply, 1)
	c.pending[c.last] = to
	return c.last, to
}

// wait waits for an answer. nil without an error: the server refused.
func (c *conn) wait(ctx context.Context, id int64, to chan reply) (json.RawMessage, error) {
	select {
	case r := <-to:
		return r.result, nil
	default:
	}
	select {
	case r := <-to:
		return r.result, nil
	case <-c.ended:
		return nil, c.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return nil, ctx.Err()
	}
}
