package rpc

import (
	"context"
	"encoding/json"
	"runtime/debug"
)

// The life of a request of the other side, from top to bottom: a transport has it admitted, it is
// served in a goroutine that rests or in a new one, the other side may withdraw it on the way, and
// its answer ends it.

// maxResting is how many goroutines of a peer wait for the next request:
// as many as an agent has calls under way.
const maxResting = 16

// A Service serves one request. The context ends when the other side withdraws
// the request, or is gone.
type Service interface {
	Serve(ctx context.Context) (Answer, error)
}

// An Answer is the result of a request.
type Answer struct {
	Result  json.RawMessage
	Frame   []byte // the whole message in place of Result, if it is encoded already
	Release func() // called when the answer is out; nil: nobody wants to know
}

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

// Service is what Accept made of the request.
func (r *Request) Service() Service { return r.service }

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

// Start serves a request in a goroutine that rests, or in a new one. A new one
// costs more than a small call: its stack must grow first.
func (p *Peer) Start(r *Request) {
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
