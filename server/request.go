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
// rpc; here is what this server makes of it: what it says of itself (heading), and how it is answered (reply). Where it
// belongs is a visit.
type request struct {
	*rpc.Request
	conn    *connection
	fields  []rawjson.Member // of the parameters, split once
	handle  handler
	foreign bool   // the method is an extension's
	pulse   *pulse // tells of its progress; nil: nobody listens
	reply
}

// A handler serves the requests of one method.
type handler func(ctx context.Context, r *request) (json.RawMessage, error)

// open is the conversation to which the request belongs.
func (r *request) open(ctx context.Context) (*conversation, error) {
	conv, err := r.conn.open(ctx, r.client, r.era.wishes(r.conn))
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: fmt.Sprintf("open the workspace: %v", err)}
	}
	return conv, nil
}

// tell sends a notification that belongs to the request.
func (r *request) tell(ctx context.Context, method string, params json.RawMessage) error {
	return r.conn.Tell(ctx, r.Out, method, params)
}

// passed are the parameters as an upstream may see them: of the protocol's keys
// of _meta, which are between the client and us, only the wish for log messages.
func (r *request) passed() json.RawMessage { return rawjson.Set(r.Params, "_meta", r.upstreamMeta()) }

// beat begins to tell the client how its request comes along, if it asked for that. stop must be called before the
// answer is sent: nothing may follow it.
func (r *request) beat(ctx context.Context) (stop func()) {
	if r.pulse == nil {
		return func() {}
	}
	return r.pulse.begin(func(params json.RawMessage) { r.tell(ctx, rpc.NoticeProgress, params) })
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
