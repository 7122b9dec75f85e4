package server

import (
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// A method is what the server does on a request, and in which protocols.
type method struct {
	handle             handler
	session, stateless bool
}

// lookup finds a method. A map of them could be no constant: handlers lead back
// to it.
func lookup(name string) (m method, ok bool) {
	switch name {
	case rpc.MethodInitialize:
		return method{handle: initialize, session: true}, true
	case "ping":
		return method{handle: ping, session: true}, true
	case rpc.MethodSetLevel:
		return method{handle: setLevel, session: true}, true
	case rpc.MethodSubscribe:
		return method{handle: seeking(visiting, subscribe), session: true}, true
	case rpc.MethodUnsubscribe:
		return method{handle: seeking(visiting, unsubscribe), session: true}, true
	case rpc.MethodDiscover:
		return method{handle: discover, stateless: true}, true
	case rpc.MethodListen:
		return method{handle: listen, stateless: true}, true
	case rpc.MethodTaskGet:
		return method{handle: onTask(getTask), stateless: true}, true
	case rpc.MethodTaskUpdate:
		return method{handle: onTask(updateTask), stateless: true}, true
	case rpc.MethodTaskCancel:
		return method{handle: onTask(cancelTask), stateless: true}, true
	}
	if h := common(name); h != nil {
		return method{handle: h, session: true, stateless: true}, true
	}
	return method{}, false
}

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
	m, known := lookup(r.Method)
	ok := known
	if !ok && r.extended() {
		m, ok = method{handle: attached(passOn), session: true, stateless: true}, true
	}
	if !ok || r.stateless && !m.stateless || !r.stateless && !m.session {
		return rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %.80s", r.Method)
	}
	r.handle, r.known = m.handle, known
	if r.stateless {
		return nil
	}
	if r.Method == rpc.MethodInitialize || r.Method == "ping" {
		r.Inline = true
		return nil
	}
	return r.initialized()
}

// initialized takes what initialize said, without which the session protocol
// serves nothing.
func (r *request) initialized() *rpc.Error {
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	if r.conn.client == nil {
		if !r.conn.conf.anySession {
			return rpc.Errorf(
				rpc.CodeInvalidRequest,
				"invalid request: initialize comes first, or a request of protocol %s with its _meta",
				rpc.Stateless,
			)
		}
		r.conn.client = &clientInfo{conversation: r.conversation}
	}
	r.client = r.conn.client
	return nil
}

// Serve runs the handler.
func (r *request) Serve(ctx context.Context) (rpc.Answer, error) {
	defer r.beat(ctx)()
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

// Accept reads what the protocol says around a request.
func (c *connection) Accept(q *rpc.Request) (rpc.Service, *rpc.Error) {
	r := &request{Request: q, conn: c, reply: reply{srv: c.srv, id: q.ID}}
	if bad := r.frame(); bad != nil {
		return nil, bad
	}
	return r, nil
}
