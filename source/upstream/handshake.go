package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

const (
	// probeTime is how long a server may take to answer a question of the
	// stateless protocol before the handshake of the other is sent as well: some
	// servers ignore what they do not know, for ever.
	probeTime = 800 * time.Millisecond
	// webProbeTime is the same for a server behind a URL, which answers what it
	// does not know with an error, if slowly.
	webProbeTime = 4 * time.Second
)

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
