package server

import (
	"context"
	"encoding/json"

	"helve/internal/rpc"
)

// An era is one of the two protocols: what can be asked in it, how its answers look, and how its client is reached
// meanwhile. Its values have no state: what they need of a request is handed to them.
type era interface {
	answers
	refusals
	reach
	// handler serves the requests of a method; nil: the protocol has none of that name.
	handler(name string) handler
	// said is what the client said of itself; nil: nothing yet.
	said(r *request) *clientInfo
	// admit tells whether this is the time for a request.
	admit(r *request) *rpc.Error
	// call serves a call of a tool.
	call(ctx context.Context, k *calling) (json.RawMessage, error)
}

// answers are how the results of a protocol look.
type answers interface {
	// opening are the members with which the result of a tool begins.
	opening() string
	// meta is the _meta of a tool's result that has so much itself; nil for none.
	meta(s *Server, extra json.RawMessage) json.RawMessage
	// complete is the result of another method, which may be cached.
	complete(s *Server, result json.RawMessage, cached bool) json.RawMessage
}

// refusals are how the errors of a protocol look.
type refusals interface {
	// notFound is the code for a resource that is none.
	notFound() int
	// status is that of HTTP.
	status(e *rpc.Error) int
}

// reach is how a client is reached while one of its requests is served.
type reach interface {
	// wantsLog tells whether the client wants log messages of a level.
	wantsLog(r *request, level string) bool
	// wishes are those of a connection that hold for all requests; nil: each has its own.
	wishes(c *connection) *rpc.Wishes
	// ask asks the client something on behalf of a request, and waits for the answer.
	ask(ctx context.Context, v *visit, method string, params json.RawMessage) (json.RawMessage, error)
	// takesTasks tells whether the client can live with a task in place of a result.
	takesTasks(c *clientInfo) bool
}

// The two there are.
var (
	_ era = sessionEra{}
	_ era = statelessEra{}
)

// isOurs tells whether one of the protocols has a method of that name: no extension can.
func isOurs(name string) bool {
	return sessionEra{}.handler(name) != nil || statelessEra{}.handler(name) != nil
}
