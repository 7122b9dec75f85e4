package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// maxAsking is how many requests of one server may wait for us at a time.
const maxAsking = 16

// A conn is a connection whose protocol is agreed on.
type conn struct {
	*rpc.Peer
	pipe  pipe
	relay *relay
	about About
	meta  json.RawMessage // members of every request's _meta, in the stateless protocol
	tasks json.RawMessage // the same, for whom a task may be the answer
	wire  *wire           // nil: stdio
	level toldLevel

	calls  atomic.Int32 // that wait for their answer
	useful atomic.Bool  // a call was answered over it
	listed atomic.Bool  // it told its list

	lists *subscription // to changed lists; nil: there is none
	acked chan struct{} // gets a token with each subscription that the server has acknowledged

	following sync.Mutex
	resources *subscription                   // to changed resources, in the stateless protocol; nil: there is none
	followed  map[string]bool                 // their addresses
	heard     atomic.Pointer[map[string]bool] // followed, for the reading side; nil: whatever comes
}

// typical tells that what the connection lists now, any other would: a process of one's own lists later what calls made
// of it. It is asked with each listing.
func (c *conn) typical() bool {
	first := !c.listed.Swap(true)
	return c.wire != nil || first || !c.useful.Load()
}

// newConn makes a connection of a pipe and begins to read from it.
func newConn(p pipe, w *wire, r *relay, transport string) *conn {
	c := &conn{
		pipe:  p,
		relay: r,
		wire:  w,
		about: About{Transport: transport},
		acked: make(chan struct{}, 1),
	}
	c.Peer = rpc.NewPeer(c, rpc.Options{Requests: maxAsking, Out: p, Mute: true})
	if s, ok := p.(*stdio); ok {
		s.in.Crowd = c.Asking
	}
	go c.read()
	return c
}

// read receives until the pipe ends. Every call that waits then fails.
func (c *conn) read() {
	for {
		m, err := c.pipe.receive()
		if err != nil {
			c.End(err)
			c.pipe.close()
			return
		}
		if m.Method == "" && c.calls.Load() > 0 { // before whoever waits for the answer, or for the end, sees it
			c.useful.Store(true)
		}
		c.Receive(m, c.pipe)
	}
}

// Accept takes a request of the server: the relay answers it.
func (c *conn) Accept(r *rpc.Request) (rpc.Service, *rpc.Error) {
	return &asked{c.relay, r}, nil
}

// Notice takes what the server says.
func (c *conn) Notice(method string, params json.RawMessage) {
	switch {
	case method == rpc.NoticeAcknowledge:
		c.acknowledged(params)
	case c.wanted(method, params):
		c.relay.notice(method, params)
	}
}

// close ends the connection and waits until nothing of it is left. A server of
// the stateless protocol may take its leave only when its subscriptions are
// over.
func (c *conn) close() {
	c.following.Lock()
	subs := []*subscription{c.lists, c.resources}
	c.following.Unlock()
	for _, s := range subs {
		if s != nil && !c.Over() {
			s.end()
		}
	}
	c.Stop()
	c.pipe.close()
	<-c.Done()
	c.Wait()
}

// withMeta adds what the stateless protocol wants in every request, under what
// is there already. session is whose request it is.
func (c *conn) withMeta(params json.RawMessage, session *tool.Session) json.RawMessage {
	if c.meta == nil {
		meta := rawjson.Get(params, "_meta")
		if rawjson.Get(meta, rpc.MetaLogLevel) == nil {
			return params
		}
		return rawjson.Set(params, "_meta", rawjson.Set(meta, rpc.MetaLogLevel, nil)) // not a word of this protocol
	}
	own, _ := rawjson.Object(rawjson.Get(params, "_meta"))
	base := c.meta
	if takesTasks(session) {
		base = c.tasks
	}
	all, _ := rawjson.Object(base)
	if rawjson.Get(rawjson.Join(own), rpc.MetaLogLevel) == nil {
		all = append(all, logWish(session)...)
	}
	for _, m := range own {
		if !slices.ContainsFunc(all, func(x rawjson.Member) bool { return x.Key == m.Key }) {
			all = append(all, m)
		}
	}
	return rawjson.Set(params, "_meta", rawjson.Join(all))
}

// logWish is the wish for log messages of a client that speaks the session
// protocol, where it is said once for all requests.
func logWish(session *tool.Session) []rawjson.Member {
	w := wishesOf(session)
	if w == nil {
		return nil
	}
	return []rawjson.Member{{Key: rpc.MetaLogLevel, Value: rawjson.Quote(w.Level())}}
}

// request asks the server for something. params is an object or nil.
func (c *conn) request(
	ctx context.Context,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	return c.Call(ctx, &rpc.Call{Method: method, Params: c.withMeta(params, nil)})
}

// patiently is request with a deadline of ours, from which the time does not
// count in which the server asks back.
func (c *conn) patiently(
	ctx context.Context, d time.Duration, session *tool.Session, method string, params json.RawMessage,
) (json.RawMessage, error) {
	call := &rpc.Call{Method: method, Params: c.withMeta(params, session)}
	ctx, stop := c.Limit(ctx, d, call)
	defer stop()
	res, err := c.Call(ctx, call)
	return res, rpc.Explained(ctx, err)
}

// levelTime is how long a server may take to note a level of log messages. A call
// does not wait for it any longer, and it is not told of that level again.
const levelTime = 2 * time.Second

// A toldLevel is the level of log messages that a server of the session protocol
// was told last over a connection. The zero value is ready: none.
type toldLevel struct {
	mu    sync.Mutex // held while the server is told: calls that want it come after
	level string
}

// note notes what somebody else tells the server.
func (t *toldLevel) note(params json.RawMessage) {
	level, _ := rawjson.String(rawjson.Get(params, "level"))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level = level
}

// tellLevel sees to it that the server logs what the client of a session asked
// for, before the session's call: the connection may have been made since the
// client said so, or lead from a worker of which the client knows nothing. Where
// sessions share the connection, it logs what any of them asked for, and each
// client is passed its own level.
func (c *conn) tellLevel(ctx context.Context, session *tool.Session) {
	w := wishesOf(session)
	if c.meta != nil || w == nil || !w.Chosen() { // the stateless protocol says it with each request
		return
	}
	t := &c.level
	t.mu.Lock()
	defer t.mu.Unlock()
	level := w.Level()
	shared := c.relay.session == nil || len(c.relay.sessions()) > 1
	if level == t.level || shared && t.level != "" && !rpc.Quieter(level, t.level) || !c.about.can("logging") {
		return
	}
	ctx, stop := context.WithTimeout(ctx, levelTime)
	defer stop()
	params := json.RawMessage(`{"level":"` + level + `"}`)                    // a word of the protocol
	_, _ = c.Call(ctx, &rpc.Call{Method: rpc.MethodSetLevel, Params: params}) // a refusal is its answer, too
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.level = level
	}
}
