package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// maxAsking is how many requests of one server may wait for us at a time.
	maxAsking = 16
	// cancelTime bounds telling a server that nobody waits any more.
	cancelTime = 2 * time.Second
)

// A pipe carries messages. send may be called concurrently, receive by one at a time; close ends both and returns when nothing is left
// behind.
type pipe interface {
	send(context.Context, *message) error
	receive() (*message, error)
	close()
}

// A peer is the other end of a pipe: calls out, requests and notifications in.
type peer struct {
	pipe   pipe
	serve  func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	notice func(method string, params json.RawMessage) // quick; in the order of arrival

	next    atomic.Int64
	mu      sync.Mutex
	pending map[int64]*waiting
	serving map[string]context.CancelFunc // by the server's own ids
	err     error

	done   chan struct{} // closed when the pipe has ended
	life   context.Context
	end    context.CancelFunc
	busy   chan struct{} // a token for each request that is served
	asking atomic.Int32  // requests being served
	wg     sync.WaitGroup
}

type waiting struct {
	answer   chan *message
	progress func(tool.Progress) // nil: nobody listens
	moved    atomic.Int64        // when progress last came, in Unix nanoseconds
}

func newPeer(p pipe) *peer {
	r := &peer{pipe: p, pending: map[int64]*waiting{}, serving: map[string]context.CancelFunc{}, done: make(chan struct{}), busy: make(chan struct{}, maxAsking)}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

// run reads until the pipe ends. Every call that waits then fails.
func (p *peer) run() {
	for {
		m, err := p.pipe.receive()
		if err != nil {
			p.fail(err)
			return
		}
		switch {
		case m.Method == "":
			p.answer(m)
		case m.ID == nil:
			p.notified(m)
		default:
			p.request(m)
		}
	}
}

func (p *peer) fail(err error) {
	p.mu.Lock()
	p.err = err
	p.mu.Unlock()
	p.end()
	close(p.done)
	p.pipe.close()
}

// close ends the connection and waits until nothing of it is left.
func (p *peer) close() {
	p.end()
	p.pipe.close()
	<-p.done
	p.wg.Wait()
}

// reason is why the connection ended; call it after done.
func (p *peer) reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// answer delivers a response. An id that nobody waits for, one that was answered, and one in another spelling than ours mean nothing.
func (p *peer) answer(m *message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	w := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if w != nil {
		w.answer <- m
	}
}

func (p *peer) notified(m *message) {
	switch m.Method {
	case "notifications/progress":
		p.progress(m.Params)
	case "notifications/cancelled":
		p.withdrawn(m.Params)
	default:
		p.notice(m.Method, m.Params)
	}
}

func (p *peer) progress(params json.RawMessage) {
	var in struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if json.Unmarshal(params, &in) != nil {
		return
	}
	id, err := strconv.ParseInt(string(in.Token), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	w := p.pending[id]
	p.mu.Unlock()
	if w == nil {
		return
	}
	w.moved.Store(time.Now().UnixNano())
	if w.progress != nil {
		w.progress(tool.Progress{Done: in.Progress, Total: in.Total, Message: in.Message})
	}
}

// request serves one request of the server, beside the reading.
func (p *peer) request(m *message) {
	select {
	case p.busy <- struct{}{}:
	default:
		return // a server that floods us with requests gets no answers beyond these
	}
	p.asking.Add(1)
	ctx, stop := context.WithCancel(p.life)
	p.mu.Lock()
	p.serving[string(m.ID)] = stop
	p.mu.Unlock()
	p.aside(func() {
		defer func() { p.served(m.ID, stop); p.asking.Add(-1); <-p.busy }()
		res, err := p.serve(ctx, m.Method, m.Params)
		if ctx.Err() != nil {
			return // the server withdrew it, or is gone
		}
		out := &message{ID: m.ID, Result: res}
		if err != nil {
			var rpc *RPCError
			if !errors.As(err, &rpc) {
				rpc = &RPCError{Code: codeInternal, Message: err.Error()}
			}
			out.Err = rpc
		}
		p.pipe.send(ctx, out) // one that does not arrive ends with the connection
	})
}

func (p *peer) served(id json.RawMessage, stop context.CancelFunc) {
	stop()
	p.mu.Lock()
	delete(p.serving, string(id))
	p.mu.Unlock()
}

// withdrawn stops serving a request that the server cancelled.
func (p *peer) withdrawn(params json.RawMessage) {
	p.mu.Lock()
	stop := p.serving[string(rawjson.Get(params, "requestId"))]
	p.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// aside runs f beside everything else, unless the connection has ended; close waits for it.
func (p *peer) aside(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.wg.Go(f)
	}
}

// errBroken says that the connection ended while a call was under way: it may have run.
var errBroken = errors.New("the connection broke while the call was under way")

// call sends a request and waits for its answer. params must be an object, or nil. With a done ctx the server is told that nobody
// waits.
func (p *peer) call(ctx context.Context, method string, params func(id int64) json.RawMessage, w *waiting) (json.RawMessage, error) {
	out, stop := context.WithCancel(ctx) // sending may wait for a server's answer; it must not outlive the connection
	defer stop()
	defer context.AfterFunc(p.life, stop)()
	id := p.next.Add(1)
	w.answer = make(chan *message, 1)
	p.mu.Lock()
	if p.err != nil {
		defer p.mu.Unlock()
		return nil, fmt.Errorf("the connection has ended: %w", p.err)
	}
	p.pending[id] = w
	p.mu.Unlock()
	defer p.forget(id)
	m := &message{ID: strconv.AppendInt(nil, id, 10), Method: method, Params: params(id)}
	if err := p.pipe.send(out, m); err != nil {
		if ctx.Err() != nil {
			p.cancel(id, method, ctx.Err())
			return nil, ctx.Err()
		}
		return nil, err
	}
	select {
	case a := <-w.answer:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Result, nil
	case <-ctx.Done():
		p.cancel(id, method, ctx.Err())
		return nil, ctx.Err()
	case <-p.done:
		select { // the answer may have come just before the end
		case a := <-w.answer:
			if a.Err == nil {
				return a.Result, nil
			}
			return nil, a.Err
		default:
		}
		return nil, fmt.Errorf("%w: %w", errBroken, p.reason())
	}
}

func (p *peer) forget(id int64) {
	p.mu.Lock()
	delete(p.pending, id)
	p.mu.Unlock()
}

// cancel tells the server that nobody waits for a call any more. Handshakes must not be cancelled, and the subscription ends with the
// connection.
func (p *peer) cancel(id int64, method string, why error) {
	if method == "initialize" || method == "server/discover" || method == listenMethod {
		return
	}
	params := fmt.Appendf(nil, `{"requestId":%d,"reason":%q}`, id, why.Error())
	p.aside(func() {
		ctx, stop := context.WithTimeout(p.life, cancelTime)
		defer stop()
		p.pipe.send(ctx, &message{Method: "notifications/cancelled", Params: params}) // a courtesy
	})
}

// notify sends a notification.
func (p *peer) notify(ctx context.Context, method string, params json.RawMessage) error {
	return p.pipe.send(ctx, &message{Method: method, Params: params})
}
