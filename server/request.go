package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

	conversation string      // as the client names it in _meta
	client       *clientInfo // in the stateless protocol what came with the request, else what initialize said
	stateless    bool
	meta         json.RawMessage // _meta without the protocol's own keys; nil for none
	wish         wish            // what the client wants of a result's data
	progress     json.RawMessage // the token under which progress is told; nil: nobody listens
	pulse        *pulse          // tells it; nil: nobody listens
	logLevel     string          // of the stateless protocol: "" means no log messages

	framed []byte // a result that is in its envelope already, from the byte from on
	from   int
	conv   *conversation // set by the handler that needs it
	ended  *ending       // for its span; nil: it has none
	run    *run          // of the stateless protocol: the call that goes on while the client is asked
}

// A handler serves the requests of one method.
type handler func(ctx context.Context, r *request) (json.RawMessage, error)

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
		return method{handle: subscribe, session: true}, true
	case rpc.MethodUnsubscribe:
		return method{handle: unsubscribe, session: true}, true
	case rpc.MethodDiscover:
		return method{handle: discover, stateless: true}, true
	case rpc.MethodListen:
		return method{handle: listen, stateless: true}, true
	case rpc.MethodTaskGet:
		return method{handle: getTask, stateless: true}, true
	case rpc.MethodTaskUpdate:
		return method{handle: updateTask, stateless: true}, true
	case rpc.MethodTaskCancel:
		return method{handle: cancelTask, stateless: true}, true
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
		return listTools
	case "resources/list":
		return listResources
	case "resources/templates/list":
		return listTemplates
	case "resources/read":
		return readResource
	case "prompts/list":
		return listPrompts
	case "prompts/get":
		return getPrompt
	case "completion/complete":
		return complete
	case rpc.MethodSkills:
		return listSkills
	case rpc.MethodSkill:
		return getSkill
	case rpc.MethodDirectory:
		return readDirectory
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
		if bad := r.readMeta(meta); bad != nil {
			return bad
		}
	}
	m, ok := lookup(r.Method)
	if !ok && r.extended() {
		m, ok = method{handle: passOn, session: true, stateless: true}, true
	}
	if !ok || r.stateless && !m.stateless || !r.stateless && !m.session {
		return rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %.80s", r.Method)
	}
	r.handle = m.handle
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

// readMeta splits _meta into the protocol's part and what is passed on.
func (r *request) readMeta(meta []rawjson.Member) *rpc.Error {
	c := &clientInfo{}
	var rest []rawjson.Member
	for _, m := range meta {
		switch m.Key {
		case rpc.MetaProgress:
			if rpc.ValidID(m.Value) {
				r.progress = m.Value
			}
		case rpc.MetaVersion:
			c.protocol, _ = rawjson.String(m.Value)
		case rpc.MetaClient:
			c.named(m.Value)
		case rpc.MetaCapabilities:
			if rpc.FirstByte(m.Value) == '{' {
				c.capabilities = m.Value
			}
		case rpc.MetaLogLevel:
			r.logLevel, _ = rawjson.String(m.Value)
		case MetaConversation:
			name, bad := readConversation(m.Value)
			if bad != nil {
				return bad
			}
			c.conversation, r.conversation = name, name
		case MetaData:
			wish, bad := readWish(m.Value)
			if bad != nil {
				return bad
			}
			r.wish = wish
		default:
			if !strings.HasPrefix(m.Key, rpc.MetaPrefix) {
				rest = append(rest, m)
			}
		}
	}
	if rest != nil {
		r.meta = rawjson.Join(rest)
	}
	switch {
	case c.protocol < rpc.Stateless: // also none
		return nil
	case !slices.Contains(rpc.Versions(), c.protocol):
		about := map[string]any{"supported": rpc.Versions(), "requested": c.protocol}
		data, _ := json.Marshal(about) // strings only
		return &rpc.Error{Code: rpc.CodeVersion, Message: "unsupported protocol version", Data: data}
	case c.capabilities == nil:
		return rpc.Errorf(rpc.CodeInvalidParams, "missing or invalid _meta field %q", rpc.MetaCapabilities)
	}
	r.stateless, r.client = true, c
	return nil
}

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

// upstreamMeta is the client's _meta as an upstream may see it. In the stateless
// protocol the wish for log messages is part of each request.
func (r *request) upstreamMeta() json.RawMessage {
	if r.logLevel == "" {
		return r.meta
	}
	meta := r.meta
	if meta == nil {
		meta = json.RawMessage("{}")
	}
	return rawjson.Set(meta, rpc.MetaLogLevel, rawjson.Quote(r.logLevel))
}

// complete frames a result of the stateless protocol: its type, who answers,
// and where lists and contents may be kept. What an upstream set itself stays.
func (r *request) complete(result json.RawMessage, cached bool) json.RawMessage {
	if !r.stateless {
		return result
	}
	members, err := rawjson.Object(result)
	if err != nil {
		return result
	}
	members = withMember(members, "resultType", json.RawMessage(`"complete"`))
	if cached {
		members = withMember(members, "ttlMs", json.RawMessage(r.conn.srv.ttl()))
		members = withMember(members, "cacheScope", json.RawMessage(`"private"`))
	}
	info := r.conn.srv.info()
	for i, m := range members {
		if m.Key != "_meta" {
			continue
		}
		if rawjson.Get(m.Value, rpc.MetaServer) == nil {
			members[i].Value = rawjson.Set(m.Value, rpc.MetaServer, info)
		}
		return rawjson.Join(members)
	}
	meta := rawjson.Join([]rawjson.Member{{Key: rpc.MetaServer, Value: info}})
	return rawjson.Join(append(members, rawjson.Member{Key: "_meta", Value: meta}))
}

// withMember adds a member unless its key is there.
func withMember(members []rawjson.Member, key string, v json.RawMessage) []rawjson.Member {
	if slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Key == key }) {
		return members
	}
	return append(members, rawjson.Member{Key: key, Value: v})
}

// ttl is for how many milliseconds a client may keep a list: a changed one is
// announced, but a client that does not listen should ask again soon.
func (s *Server) ttl() string {
	if s.o.Static {
		return "3600000"
	}
	return "30000"
}
