package server

import (
	"context"
	"encoding/json"
	"fmt"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	maxRequestState   = 64 << 10 // bytes of a sealed state that comes back
	maxSubscribed     = 1000     // resources that one client may follow
	maxInputResponses = 64       // answers in one retry
)

// A request is one of the client's, while it is served. Its life, from its arrival to its answer, is in package
// rpc; here is what this server makes of it: what it says of itself (heading), how it is answered (reply), and
// where it belongs.
type request struct {
	*rpc.Request
	conn   *connection
	handle handler
	known  bool             // the method is the protocol's, no extension's
	fields []rawjson.Member // of the parameters, split once
	pulse  *pulse           // tells of its progress; nil: nobody listens
	reply

	conv *conversation // nil until a handler opens it
	run  *run          // of the stateless protocol: the call that goes on while the client is asked
}

// A handler serves the requests of one method.
type handler func(ctx context.Context, r *request) (json.RawMessage, error)

// requestKey is the context key of the request that is served: a question of a
// tool belongs to it.
type requestKey struct{}

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

// passed are the parameters as an upstream may see them: of the protocol's keys
// of _meta, which are between the client and us, only the wish for log messages.
func (r *request) passed() json.RawMessage { return rawjson.Set(r.Params, "_meta", r.upstreamMeta()) }

// first refuses to go on with a list that has one page.
func (r *request) first() error {
	if c := rawjson.Get(r.Params, "cursor"); c != nil && string(c) != jsonNull {
		return errCursor()
	}
	return nil
}

// beat begins to tell the client how its request comes along, if it asked for that. stop must be called before the
// answer is sent: nothing may follow it.
func (r *request) beat(ctx context.Context) (stop func()) {
	if r.progress == nil || r.Method == rpc.MethodListen { // that one waits for news, for ever
		return func() {}
	}
	r.pulse = newPulse(r.progress, func(params json.RawMessage) { r.tell(ctx, rpc.NoticeProgress, params) })
	return r.pulse.stop
}

// reporter is what a tool of this request reports to; nil: nobody listens.
func (r *request) reporter() func(tool.Progress) {
	if r.pulse == nil {
		return nil
	}
	return r.pulse.report
}

// say tells the client what its request waits for.
func (r *request) say(message string) {
	if r.pulse != nil {
		r.pulse.report(tool.Progress{Message: message})
	}
}
