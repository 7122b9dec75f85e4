package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// parkTime is how long a call waits for the client to come back with an answer: as long as a person may think.
	parkTime = 10 * time.Minute
	// maxParked bounds the calls of one conversation that wait so.
	maxParked = 64
)

// A run is a call of the newer era. It goes on while the client is asked, if who asks can only wait: an upstream of the older era.
type run struct {
	id   string
	tool string
	cur  atomic.Pointer[request] // the one that waits for the outcome
	asks chan *question
	done chan struct{} // closed when res and err stand
	res  *tool.Result
	err  error
	stop context.CancelFunc

	mu      sync.Mutex
	open    *question // with the client
	expires *time.Timer
}

// A question of a run waits for its answer.
type question struct {
	method string
	params json.RawMessage
	answer chan json.RawMessage
}

// A ticket is what stands in a requestState: a parked run, or the state of a Need.
type ticket struct {
	Park  string `json:"park,omitempty"`
	State []byte `json:"state,omitempty"`
	Until int64  `json:"until"` // Unix seconds
}

// callModern starts a call or goes on with one, as the state that came back says.
func (r *request) callModern(ctx context.Context, home *room, c *toolCall) (json.RawMessage, error) {
	var resume *tool.Resume
	if c.state != "" {
		t, err := r.openTicket(home, c)
		if err != nil {
			return nil, err
		}
		if t.Park != "" {
			return r.unpark(ctx, home, c, t.Park)
		}
		if firstByte(c.answers) != '{' {
			c.answers = json.RawMessage("{}")
		}
		resume = &tool.Resume{State: t.State, Answers: c.answers}
	} else if firstByte(c.answers) == '{' {
		resume = tool.Unasked(c.answers)
	}
	u := &run{id: rand.Text(), tool: c.name, asks: make(chan *question), done: make(chan struct{})}
	u.cur.Store(r)
	life, stop := context.WithCancel(context.WithValue(home.life, requestKey{}, r))
	u.stop = stop
	r.run = u
	if !home.start(func() {
		defer home.begin(r)()
		defer stop()
		defer close(u.done)
		u.res, u.err = r.call(life, home, c, resume, u.reporter())
	}) {
		stop()
		return nil, errGone
	}
	return r.wait(ctx, home, c, u)
}

// start runs f beside everything else; close waits for it. It tells whether the room still stood.
func (r *room) start(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.wg.Go(f)
	return true
}

// wait is the outcome of a run, or its question.
func (r *request) wait(ctx context.Context, home *room, c *toolCall, u *run) (json.RawMessage, error) {
	select {
	case <-u.done:
		if u.err != nil {
			return nil, u.err
		}
		if u.res.Need != nil {
			return r.needs(home, c, u.res.Need.Requests, ticket{State: u.res.Need.State})
		}
		return r.encode(u.res)
	case q := <-u.asks:
		return r.park(home, c, u, q)
	case <-ctx.Done():
		u.stop()
		return nil, errorf(codeInternal, "cancelled")
	}
}

// reporter tells whoever waits for the run.
func (u *run) reporter() func(tool.Progress) {
	if u.cur.Load().progress == nil {
		return nil
	}
	return func(p tool.Progress) {
		if r := u.cur.Load(); r.progress != nil {
			r.peer.tell(r.peer.life, r.out, "notifications/progress", r.progressParams(p))
		}
	}
}

// putBack carries the question of one who can only wait to a client that must be answered first.
func (r *request) putBack(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	u := r.run
	if u == nil {
		return nil, errNobody
	}
	q := &question{method: method, params: params, answer: make(chan json.RawMessage, 1)}
	select {
	case u.asks <- q:
	case <-u.done:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-q.answer:
		return a, nil
	case <-u.done:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// park leaves a run waiting and asks the client to come back.
func (r *request) park(home *room, c *toolCall, u *run, q *question) (json.RawMessage, error) {
	home.mu.Lock()
	full := len(home.parked) >= maxParked
	if !full {
		home.parked[u.id] = u
	}
	home.mu.Unlock()
	if full {
		u.stop()
		return nil, errorf(codeBusy, "%d calls wait for answers already", maxParked)
	}
	u.mu.Lock()
	u.open = q
	u.expires = time.AfterFunc(parkTime, func() { home.forget(u.id); u.stop() })
	u.mu.Unlock()
	request := []rawjson.Member{{Key: "method", Value: rawjson.Quote(q.method)}}
	if q.params != nil {
		request = append(request, rawjson.Member{Key: "params", Value: rawjson.Set(q.params, "_meta", nil)})
	}
	requests := rawjson.Join([]rawjson.Member{{Key: "request", Value: rawjson.Join(request)}})
	return r.needs(home, c, requests, ticket{Park: u.id})
}

func (r *room) forget(id string) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.parked[id]
	delete(r.parked, id)
	return u
}

// unpark hands the answer to the run that waits, and waits for it again.
func (r *request) unpark(ctx context.Context, home *room, c *toolCall, id string) (json.RawMessage, error) {
	u := home.forget(id)
	if u == nil || u.tool != c.name {
		return nil, errorf(codeInvalidParams, "invalid params: the call that requestState names is over")
	}
	u.mu.Lock()
	u.expires.Stop()
	q := u.open
	u.open = nil
	u.mu.Unlock()
	u.cur.Store(r)
	r.run = u
	answer := rawjson.Get(c.answers, "request")
	if answer == nil { // the client must be asked again
		return r.park(home, c, u, q)
	}
	q.answer <- answer
	return r.wait(ctx, home, c, u)
}

// needs is the result that asks a client of the newer era to call again.
func (r *request) needs(home *room, c *toolCall, requests json.RawMessage, t ticket) (json.RawMessage, error) {
	members, err := rawjson.Object(requests)
	if err != nil && requests != nil {
		return nil, errorf(codeInternal, "the request for input cannot be read: %v", err)
	}
	for _, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		if what := family(method); !r.hello.can(what) {
			data := json.RawMessage(fmt.Sprintf(`{"requiredCapabilities":{%s:{}}}`, rawjson.Quote(what)))
			return nil, &Error{Code: codeCapability, Message: "the call needs a client that can be asked for " + what, Data: data}
		}
	}
	t.Until = time.Now().Add(parkTime).Unix()
	plain, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	out := []rawjson.Member{{Key: "resultType", Value: json.RawMessage(`"input_required"`)}}
	if members != nil {
		out = append(out, rawjson.Member{Key: "inputRequests", Value: requests})
	}
	out = append(out, rawjson.Member{Key: "requestState", Value: rawjson.Quote(r.peer.srv.seal.close(plain, r.about(home, c)))})
	return r.complete(rawjson.Join(out), false), nil
}

// about is what a sealed state belongs to: nobody else's, no other call's.
func (r *request) about(home *room, c *toolCall) []byte {
	h := sha256.Sum256(c.args)
	b, _ := json.Marshal([]any{home.client.Principal, home.client.Profile, c.name, h[:]}) // strings and bytes
	return b
}

func (r *request) openTicket(home *room, c *toolCall) (*ticket, error) {
	t := &ticket{}
	plain, ok := r.peer.srv.seal.open(c.state, r.about(home, c))
	if !ok || json.Unmarshal(plain, t) != nil {
		return nil, errorf(codeInvalidParams, "invalid params: requestState is not one that was given out for this call")
	}
	if time.Now().Unix() > t.Until {
		return nil, errorf(codeInvalidParams, "invalid params: requestState has expired: call again without it")
	}
	return t, nil
}
