package app

import (
	"context"
	"encoding/json"
	"errors"

	"helve/server"
	"helve/source/upstream"
	"helve/tool"
)

// A forwarder is an MCP server as package server wants one: the codes of its errors stay.
type forwarder struct{ *upstream.Source }

var _ server.Upstream = forwarder{}

// Request is the source's.
func (u forwarder) Request(ctx context.Context, s *tool.Session, method string, params json.RawMessage) (json.RawMessage, error) {
	res, err := u.Source.Request(ctx, s, method, params)
	return res, coded(err)
}

// List is the source's.
func (u forwarder) List(ctx context.Context, s *tool.Session, method, member string) ([]json.RawMessage, error) {
	items, err := u.Source.List(ctx, s, method, member)
	return items, coded(err)
}

// coded is an error of a server in the other shelf's words.
func coded(err error) error {
	if e, ok := errors.AsType[*upstream.RPCError](err); ok {
		return &server.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return err
}

// upstreams are the servers behind the house, none while it is not open.
func (h *hall) upstreams() []server.Upstream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.house == nil {
		return nil
	}
	var out []server.Upstream
	for _, s := range h.house.servers {
		out = append(out, forwarder{s})
	}
	return out
}
