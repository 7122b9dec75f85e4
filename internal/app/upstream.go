package app

import (
	"context"
	"encoding/json"
	"errors"

	"helve/server"
	"helve/source/mcp"
	"helve/tool"
)

// An upstream is an MCP server as package server wants it: errors of the protocol keep their codes.
type upstream struct{ *mcp.Source }

var _ server.Upstream = upstream{}

func (u upstream) List(ctx context.Context, s *tool.Session, method, member string) ([]json.RawMessage, error) {
	items, err := u.Source.List(ctx, s, method, member)
	return items, rpcError(err)
}

func (u upstream) Request(ctx context.Context, s *tool.Session, method string, params json.RawMessage) (json.RawMessage, error) {
	res, err := u.Source.Request(ctx, s, method, params)
	return res, rpcError(err)
}

func rpcError(err error) error {
	if e, ok := errors.AsType[*mcp.RPCError](err); ok {
		return &server.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return err
}
