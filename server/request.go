package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	rawjson "helve/internal/json"
)

// Keys of _meta in the newer era.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaClient       = metaPrefix + "clientInfo"
	metaServer       = metaPrefix + "serverInfo"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaSubscription = metaPrefix + "subscriptionId"
)

// A request is one of the client, while it is served.
type request struct {
	peer   *peer
	id     json.RawMessage
	method string
	handle handler
	params json.RawMessage
	fields []rawjson.Member // of params, split once
	out    stream           // what belongs to this request, its answer first of all
	head   http.Header      // of HTTP; nil on stdio

	hello    *hello // of the newer era: what came with the request; else what initialize said
	modern   bool
	meta     json.RawMessage // _meta without the protocol's own keys; nil for none
	progress json.RawMessage // the token under which progress is told; nil: nobody listens
	logLevel string          // of the newer era: "" means no log messages

	stop      context.CancelFunc
	cancelled bool   // by the client: no answer is sent. Guarded by peer.mu
	framed    []byte // a result that stands in its envelope already, from the byte from on
	from      int
	live      *room
	run       *run // of the newer era: the call that goes on while the client is asked
}

type handler func(ctx context.Context, r *request) (json.RawMessage, error)

// A method is what the server does on a request, and in which eras.
type method struct {
	handle       handler
	older, newer bool
}

// lookup finds a method. A map of them could be no constant: handlers lead back to it.
func lookup(name string) (m method, ok bool) {
	switch name {
	case "tools/call":
		return method{callTool, true, true}, true
	case "tools/list":
		return method{listTools, true, true}, true
	case "initialize":
		return method{initialize, true, false}, true
	case "ping":
		return method{ping, true, false}, true
	case "logging/setLevel":
		return method{setLevel, true, false}, true
	case "resources/subscribe":
		return method{subscribe, true, false}, true
	case "resources/unsubscribe":
		return method{unsubscribe, true, false}, true
	case "server/discover":
		return method{discover, false, true}, true
	case "subscriptions/listen":
		return method{listen, false, true}, true
	case "resources/list":
		return method{listResources, true, true}, true
	case "resources/templates/list":
		return method{listTemplates, true, true}, true
	case "resources/read":
		return method{readResource, true, true}, true
	case "prompts/list":
		return method{listPrompts, true, true}, true
	case "prompts/get":
		return method{getPrompt, true, true}, true
	case "completion/complete":
		return method{complete, true, true}, true
	}
	return method{}, false
}

// frame reads what stands around the parameters: the era, who asks, whether this is the time for it.
func (r *request) frame() *Error {
	r.fields, _ = rawjson.Object(r.params) // decode saw that it is an object, or nothing
	for _, f := range r.fields {
		if f.Key != "_meta" {
			continue
		}
		meta, _ := rawjson.Object(f.Value) // what is no object says nothing
		if bad := r.readMeta(meta); bad != nil {
			return bad
		}
	}
	m, ok := lookup(r.method)
	switch {
	case !ok, r.modern && !m.newer, !r.modern && !m.older:
		return errorf(codeMethodNotFound, "method not found: %.80s", r.method)
	}
	r.handle = m.handle
	switch {
	case r.modern || r.method == "initialize" || r.method == "ping":
		return nil
	}
	r.peer.mu.Lock()
	defer r.peer.mu.Unlock()
	if r.peer.hello == nil {
		if !r.peer.stateless {
			return errorf(codeInvalidRequest, "invalid request: initialize comes first, or a request of protocol %s with its _meta", modern)
		}
		r.peer.hello = &hello{}
	}
	r.hello = r.peer.hello
	return nil
}

// readMeta splits _meta into the protocol's part and what is passed on.
func (r *request) readMeta(meta []rawjson.Member) *Error {
	h := &hello{}
	var rest []rawjson.Member
	for _, m := range meta {
		switch m.Key {
		case "progressToken":
			if validID(m.Value) && len(m.Value) <= maxProgressToken {
				r.progress = m.Value
			}
		case metaVersion:
			h.protocol, _ = rawjson.String(m.Value)
		case metaClient:
			h.named(m.Value)
		case metaCapabilities:
			if firstByte(m.Value) == '{' {
				h.capabilities = m.Value
			}
		case metaLogLevel:
			r.logLevel, _ = rawjson.String(m.Value)
		default:
			if !strings.HasPrefix(m.Key, metaPrefix) {
				rest = append(rest, m)
			}
		}
	}
	if rest != nil {
		r.meta = rawjson.Join(rest)
	}
	switch {
	case h.protocol < modern: // also none
		return nil
	case !slices.Contains(versions, h.protocol):
		data, _ := json.Marshal(map[string]any{"supported": versions, "requested": h.protocol}) // strings only
		return &Error{Code: codeVersion, Message: "unsupported protocol version", Data: data}
	case h.capabilities == nil:
		return errorf(codeInvalidParams, "missing or invalid _meta field %q", metaCapabilities)
	}
	r.modern, r.hello = true, h
	return nil
}

// named reads a client's name and version.
func (h *hello) named(info json.RawMessage) {
	h.name, _ = rawjson.String(rawjson.Get(info, "name"))
	h.version, _ = rawjson.String(rawjson.Get(info, "version"))
}

// serve answers the request. It returns when the answer is out.
func (r *request) serve(ctx context.Context) {
	defer r.peer.wg.Done()
	ctx, stop := context.WithCancel(context.WithValue(ctx, requestKey{}, r))
	defer stop()
	defer context.AfterFunc(r.peer.life, stop)()
	r.peer.mu.Lock()
	r.stop = stop
	if r.cancelled {
		stop()
	}
	r.peer.mu.Unlock()
	result, err := r.do(ctx)
	r.peer.mu.Lock()
	gone := r.cancelled
	delete(r.peer.inflight, string(r.id)) // who has the answer may use the id again
	r.peer.mu.Unlock()
	switch {
	case gone: // whoever withdrew it expects nothing
	case err != nil:
		if w, ok := r.out.(*response); ok {
			w.fails(statusOf(asRPC(err), r.modern))
		}
		r.out.reply(r.peer.life, encodeError(r.id, asRPC(err))) // a client that is gone needs no answer
	default:
		msg, free := r.message(result)
		r.out.reply(r.peer.life, msg)
		free() // who takes a message keeps none of it
	}
}

type requestKey struct{}

// do runs the handler. A panic is a bug of ours, and ends one request, not all of them.
func (r *request) do(ctx context.Context) (res json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.peer.srv.o.Log.Error("panic in a request", "method", r.method, "panic", p, "stack", string(debug.Stack()))
			err = errorf(codeInternal, "internal error: %v", p)
		}
	}()
	return r.handle(ctx, r)
}

// withdraw cancels the request on the client's behalf.
func (r *request) withdraw() {
	r.peer.mu.Lock()
	defer r.peer.mu.Unlock()
	r.cancelled = true
	if r.stop != nil {
		r.stop()
	}
}

// room is the conversation to which the request belongs.
func (r *request) room(ctx context.Context) (*room, error) {
	home, err := r.peer.room(ctx, r.hello)
	if err != nil {
		return nil, &Error{Code: codeInternal, Message: fmt.Sprintf("open the workspace: %v", err)}
	}
	return home, nil
}

// can tells whether the client says that it can be asked for something: elicitation, sampling, roots.
func (h *hello) can(what string) bool { return capable(h.capabilities, what) }

func capable(capabilities json.RawMessage, what string) bool {
	v := rawjson.Get(capabilities, what)
	if v == nil || string(v) == jsonNull || string(v) == "false" {
		return false
	}
	if what != "elicitation" {
		return true
	}
	members, err := rawjson.Object(v) // {} means forms; {"url":{}} alone means addresses only
	return err == nil && (len(members) == 0 || rawjson.Get(v, "form") != nil)
}

// complete frames a result of the newer era: its type, who answers, and where lists and contents may be kept. What an upstream set
// itself stays.
func (r *request) complete(result json.RawMessage, cached bool) json.RawMessage {
	if !r.modern {
		return result
	}
	members, err := rawjson.Object(result)
	if err != nil {
		return result
	}
	add := func(key string, v json.RawMessage) {
		if !slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Key == key }) {
			members = append(members, rawjson.Member{Key: key, Value: v})
		}
	}
	add("resultType", json.RawMessage(`"complete"`))
	if cached {
		add("ttlMs", json.RawMessage(r.peer.srv.ttl()))
		add("cacheScope", json.RawMessage(`"private"`))
	}
	for i, m := range members {
		if m.Key == "_meta" {
			if rawjson.Get(m.Value, metaServer) == nil {
				members[i].Value = rawjson.Set(m.Value, metaServer, r.peer.srv.info())
			}
			return rawjson.Join(members)
		}
	}
	add("_meta", rawjson.Join([]rawjson.Member{{Key: metaServer, Value: r.peer.srv.info()}}))
	return rawjson.Join(members)
}

// ttl is for how many milliseconds a client may keep a list: a changed one is announced, but a client that does not listen should
// ask again soon.
func (s *Server) ttl() string {
	if s.o.Static {
		return "3600000"
	}
	return "30000"
}
