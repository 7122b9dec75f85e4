package server

import (
	"context"
	"encoding/json"

	"helve/internal/rpc"
)

// An era is how a request meets its client in one of the two protocols: what the client wants to hear of, and how it is
// asked something.
type era interface {
	// wantsLog tells whether the client wants log messages of a level.
	wantsLog(level string) bool
	// ask asks the client something on behalf of the request, and waits for the answer.
	ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
}

// A sessionEra is the session protocol's: one level of log messages holds for all requests, and the client answers
// requests of ours.
type sessionEra struct {
	r *request // one pointer alone: a value of an interface holds it without an allocation
}

func (e sessionEra) wantsLog(level string) bool { return !rpc.Quieter(level, e.r.conn.wishes.Level()) }

func (e sessionEra) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return e.r.conn.ask(ctx, e.r.Out, method, params)
}

// A statelessEra is that of the protocol without sessions: a request says itself which log messages it wants, and a
// client is asked by an answer, after which it comes back.
type statelessEra struct {
	level string // "" means no log messages
	run   *run   // the call that goes on while the client is asked; nil: only a call can ask
}

func (e statelessEra) wantsLog(level string) bool {
	return e.level != "" && !rpc.Quieter(level, e.level)
}

func (e statelessEra) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return e.run.putBack(ctx, method, params)
}
