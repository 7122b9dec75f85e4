package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	rawjson "helve/internal/json"
)

var (
	// ErrBroken says that the connection ended while a call was under way: it
	// may have run.
	ErrBroken = errors.New("the connection broke while the call was under way")
	// ErrUnsent says that the connection had ended before the message was out:
	// nothing of it can have been carried out.
	ErrUnsent = errors.New("it was not sent")
	// ErrNobody says that there is no way to the other side now.
	ErrNobody = errors.New("the client cannot be asked now")
)

// An Out takes messages on their way to the other side. Its methods are safe
// for concurrent use and keep nothing of a message when they have returned.
type Out interface {
	Send(ctx context.Context, m *Message) error
	// Answer sends the answer to the request that the Out belongs to: nothing
	// comes after it.
	Answer(ctx context.Context, m *Message) error
}

// A Handler is what a peer does with what the other side sends. Both methods
// are called in the order of arrival and must be quick: the next message waits.
type Handler interface {
	// Accept reads a request and says who serves it, or why nobody does.
	Accept(r *Request) (Service, *Error)
	// Notice takes a notification. Unknown ones mean nothing. Cancelled and
	// progress are the peer's own.
	Notice(method string, params json.RawMessage)
}

// Options are the bounds of a peer.
type Options struct {
	Requests int          // of the other side that may run at a time; the next are refused
	Calls    int          // of ours that may wait for an answer; 0: any number
	Out      Out          // for what belongs to no request; nil: there is no such way
	Log      *slog.Logger // nil: silent

	// Mute leaves requests beyond the bound without an answer. A side that
	// floods us and does not read would hold up the reading otherwise.
	Mute bool
}

// A Peer is one end of a connection: requests and notifications in, calls out.
// Messages come to Receive or Admit, from whatever transport. Its methods are
// safe for concurrent use.
type Peer struct {
	handler Handler
	o       Options

	mu      sync.Mutex
	serving map[string]*Request // by the other side's ids
	waiting map[int64]*Call     // by ours
	ended   bool
	err     error // why it ended
	wg      sync.WaitGroup

	next    atomic.Int64
	running atomic.Int32  // requests that are served
	asking  atomic.Int32  // calls that wait
	work    chan *Request // to a goroutine that rests
	resting atomic.Int32

	life context.Context
	stop context.CancelFunc
	done chan struct{} // closed by End
}

// NewPeer makes a peer. It starts nothing; End it.
func NewPeer(h Handler, o Options) *Peer {
	p := &Peer{
		handler: h,
		o:       o,
		serving: map[string]*Request{},
		waiting: map[int64]*Call{},
		work:    make(chan *Request),
		done:    make(chan struct{}),
	}
	p.life, p.stop = context.WithCancel(context.Background())
	return p
}

// Life is done when the connection is being ended.
func (p *Peer) Life() context.Context { return p.life }

// Done is closed when the connection has ended; Reason says why.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Stop cancels what runs. What waits for an answer goes on until End.
func (p *Peer) Stop() { p.stop() }

// End ends the connection: requests are cancelled and calls fail. The first
// reason counts.
func (p *Peer) End(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.err = true, reason
	p.stop()
	close(p.done)
}

// Wait returns when nothing runs any more.
func (p *Peer) Wait() { p.wg.Wait() }

// Over tells whether the connection has ended.
func (p *Peer) Over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Reason is why the connection ended; nil before.
func (p *Peer) Reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Go runs f in a goroutine for which Wait waits. It tells whether the
// connection was still there; f does not run otherwise.
func (p *Peer) Go(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.wg.Go(f)
	return true
}

// Crowded tells that more than one request of the other side is served.
func (p *Peer) Crowded() bool { return p.running.Load() > 1 }

// Asking tells that more than one call of ours waits for its answer.
func (p *Peer) Asking() bool { return p.asking.Load() > 1 }

// Receive takes one message. Its answer, and what belongs to it, goes to out.
func (p *Peer) Receive(m *Message, out Out) {
	if r := p.Take(m, out); r != nil {
		p.Start(r)
	}
}

// Take is Receive without serving: whoever gets a request has it served, by Start or by Serve.
func (p *Peer) Take(m *Message, out Out) *Request {
	switch {
	case m.Request():
		r, bad := p.Admit(m, out)
		switch {
		case bad != nil:
			p.Refuse(m.ID, bad, out)
		case r.Inline:
			p.Serve(p.life, r)
		default:
			return r
		}
	case m.Notification():
		p.notice(m)
	default:
		p.answered(m)
	}
	return nil
}

// Tell sends a notification; a nil out is the peer's own.
func (p *Peer) Tell(ctx context.Context, out Out, method string, params json.RawMessage) error {
	if out == nil {
		out = p.o.Out
	}
	if out == nil {
		return ErrNobody
	}
	return out.Send(ctx, &Message{Method: method, Params: params})
}

func (p *Peer) notice(m *Message) {
	switch m.Method {
	case NoticeCancelled:
		p.Withdraw(rawjson.Get(m.Params, "requestId"))
	case NoticeProgress:
		p.progressed(m.Params)
	default:
		p.handler.Notice(m.Method, m.Params)
	}
}
