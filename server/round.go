package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// maxParked bounds the calls of one conversation that wait so.
	maxParked = 64
)

// A ticket is what is sealed in a requestState: a parked run, or the state of a
// Need.
type ticket struct {
	Park  string `json:"park,omitempty"`
	At    string `json:"at,omitempty"` // the replica where it waits; "": any goes on with it, or there is one
	State []byte `json:"state,omitempty"`
	Asked int64  `json:"asked"` // Unix milliseconds
	Until int64  `json:"until"` // Unix seconds
}

// took is the time that the client needed to come back; 0: it is not known, since
// another replica asked, whose clock is ahead of ours.
func (t *ticket) took(now time.Time) time.Duration {
	return max(0, now.Sub(time.UnixMilli(t.Asked)))
}

// callStateless starts a call or goes on with one, as the state that came back
// says.
func (k *calling) callStateless(ctx context.Context) (json.RawMessage, error) {
	resume, t, err := k.resumed()
	switch {
	case err != nil:
		return nil, err
	case t != nil && k.isElsewhere(t.At):
		return k.passTo(ctx, t.At, errOver)
	case t != nil && t.Park != "":
		return k.unpark(ctx, t.Park)
	}
	u := k.start(resume)
	if u == nil {
		return nil, errGone
	}
	return k.wait(ctx, u)
}

// start runs one round of a call, for as long as the conversation lasts. It is
// nil when that is over.
func (k *calling) start(resume *tool.Resume) *run {
	away := make(chan struct{})
	u := &run{
		id:    rand.Text(),
		tool:  k.want.name,
		asks:  make(chan *question),
		done:  make(chan struct{}),
		away:  away,
		leave: sync.OnceFunc(func() { close(away) }),
	}
	if k.run != nil { // a further round of a task, whose first may still be looked at
		k = &calling{visit: k.visit, want: k.want}
	}
	k.goesOnBy(u)
	life, stop := context.WithCancel(k.within(k.conv.life))
	u.stop = stop
	started := k.conv.start(func() {
		defer k.conv.begin(k.visit)()
		defer stop()
		defer close(u.done)
		u.res, u.err = k.call(life, resume, u.reporter())
	})
	if !started {
		stop()
		return nil
	}
	return u
}

// resumed is what an earlier round of the call left: its ticket, and with that of
// a Need the state and the answers. Neither for a first round.
func (k *calling) resumed() (resume *tool.Resume, t *ticket, err error) {
	answered := rpc.FirstByte(k.want.answers) == '{'
	if k.want.state == "" {
		if answered {
			resume = tool.Unasked(k.want.answers)
		}
		return resume, nil, nil
	}
	t, err = k.openTicket()
	if err != nil {
		return nil, nil, err
	}
	if t.Park != "" {
		return nil, t, nil
	}
	if !answered {
		k.want.answers = json.RawMessage("{}")
	}
	return &tool.Resume{State: t.State, Answers: k.want.answers, Took: t.took(k.conn.srv.o.Now())}, t, nil
}

// wait is the outcome of a run, or its question.
func (k *calling) wait(ctx context.Context, u *run) (json.RawMessage, error) {
	grace, away := k.grace(), u.away
	for {
		var asked *question
		var over bool
		select {
		case <-u.done:
			over = true
		case asked = <-u.asks:
		case <-away:
		case <-grace:
			u.leave()
		case <-ctx.Done():
			u.stop()
			return nil, rpc.Errorf(rpc.CodeInternal, "cancelled")
		}
		if away != nil && u.left() {
			if answer, ok := k.detach(u, asked); ok {
				return answer, nil
			}
			grace, away = nil, nil // there are too many tasks: the client waits
		}
		switch {
		case over:
			return k.came(u)
		case asked != nil:
			return k.park(u, asked)
		}
	}
}

// came is the answer to a run that is over.
func (k *calling) came(u *run) (json.RawMessage, error) {
	if u.err != nil {
		return nil, u.err
	}
	if need := u.res.Need; need != nil {
		t := ticket{State: need.State}
		if need.Here {
			t.At = k.conn.srv.replica()
		}
		return k.needs(need.Requests, t)
	}
	return k.encode(u.res)
}

// park leaves a run waiting and asks the client to come back.
func (k *calling) park(u *run, q *question) (json.RawMessage, error) {
	if !k.conv.keep(u) {
		u.stop()
		return nil, rpc.Errorf(rpc.CodeBusy, "%d calls wait for answers already", maxParked)
	}
	u.mu.Lock()
	u.open = q
	u.expires = time.AfterFunc(parkTime, func() {
		k.conv.forget(u.id)
		u.stop()
	})
	u.mu.Unlock()
	asked := []rawjson.Member{{Key: "method", Value: rawjson.Quote(q.method)}}
	if q.params != nil {
		asked = append(asked, rawjson.Member{Key: "params", Value: rawjson.Set(q.params, "_meta", nil)})
	}
	requests := rawjson.Join([]rawjson.Member{{Key: "request", Value: rawjson.Join(asked)}})
	return k.needs(requests, ticket{Park: u.id, At: k.conn.srv.replica()})
}

// keep remembers a run that waits, unless there are too many.
func (c *conversation) keep(u *run) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.parked) >= maxParked {
		return false
	}
	c.parked[u.id] = u
	return true
}

// forget is the run that waits under an id, and waits no more; nil for none.
func (c *conversation) forget(id string) *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.parked[id]
	delete(c.parked, id)
	return u
}

// errOver is the answer to who comes back too late.
var errOver = rpc.Errorf(rpc.CodeInvalidParams, "invalid params: the call that requestState names is over")

// unpark hands the answer to the run that waits, and waits for it again.
func (k *calling) unpark(ctx context.Context, id string) (json.RawMessage, error) {
	u := k.conv.forget(id)
	if u == nil || u.tool != k.want.name {
		return nil, errOver
	}
	u.mu.Lock()
	u.expires.Stop()
	q := u.open
	u.open = nil
	u.mu.Unlock()
	k.goesOnBy(u)
	answer := rawjson.Get(k.want.answers, "request")
	if answer == nil { // the client must be asked again
		return k.park(u, q)
	}
	q.answer <- answer
	return k.wait(ctx, u)
}

// needs is the result that asks a client of the stateless protocol to call
// again.
func (k *calling) needs(requests json.RawMessage, t ticket) (json.RawMessage, error) {
	members, err := rawjson.Object(requests)
	if err != nil && requests != nil {
		return nil, rpc.Errorf(rpc.CodeInternal, "the request for input cannot be read: %v", err)
	}
	for _, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		if what := family(method); !k.client.can(what) {
			return nil, lacks(what)
		}
	}
	now := k.conn.srv.o.Now()
	t.Asked, t.Until = now.UnixMilli(), now.Add(parkTime).Unix()
	plain, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	out := []rawjson.Member{{Key: "resultType", Value: json.RawMessage(`"input_required"`)}}
	if members != nil {
		out = append(out, rawjson.Member{Key: "inputRequests", Value: requests})
	}
	state := k.conn.srv.seal.close(plain, k.about())
	out = append(out, rawjson.Member{Key: "requestState", Value: rawjson.Quote(state)})
	return k.complete(rawjson.Join(out), false), nil
}

// lacks is the refusal of a call that the client has not the means for.
func lacks(what string) *rpc.Error {
	return &rpc.Error{
		Code:    rpc.CodeCapability,
		Message: "the call needs a client that can be asked for " + what,
		Data:    json.RawMessage(fmt.Sprintf(`{"requiredCapabilities":{%s:{}}}`, rawjson.Quote(what))),
	}
}

// about is what a sealed state belongs to: nobody else's, no other call's.
func (k *calling) about() []byte {
	h := sha256.Sum256(k.want.args)
	who := k.conv.client
	client := k.client.instance("") // it may come back from elsewhere
	b, _ := json.Marshal([]any{     // strings and bytes
		who.Principal, who.Profile, client.conversation, client.name, client.version, k.want.name, h[:],
	})
	return b
}

// openTicket opens a state that a client brought back. It may be anybody's: what
// does not fit this caller and this call exactly is refused.
func (k *calling) openTicket() (*ticket, error) {
	t := &ticket{}
	plain, ok := k.conn.srv.seal.open(k.want.state, k.about())
	if !ok || json.Unmarshal(plain, t) != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: requestState is not one that was given out for this call")
	}
	if k.conn.srv.o.Now().Unix() > t.Until {
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: requestState has expired: call again without it")
	}
	return t, nil
}

// goesOnBy has a run carry the call on: the client is asked by way of it, and told of it.
func (k *calling) goesOnBy(u *run) {
	k.visit = &visit{k.request, k.conv, u}
	u.told.Store(k.pulse)
}
