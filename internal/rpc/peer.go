package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
)

const (
	// maxResting is how many goroutines of a peer wait for the next request:
	// as many as an agent has calls under way.
	maxResting = 16
	// cancelTime bounds telling the other side that nobody waits any more.
	cancelTime = 2 * time.Second
)

var (
	// ErrBroken says that the connection ended while a call was under way: it
	// may have run.
	ErrBroken = errors.New("the connection broke while the call was under way")
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

// A Service serves one request. The context ends when the other side withdraws
// the request, or is gone.
type Service interface {
	Serve(ctx context.Context) (Answer, error)
}

// An Answer is the result of a request.
type Answer struct {
	Result  json.RawMessage
	Frame   []byte // the whole message in place of Result, if it is encoded already
	Release func() // called when Frame is out; nil: nobody wants it back
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

// Receive takes one message. Its answer, and what belongs to it, goes to out.
func (p *Peer) Receive(m *Message, out Out) {
	switch {
	case m.Request():
		r, bad := p.Admit(m, out)
		switch {
		case bad != nil:
			p.Refuse(m.ID, bad, out)
		case r.Inline:
			p.Serve(p.life, r)
		default:
			p.start(r)
		}
	case m.Notification():
		p.notice(m)
	default:
		p.answered(m)
	}
}

// ---- Their requests ----

// A Request is one of the other side, from Admit until its answer is out.
type Request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Out    Out // takes what belongs to this request, its answer last

	// Inline, which Accept may set, keeps the request in the order of arrival
	// and from being cancelled: what comes after a handshake depends on it.
	Inline bool

	service   Service
	cancel    context.CancelFunc // nil before it is served; guarded by Peer.mu
	withdrawn bool               // no answer is wanted; guarded by Peer.mu
	finished  bool               // its answer is wanted now; guarded by Peer.mu
}

// Admit makes a request of a message and counts it in, so that it can be
// cancelled. Whoever admits a request must Serve it.
func (p *Peer) Admit(m *Message, out Out) (*Request, *Error) {
	r := &Request{ID: m.ID, Method: m.Method, Params: m.Params, Out: out}
	service, bad := p.handler.Accept(r)
	if bad != nil {
		return nil, bad
	}
	r.service = service
	key := string(m.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || p.life.Err() != nil:
		return nil, Errorf(CodeBusy, "the connection is closing")
	case len(p.serving) >= p.o.Requests:
		return nil, Errorf(CodeBusy, "too many requests at a time: %d are running", p.o.Requests)
	case p.serving[key] != nil:
		return nil, Errorf(CodeInvalidRequest, "invalid request: the id %.40s is in use", key)
	}
	p.serving[key] = r
	p.wg.Add(1)
	return r, nil
}

// Refuse answers what is not served.
func (p *Peer) Refuse(id json.RawMessage, bad *Error, out Out) {
	if !p.o.Mute {
		out.Answer(p.life, &Message{ID: id, Err: bad}) // a client that is gone needs no answer
	}
}

// start serves a request in a goroutine that rests, or in a new one. A new one
// costs more than a small call: its stack must grow first.
func (p *Peer) start(r *Request) {
	select {
	case p.work <- r:
	default:
		go p.worker(r)
	}
}

// worker serves one request after the other, until too many rest or the
// connection ends.
func (p *Peer) worker(r *Request) {
	for {
		p.Serve(p.life, r)
		if p.resting.Add(1) > maxResting {
			p.resting.Add(-1)
			return
		}
		select {
		case r = <-p.work:
			p.resting.Add(-1)
		case <-p.life.Done():
			return
		}
	}
}

// Serve serves a request that was admitted and sends its answer. It returns
// when the answer is out.
func (p *Peer) Serve(ctx context.Context, r *Request) {
	defer p.wg.Done()
	p.running.Add(1)
	defer p.running.Add(-1)
	own := ctx == p.life
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !own {
		defer context.AfterFunc(p.life, stop)()
	}
	p.mu.Lock()
	r.cancel = stop
	if r.withdrawn || r.finished {
		stop()
	}
	p.mu.Unlock()

	answer, err := p.serve(ctx, r)

	p.mu.Lock()
	withdrawn := r.withdrawn
	delete(p.serving, string(r.ID)) // who has the answer may use the id again
	p.mu.Unlock()
	if withdrawn {
		return // whoever withdrew it expects nothing
	}
	m := &Message{ID: r.ID, Result: answer.Result, Frame: answer.Frame}
	if err != nil {
		m = &Message{ID: r.ID, Err: AsError(err)}
	}
	r.Out.Answer(p.life, m) // a client that is gone needs no answer
	if answer.Release != nil {
		answer.Release()
	}
}

// serve runs the service. A panic is a bug of ours and ends one request, not
// all of them.
func (p *Peer) serve(ctx context.Context, r *Request) (a Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			if p.o.Log != nil {
				p.o.Log.Error("panic in a request", "method", r.Method, "panic", v, "stack", string(debug.Stack()))
			}
			err = Errorf(CodeInternal, "internal error: %v", v)
		}
	}()
	return r.service.Serve(ctx)
}

// Withdraw cancels a request of the other side, which wants no answer any more.
func (p *Peer) Withdraw(id json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.serving[string(id)]
	if r == nil || r.Inline {
		return
	}
	r.withdrawn = true
	if r.cancel != nil {
		r.cancel()
	}
}

// Finish ends what only waits for news: such requests are answered now.
func (p *Peer) Finish(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.serving {
		if r.Method != method {
			continue
		}
		r.finished = true
		if r.cancel != nil {
			r.cancel()
		}
	}
}

// Running is how many requests of the other side are served.
func (p *Peer) Running() int { return int(p.running.Load()) }

// ---- Our calls ----

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
		return nil, fmt.Errorf("the connection has ended: %w", p.err)
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

// ---- Notifications ----

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
