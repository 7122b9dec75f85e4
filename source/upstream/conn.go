package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// maxAsking is how many requests of one server may wait for us at a time.
	maxAsking = 16

	// probeTime is how long a server may take to answer a question of the
	// stateless protocol before the handshake of the other is sent as well: some
	// servers ignore what they do not know, for ever.
	probeTime = 800 * time.Millisecond
	// webProbeTime is the same for a server behind a URL, which answers what it
	// does not know with an error, if slowly.
	webProbeTime = 4 * time.Second
)

// An RPCError is what a server answered in place of a result: Code, Message,
// and Data as it came.
type RPCError = rpc.Error

// A pipe carries messages. Sending may be concurrent, receive is for one at a
// time; close ends both and returns when nothing is left of it.
type pipe interface {
	rpc.Out
	receive() (*rpc.Message, error)
	close()
}

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

// A handshake is what the two sides bring to it.
type handshake struct {
	info         json.RawMessage // our name and version
	capabilities json.RawMessage // those of the client behind us
	protocol     string          // rpc.Stateless or rpc.Session if that is known from before; "" to find out
	probe        time.Duration   // how long the stateless protocol has before the other is tried as well
	busy         func() bool     // a person logs in: it takes longer
}

// shake agrees on a protocol. Whichever answer comes first counts; a server
// that knows only one protocol answers only one question, or nothing at all,
// which the deadline of ctx ends.
func (c *conn) shake(ctx context.Context, h handshake) error {
	c.meta = rawjson.Join([]rawjson.Member{
		{Key: rpc.MetaVersion, Value: rawjson.Quote(rpc.Stateless)},
		{Key: rpc.MetaClient, Value: h.info},
		{Key: rpc.MetaCapabilities, Value: h.capabilities},
	})
	c.tasks = rawjson.Set(c.meta, rpc.MetaCapabilities, withTasks(h.capabilities))
	if h.protocol == rpc.Session {
		return c.initialize(ctx, h)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	found := make(chan answered, 1)
	ask := rawjson.Join([]rawjson.Member{{Key: "_meta", Value: c.meta}})
	go func() { found <- c.discover(ctx, ask) }()
	for {
		select {
		case f := <-found:
			if f.err == nil {
				c.is(f.about)
			}
			if f.err == nil || c.Over() {
				return f.err
			}
			return c.initialize(ctx, h)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(h.probe):
			if !h.busy() {
				return c.either(ctx, h, found)
			}
		}
	}
}

// An answered is what came of the question of one protocol.
type answered struct {
	about *About
	err   error
}

// either waits for the answer of one protocol or the other. A failure of one
// leaves the other its chance.
func (c *conn) either(ctx context.Context, h handshake, found chan answered) error {
	old := make(chan answered, 1)
	go func() { old <- c.ask(ctx, h) }()
	var last error
	for range 2 {
		select {
		case f := <-found:
			if f.err == nil {
				c.is(f.about)
				return nil
			}
			last = cmp.Or(last, f.err)
		case f := <-old:
			if f.err == nil {
				return c.settle(ctx, f.about)
			}
			last = f.err
		}
	}
	return last
}

// is takes what the server says of itself.
func (c *conn) is(a *About) {
	a.Transport = c.about.Transport
	c.about = *a
}

// discover asks a server of the stateless protocol what it is.
func (c *conn) discover(ctx context.Context, ask json.RawMessage) answered {
	question := func() (json.RawMessage, error) {
		return c.Call(ctx, &rpc.Call{Method: rpc.MethodDiscover, Params: ask, Held: true})
	}
	res, err := question()
	refusal, ok := errors.AsType[*RPCError](err)
	if ok && refusal.Code == rpc.CodeVersion && speaksStateless(refusal.Data) {
		res, err = question() // it says that it does, after all
	}
	if err != nil {
		return answered{err: err}
	}
	var in struct {
		Versions     []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions"`
		Meta         json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(res, &in); err != nil {
		return answered{err: fmt.Errorf("server/discover: %w", err)}
	}
	if !slices.Contains(in.Versions, rpc.Stateless) {
		return answered{
			err: fmt.Errorf("server/discover: the server speaks %q, not %s", in.Versions, rpc.Stateless),
		}
	}
	a := &About{Protocol: rpc.Stateless, Capabilities: in.Capabilities, Instructions: in.Instructions}
	a.named(rawjson.Get(in.Meta, rpc.MetaServer))
	return answered{about: a}
}

// speaksStateless tells whether the refusal of a version names the one that is
// spoken here.
func speaksStateless(data json.RawMessage) bool {
	supported, _ := rawjson.Array(rawjson.Get(data, "supported"))
	return slices.ContainsFunc(supported, func(v json.RawMessage) bool {
		s, _ := rawjson.String(v)
		return s == rpc.Stateless
	})
}

// initialize shakes hands as the session protocol does.
func (c *conn) initialize(ctx context.Context, h handshake) error {
	f := c.ask(ctx, h)
	if f.err != nil {
		return f.err
	}
	return c.settle(ctx, f.about)
}

// ask is the question of the session protocol. Each version that is spoken here is
// taken from the server, the newest is offered.
func (c *conn) ask(ctx context.Context, h handshake) answered {
	params := rawjson.Join([]rawjson.Member{
		{Key: "protocolVersion", Value: rawjson.Quote(rpc.Session)},
		{Key: "capabilities", Value: h.capabilities},
		{Key: "clientInfo", Value: h.info},
	})
	res, err := c.Call(ctx, &rpc.Call{Method: rpc.MethodInitialize, Params: params, Held: true})
	if err != nil {
		return answered{err: fmt.Errorf("initialize: %w", err)}
	}
	a := &About{Capabilities: rawjson.Get(res, "capabilities")}
	a.Protocol, _ = rawjson.String(rawjson.Get(res, "protocolVersion"))
	a.Instructions, _ = rawjson.String(rawjson.Get(res, "instructions"))
	a.named(rawjson.Get(res, "serverInfo"))
	if !slices.Contains(rpc.SessionVersions(), a.Protocol) {
		return answered{
			err: fmt.Errorf(
				"initialize: the server speaks version %.40q, which is not known here",
				a.Protocol,
			),
		}
	}
	return answered{about: a}
}

// settle ends the handshake of the session protocol.
func (c *conn) settle(ctx context.Context, a *About) error {
	c.is(a)
	c.meta = nil
	if c.wire != nil {
		c.wire.head.version.Store(a.Protocol)
	}
	if err := c.Tell(ctx, nil, rpc.NoticeInitialized, nil); err != nil {
		return err
	}
	if c.wire == nil || c.about.Transport == "sse" {
		return nil
	}
	open := make(chan struct{})
	c.wire.aside(func() { c.wire.listen(open) })
	select { // some servers lose what they say before the stream is there
	case <-open:
	case <-time.After(probeTime):
	case <-ctx.Done():
	}
	return nil
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

// oldTransport tells whether a failed start may be one of a server that has
// only the SSE transport.
func oldTransport(err error) bool {
	if errors.Is(err, errContentType) {
		return true
	}
	var st *statusError
	if !errors.As(err, &st) || st.code == 401 || st.code == 403 {
		return false
	}
	return st.code >= 400 && st.code < 500
}
