package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"helve/server"
	"helve/source/upstream"
	"helve/tool"
)

// Upstreams are the servers that a gateway passes on.
func (l *Servers) Upstreams() []server.Upstream {
	var out []server.Upstream
	for _, s := range l.list {
		out = append(out, forwarder{s})
	}
	return out
}

// Instructions are what the servers say to models about their tools, as far as that is known without starting one.
func (l *Servers) Instructions() []server.Instructions {
	var out []server.Instructions
	for _, s := range l.list {
		if text := s.Instructions(); text != "" {
			out = append(out, server.Instructions{Server: s.Name(), Text: text})
		}
	}
	return out
}

// For are the servers that a session lists for itself.
func (l *Servers) For(s *tool.Session) []tool.Source {
	var own []tool.Source
	for _, u := range l.list {
		if view := u.For(s); view != nil {
			own = append(own, view)
		}
	}
	return own
}

// A forwarder is an MCP server as package server wants one: the codes of its errors stay.
type forwarder struct{ *upstream.Source }

var _ server.Upstream = forwarder{}

// Request is the source's.
func (u forwarder) Request(
	ctx context.Context,
	s *tool.Session,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	res, err := u.Source.Request(ctx, s, method, params)
	return res, coded(err)
}

// List is the source's.
func (u forwarder) List(
	ctx context.Context,
	s *tool.Session,
	method, member string,
) ([]json.RawMessage, error) {
	items, err := u.Source.List(ctx, s, method, member)
	return items, coded(err)
}

// coded is an error of a server in the words of package server.
func coded(err error) error {
	e, ok := errors.AsType[*upstream.RPCError](err)
	if !ok {
		return err
	}
	return &server.Error{
		Code:    e.Code,
		Message: e.Message,
		Data:    e.Data,
	}
}
