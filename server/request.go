package server

import (
	"context"
	"encoding/json"
	"fmt"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

const (
	maxRequestState   = 64 << 10 // bytes of a sealed state that comes back
	maxSubscribed     = 1000     // resources that one client may follow
	maxInputResponses = 64       // answers in one retry
	jsonNull          = "null"
)

// A request is one of the client's, while it is served. Its life, from its
// arrival to its answer, is in package rpc; here is what this server makes of
// it.
type request struct {
	*rpc.Request
	conn   *connection
	handle handler
	fields []rawjson.Member // of the parameters, split once
	pulse  *pulse           // tells of its progress; nil: nobody listens
	reply

	conv *conversation // set by the handler that needs it
	run  *run          // of the stateless protocol: the call that goes on while the client is asked
}

// A handler serves the requests of one method.
type handler func(ctx context.Context, r *request) (json.RawMessage, error)

// requestKey is the context key of the request that is served: a question of a
// tool belongs to it.
type requestKey struct{}

// Serve runs the handler.
func (r *request) Serve(ctx context.Context) (rpc.Answer, error) {
	defer r.beat(ctx)()
	ctx = context.WithValue(ctx, requestKey{}, r)
	handle := r.handle
	if to := r.conn.srv.o.Telemetry; to != nil {
		handle = func(ctx context.Context, r *request) (json.RawMessage, error) { return r.traced(ctx, to) }
	}
	result, err := handle(ctx, r)
	if err != nil {
		return rpc.Answer{}, err
	}
	return r.answer(result), nil
}

// open is the conversation to which the request belongs.
func (r *request) open(ctx context.Context) (*conversation, error) {
	conv, err := r.conn.open(ctx, r.client)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: fmt.Sprintf("open the workspace: %v", err)}
	}
	return conv, nil
}

// attach is open for handlers that may make upstream servers ask back: until
// the returned function is called, their questions are about this request.
func (r *request) attach(ctx context.Context) (*conversation, func(), error) {
	conv, err := r.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.conv = conv
	return conv, conv.begin(r), nil
}

// tell sends a notification that belongs to the request.
func (r *request) tell(ctx context.Context, method string, params json.RawMessage) error {
	return r.conn.Tell(ctx, r.Out, method, params)
}

// wantsLog tells whether the client wants a log message: in the session protocol
// one level holds for all requests.
func (r *request) wantsLog(params json.RawMessage) bool {
	level, _ := rawjson.String(rawjson.Get(params, "level"))
	if r.stateless {
		return r.logLevel != "" && !rpc.Quieter(level, r.logLevel)
	}
	return !rpc.Quieter(level, r.conn.wishes.Level())
}
