package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

// The life of a call of ours: it is expected, sent, told of progress, and answered, given up by who
// waits, or broken with the connection.

// cancelTime bounds telling the other side that nobody waits any more.
const cancelTime = 2 * time.Second

// A Call is a request of ours. Method is required. A Call is used once.
type Call struct {
	ID     int64 // of NextID, where the parameters hold it; 0: the peer chooses
	Method string
	Params json.RawMessage // an object; nil: none

	Out      Out            // nil: the peer's own
	Progress func(Progress) // told on the way, if the parameters hold the id as a token; nil: nobody listens
	Held     bool           // the other side is not told when nobody waits any more: a handshake, a subscription

	answer chan *Message
	moved  atomic.Int64 // when progress last came, in Unix nanoseconds
}

// Progress is what the other side says of a call that runs.
type Progress struct {
	Token   json.RawMessage `json:"progressToken"`
	Done    float64         `json:"progress"`
	Total   float64         `json:"total,omitempty"` // 0: unknown
	Message string          `json:"message,omitempty"`
}

// NextID is an id for a call that nobody else has.
func (p *Peer) NextID() int64 { return p.next.Add(1) }

// Call sends a request and waits for its answer: a result, or an *Error of the
// other side. When ctx is done first the other side is told that nobody waits.
func (p *Peer) Call(ctx context.Context, c *Call) (json.RawMessage, error) {
	out, err := p.expect(c)
	if err != nil {
		return nil, err
	}
	p.asking.Add(1)
	defer p.asking.Add(-1)
	defer p.forget(c.ID)
	// Sending may wait for the other side; it must not outlive the connection.
	sending, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(p.life, stop)()
	m := &Message{ID: strconv.AppendInt(nil, c.ID, 10), Method: c.Method, Params: c.Params}
	if err := out.Send(sending, m); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		p.cancel(c, out, ctx.Err())
		return nil, ctx.Err()
	}
	select {
	case a := <-c.answer:
		return a.outcome()
	case <-ctx.Done():
		p.cancel(c, out, ctx.Err())
		return nil, ctx.Err()
	case <-p.done:
	}
	select { // the answer may have come just before the end
	case a := <-c.answer:
		return a.outcome()
	default:
		return nil, fmt.Errorf("%w: %w", ErrBroken, p.Reason())
	}
}

// Unsent is an error that is ErrUnsent as well, and says what it says.
func Unsent(err error) error { return &unsent{err} }

type unsent struct{ error }

func (u *unsent) Unwrap() []error { return []error{u.error, ErrUnsent} }

// expect notes a call before it is sent.
func (p *Peer) expect(c *Call) (Out, error) {
	out := c.Out
	if out == nil {
		out = p.o.Out
	}
	if out == nil {
		return nil, ErrNobody
	}
	if c.ID == 0 {
		c.ID = p.NextID()
	}
	c.answer = make(chan *Message, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return nil, Unsent(fmt.Errorf("the connection has ended: %w", p.err))
	case p.o.Calls > 0 && len(p.waiting) >= p.o.Calls:
		return nil, ErrNobody
	}
	p.waiting[c.ID] = c
	return out, nil
}

func (p *Peer) forget(id int64) {
	p.mu.Lock()
	delete(p.waiting, id)
	p.mu.Unlock()
}

// outcome is the result of a response, or its error.
func (m *Message) outcome() (json.RawMessage, error) {
	if m.Err != nil {
		return nil, m.Err
	}
	return m.Result, nil
}

// answered delivers a response. An id that nobody waits for, one that was
// answered, and one in another spelling than ours mean nothing.
func (p *Peer) answered(m *Message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	c := p.waiting[id]
	delete(p.waiting, id)
	p.mu.Unlock()
	if c != nil {
		c.answer <- m
	}
}

// cancel tells the other side that nobody waits for a call any more, which is a
// courtesy: nobody waits for that either.
func (p *Peer) cancel(c *Call, out Out, why error) {
	if c.Held {
		return
	}
	params := fmt.Appendf(nil, `{"requestId":%d,"reason":%q}`, c.ID, why.Error())
	p.Go(func() {
		ctx, stop := context.WithTimeout(p.life, cancelTime)
		defer stop()
		out.Send(ctx, &Message{Method: NoticeCancelled, Params: params})
	})
}

// progressed tells the call that a notification is about.
func (p *Peer) progressed(params json.RawMessage) {
	var in Progress
	if json.Unmarshal(params, &in) != nil {
		return
	}
	id, err := strconv.ParseInt(string(in.Token), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	c := p.waiting[id]
	p.mu.Unlock()
	if c == nil {
		return
	}
	c.moved.Store(time.Now().UnixNano())
	if c.Progress != nil {
		c.Progress(in)
	}
}
