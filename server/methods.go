package server

import (
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// common are the methods of both protocols.
func common(name string) handler {
	switch name {
	case rpc.MethodCall:
		return callTool
	case "tools/list":
		return func(ctx context.Context, r *request) (json.RawMessage, error) { return r.visited(ctx, listTools) }
	case "resources/list":
		return listed(listResources)
	case "resources/templates/list":
		return listed(listTemplates)
	case "resources/read":
		return seeking(attached, readResource)
	case "prompts/list":
		return listed(listPrompts)
	case "prompts/get":
		return getPrompt
	case "completion/complete":
		return attached(complete)
	case rpc.MethodSkills:
		return listed(listSkills)
	case rpc.MethodSkill:
		return seeking(attached, getSkill)
	case rpc.MethodDirectory:
		return seeking(attached, readDirectory)
	}
	return nil
}

// frame reads what is around the parameters: the protocol, who asks, whether
// this is the time for it.
func (r *request) frame() *rpc.Error {
	r.fields, _ = rawjson.Object(r.Params) // it is an object, or nothing
	for _, f := range r.fields {
		if f.Key != "_meta" {
			continue
		}
		meta, _ := rawjson.Object(f.Value) // what is no object says nothing
		if bad := r.heading.read(meta); bad != nil {
			return bad
		}
	}
	r.handle = r.era.handler(r.Method)
	if r.handle == nil && !isOurs(r.Method) && r.extended() {
		r.handle, r.foreign = attached(passOn), true
	}
	if r.handle == nil {
		return rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %.80s", r.Method)
	}
	if r.progress != nil && r.Method != rpc.MethodListen { // that one waits for news, for ever
		r.pulse = &pulse{token: r.progress}
	}
	return r.era.admit(r)
}

// Serve runs the handler.
func (r *request) Serve(ctx context.Context) (rpc.Answer, error) {
	defer r.beat(ctx)()
	if to := r.srv.o.Telemetry; to != nil {
		return r.traced(ctx, to)
	}
	return r.serve(ctx)
}

// serve is the answer of the handler.
func (r *request) serve(ctx context.Context) (rpc.Answer, error) {
	result, err := r.handle(ctx, r)
	if err != nil {
		return rpc.Answer{}, err
	}
	return r.answer(result), nil
}

// Accept reads what the protocol says around a request.
func (c *connection) Accept(q *rpc.Request) (rpc.Service, *rpc.Error) {
	r := &request{Request: q, conn: c, reply: reply{srv: c.srv, id: q.ID, heading: heading{era: sessionEra{}}}}
	if bad := r.frame(); bad != nil {
		return nil, bad
	}
	return r, nil
}
