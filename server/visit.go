package server

import (
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
)

// A visit is a request in the conversation that it belongs to.
type visit struct {
	*request
	conv *conversation
	run  *run // of the stateless protocol: the call that goes on while the client is asked; nil: none, or not yet
}

// visitKey is the context key of the visit that is served: a question of a tool
// belongs to it.
type visitKey struct{}

// within is a context in which questions of tools belong to the visit.
func (v *visit) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// A visitor serves requests in their conversations.
type visitor func(ctx context.Context, v *visit) (json.RawMessage, error)

// visiting is a handler of requests that need their conversation, of which no upstream asks anything.
func visiting(serve visitor) handler {
	return func(ctx context.Context, r *request) (json.RawMessage, error) { return r.visited(ctx, serve) }
}

// visited serves the request in its conversation.
func (r *request) visited(ctx context.Context, serve visitor) (json.RawMessage, error) {
	conv, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	v := &visit{request: r, conv: conv}
	return serve(v.within(ctx), v)
}

// attached is visiting for what may make upstream servers ask back: as long as
// it is served, their questions are about this request.
func attached(serve visitor) handler {
	return visiting(func(ctx context.Context, v *visit) (json.RawMessage, error) {
		defer v.conv.begin(v)()
		return serve(ctx, v)
	})
}

// A seeker serves requests for what has an address.
type seeker func(ctx context.Context, v *visit, uri string) (json.RawMessage, error)

// seeking is a handler of those: without an address the conversation is not opened.
func seeking(in func(visitor) handler, serve seeker) handler {
	return func(ctx context.Context, r *request) (json.RawMessage, error) {
		uri, ok := rawjson.String(rawjson.Get(r.Params, "uri"))
		if !ok {
			return nil, noURI()
		}
		found := in(func(ctx context.Context, v *visit) (json.RawMessage, error) { return serve(ctx, v, uri) })
		return found(ctx, r)
	}
}

// listed is attached for lists that have one page, which a client cannot go on with.
func listed(serve visitor) handler {
	return func(ctx context.Context, r *request) (json.RawMessage, error) {
		if err := onePage(r.Params); err != nil {
			return nil, err
		}
		return attached(serve)(ctx, r)
	}
}
