package server

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	rawjson "helve/internal/json"
)

const (
	// maxInflight is how many requests of one client may run at a time; further ones are refused, not queued, so that a flood costs
	// no memory.
	maxInflight = 1024
	// maxAsked is how many of our requests may wait for one client.
	maxAsked = 64
)

var (
	errGone   = errors.New("the client is gone")
	errNobody = errors.New("the client cannot be asked now")
)

// A stream takes whole messages on their way to the client. Its methods are safe for concurrent use.
type stream interface {
	send(ctx context.Context, msg []byte) error
	// reply sends the answer to the request that the stream belongs to: nothing comes after it.
	reply(ctx context.Context, msg []byte) error
}

// A peer is one client: of the older era from initialize to its end, of the newer one as long as its connection.
type peer struct {
	srv                *Server
	id                 string // of the protocol session; "" without one
	principal, profile string
	stateless          bool   // initialize may have been answered by another process
	shared             bool   // its room belongs to everybody with the same key, not to this connection
	side               stream // for what belongs to no request; nil: nowhere

	mu       sync.Mutex
	hello    *hello // what initialize said; nil before
	level    string // of the log messages wanted; "" means all
	home     *room
	inflight map[string]*request
	asked    map[int64]chan *message
	next     int64
	follows  map[string]bool // resources
	hears    bool            // of changes

	work    chan *request // to a goroutine that rests
	resting atomic.Int32

	life   context.Context
	end    context.CancelFunc
	wg     sync.WaitGroup // requests
	closed bool
}

// A hello is what a client says of itself.
type hello struct {
	name, version, protocol string
	capabilities            json.RawMessage
}

// join makes a peer. It fails when the server is closed.
func (s *Server) join(p *peer) (*peer, error) {
	p.srv = s
	p.inflight, p.asked, p.follows = map[string]*request{}, map[int64]chan *message{}, map[string]bool{}
	p.life, p.end = context.WithCancel(context.Background())
	p.work = make(chan *request)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		p.end()
		return nil, errors.New("the server is closing")
	}
	s.peers[p] = true
	s.wg.Add(1)
	return p, nil
}

// close cancels what runs, waits for it and ends the conversation, if it is the peer's own. A second close does nothing.
func (p *peer) close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	home := p.home
	p.mu.Unlock()
	p.end()
	p.wg.Wait()
	if home != nil {
		home.leave(p)
		if !p.shared {
			home.close()
		}
	}
	p.srv.mu.Lock()
	delete(p.srv.peers, p)
	p.srv.mu.Unlock()
	p.srv.wg.Done()
}

// receive takes one message. Requests are served beside the reading; what must stay in order is done at once.
func (p *peer) receive(line []byte, out stream) {
	m, bad := decode(line)
	switch {
	case bad != nil:
		p.refuse(m, bad, out)
	case m.Request():
		r, bad := p.admit(m, out)
		if bad != nil {
			out.reply(p.life, encodeError(m.ID, bad)) // a client that is gone needs no answer
			return
		}
		if r.method == "initialize" || r.method == "ping" {
			r.serve(p.life)
			return
		}
		p.start(r)
	case m.Notification():
		p.notice(m)
	default:
		p.answered(m)
	}
}

// maxResting is how many goroutines of a connection wait for the next request: those of an agent's calls at a time.
const maxResting = 16

// start serves a request in a goroutine that rests, or a new one. A new one costs more than a small call: its stack must grow first.
func (p *peer) start(r *request) {
	select {
	case p.work <- r:
	default:
		go p.worker(r)
	}
}

// worker serves one request after the other, until too many rest or the connection ends.
func (p *peer) worker(r *request) {
	for {
		r.serve(p.life)
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

// refuse answers what is no message. Notifications have no answers, not even these.
func (p *peer) refuse(m *message, bad *Error, out stream) {
	if m != nil && m.Notification() {
		return
	}
	var id json.RawMessage
	if m != nil {
		id = m.ID
	}
	out.reply(p.life, encodeError(id, bad))
}

// admit makes a request of a message and notes it, so that it can be cancelled. Who admits serves.
func (p *peer) admit(m *message, out stream) (*request, *Error) {
	r := &request{peer: p, id: m.ID, method: m.Method, params: m.Params, out: out}
	if bad := r.frame(); bad != nil {
		return nil, bad
	}
	key := string(m.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, errorf(codeBusy, "the server is closing")
	case len(p.inflight) >= maxInflight:
		return nil, errorf(codeBusy, "too many requests at a time: %d are running", maxInflight)
	case p.inflight[key] != nil:
		return nil, errorf(codeInvalidRequest, "invalid request: the id %.40s is in use", key)
	}
	p.inflight[key] = r
	p.wg.Add(1)
	return r, nil
}

// notice takes a notification of the client. Unknown ones mean nothing.
func (p *peer) notice(m *message) {
	switch m.Method {
	case "notifications/cancelled":
		id := rawjson.Get(m.Params, "requestId")
		p.mu.Lock()
		r := p.inflight[string(id)]
		p.mu.Unlock()
		if r != nil && r.method != "initialize" {
			r.withdraw()
		}
	}
}

// answered delivers the client's answer to a request of ours. One that nobody waits for means nothing.
func (p *peer) answered(m *message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	c := p.asked[id]
	delete(p.asked, id)
	p.mu.Unlock()
	if c != nil {
		c <- m
	}
}

// ask sends a request to a client of the older era and waits for its answer. A nil out is the side stream.
func (p *peer) ask(ctx context.Context, out stream, method string, params json.RawMessage) (json.RawMessage, error) {
	if out == nil {
		out = p.side
	}
	if out == nil {
		return nil, errNobody
	}
	c := make(chan *message, 1)
	p.mu.Lock()
	if len(p.asked) >= maxAsked {
		p.mu.Unlock()
		return nil, errNobody
	}
	p.next++
	id := p.next
	p.asked[id] = c
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.asked, id)
		p.mu.Unlock()
	}()
	if err := out.send(ctx, encodeCall(strconv.AppendInt(nil, id, 10), method, params)); err != nil {
		return nil, err
	}
	select {
	case m := <-c:
		return outcome(m)
	case <-ctx.Done():
		note := encodeCall(nil, "notifications/cancelled", json.RawMessage(`{"requestId":`+strconv.FormatInt(id, 10)+`}`))
		out.send(p.life, note) // a courtesy
		return nil, ctx.Err()
	case <-p.life.Done():
		return nil, errGone
	}
}

// outcome is the result of a response, or its error.
func outcome(m *message) (json.RawMessage, error) {
	if m.Err == nil {
		return m.Result, nil
	}
	e := &Error{}
	if json.Unmarshal(m.Err, e) != nil {
		e.Code, e.Message = codeInternal, "the client's error cannot be read"
	}
	return nil, e
}

// tell sends a notification; a nil out is the side stream.
func (p *peer) tell(ctx context.Context, out stream, method string, params json.RawMessage) error {
	if out == nil {
		out = p.side
	}
	if out == nil {
		return errNobody
	}
	return out.send(ctx, encodeCall(nil, method, params))
}

// room is the peer's conversation, opened when it is first wanted.
func (p *peer) room(ctx context.Context, h *hello) (*room, error) {
	p.mu.Lock()
	if p.home == nil {
		p.home = p.srv.roomFor(p, h)
	}
	home := p.home
	p.mu.Unlock()
	if err := home.ready(ctx); err != nil {
		return nil, err
	}
	if !p.shared {
		p.mu.Lock()
		first := !p.hears
		p.hears = true
		p.mu.Unlock()
		if first {
			home.listens(p)
		}
	}
	return home, nil
}

func (p *peer) followed(uri string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.follows[uri]
}
