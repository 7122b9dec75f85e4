package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"helve/internal/rpc"
	"helve/internal/wire"
	"helve/tool"
)

// An asker is a run, by way of which a client is told and asked.
type asker interface {
	frame(k wire.Kind, body []byte)
	question(ctx context.Context, q wire.Question) (wire.AnswerTo, error)
}

// runKey is the context key of the run on whose behalf something is called.
type runKey struct{}

// A client is whoever a conversation is with, at the gateway: tools of the worker tell it and ask it by way of a run.
type client struct {
	wishes *rpc.Wishes // nil: it does not speak the session protocol

	mu   sync.Mutex
	runs []asker // of the conversation, those that have begun, oldest first
}

// clientOf makes the client of a session that is new. Where nobody can be asked the session has no Back.
func clientOf(s *tool.Session, of wire.Session) *client {
	c := &client{}
	if of.Level != "" {
		c.wishes = &rpc.Wishes{}
		c.wants(of)
		tool.Of(s, func() *rpc.Wishes { return c.wishes })
	}
	tool.Of(s, func() *client { return c })
	if of.Asks {
		s.Capabilities = of.Capabilities
		s.Back = c.back
	}
	return c
}

// wants notes the least urgent log message that the client wants. Whether it has asked for that at all makes a
// difference: servers of the session protocol, which are told by whoever calls them, log as they like until then.
func (c *client) wants(of wire.Session) {
	if c.wishes == nil || !rpc.IsLevel(of.Level) {
		return
	}
	if c.wishes.Level() != of.Level || of.Chosen && !c.wishes.Chosen() {
		c.wishes.SetLevel(of.Level)
	}
}

// begin notes that a run goes on, until the returned function is called.
func (c *client) begin(r asker) func() {
	c.mu.Lock()
	c.runs = append(c.runs, r)
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.runs = slices.DeleteFunc(c.runs, func(other asker) bool { return other == r })
	}
}

// asker is the run that a question belongs to. A tool's own context knows it. One of an MCP server does not say which
// call it is about: it belongs to the newest one of the conversation. nil: none goes on.
func (c *client) asker(ctx context.Context) asker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := ctx.Value(runKey{}).(asker); ok && slices.Contains(c.runs, r) {
		return r
	}
	if len(c.runs) == 0 {
		return nil
	}
	return c.runs[len(c.runs)-1]
}

// back is Session.Back: the gateway passes it on.
func (c *client) back(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	r := c.asker(ctx)
	if r == nil {
		return nil, rpc.ErrNobody
	}
	ask := &wire.Ask{Method: method, Params: params}
	if strings.HasPrefix(method, rpc.NoticePrefix) {
		r.frame(wire.FrameNotice, wire.Encode(ask))
		return nil, nil
	}
	a, err := r.question(ctx, wire.Question{Ask: ask})
	if err != nil {
		return nil, err
	}
	if a.Refused != nil {
		return nil, &rpc.Error{Code: a.Refused.Code, Message: a.Refused.Message, Data: a.Refused.Data}
	}
	if a.Failed {
		return nil, errNobody
	}
	return a.Answer, nil
}

// errNobody says that nobody was there whom the gateway could ask.
var errNobody = errors.New("the gateway could ask nobody")
