package server

import (
	"context"
	"encoding/json"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/names"
	"helve/internal/rpc"
)

// readCall reads the parameters of tools/call. What the protocol does not know is
// left out: clients add members of their own.
func readCall(fields []rawjson.Member) (*toolCall, error) {
	c := &toolCall{}
	mistaken := ""
	for _, m := range fields {
		switch m.Key {
		case "name":
			c.name, _ = rawjson.String(m.Value)
		case "arguments":
			c.args = m.Value
		case "requestState":
			c.state, _ = rawjson.String(m.Value)
		case "inputResponses":
			c.answers = m.Value
		default:
			if meansArguments(m.Key) {
				mistaken = m.Key
			}
		}
	}
	switch {
	case c.args == nil && mistaken != "":
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			`invalid params: the arguments of a call are in "arguments", not in %q`, mistaken)
	case c.name == "":
		return nil, rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "name" is missing`)
	case !areAnswers(c.answers):
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: inputResponses must be an object of objects, at most %d", maxInputResponses)
	case len(c.state) > maxRequestState:
		return nil, rpc.Errorf(
			rpc.CodeInvalidParams,
			"invalid params: requestState has %d bytes",
			len(c.state),
		)
	case string(c.args) == jsonNull:
		c.args = nil
	}
	return c, nil
}

// meansArguments tells that a member was to be the arguments: a call without them
// would do something else than was asked.
func meansArguments(key string) bool {
	switch strings.ToLower(key) {
	case "args", "arg", "input", "inputs", "params", "parameters":
		return true
	}
	return len(names.Near(key, []string{"arguments"}, 1)) > 0
}

// areAnswers tells whether a client that comes back brought what the protocol
// wants: an object of objects, or nothing.
func areAnswers(raw json.RawMessage) bool {
	if raw == nil || string(raw) == jsonNull {
		return true
	}
	members, err := rawjson.Object(raw)
	for _, m := range members {
		if rpc.FirstByte(m.Value) != '{' {
			return false
		}
	}
	return err == nil && len(members) <= maxInputResponses
}

// callTool is tools/call. The tools of a deferred list answer here, before the
// kit: they are not tools of anybody and need no approval.
func callTool(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := readCall(r.fields)
	if err != nil {
		return nil, err
	}
	return visiting(func(ctx context.Context, v *visit) (json.RawMessage, error) {
		return (&calling{visit: v, want: c}).serve(ctx)
	})(ctx, r)
}

// serve answers the call, once the sources have come that it may be about.
func (k *calling) serve(ctx context.Context) (json.RawMessage, error) {
	k.arrive(ctx)
	if l := k.conv.listing(); l.deferred {
		if res, done := l.meta(k.want, k.conv.missing("")); done {
			if k.want.name == "describe_tool" {
				name, _ := rawjson.String(rawjson.Get(k.want.args, "name"))
				res = k.conv.explained(name, res)
			}
			return k.write(res, true)
		}
	}
	return k.era.call(ctx, k)
}

// arrive waits for sources that are starting, if the call may be about a tool of
// theirs: a search is about all of them, a call only about its own.
func (k *calling) arrive(ctx context.Context) {
	name := k.want.name
	switch name {
	case searchName:
		k.await(ctx, "")
		return
	case "describe_tool", "call_tool":
		name, _ = rawjson.String(rawjson.Get(k.want.args, "name"))
	}
	if name != "" && !k.conv.kit.View().Has(name) {
		k.await(ctx, name)
	}
}
