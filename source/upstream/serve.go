package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

// relayed is how many notifications of one server may wait for its client.
const relayed = 64

// A relay stands between a server and the client behind one session.
type relay struct {
	src     *Source
	session *tool.Session // nil: shared, nobody can be asked
	notes   chan note
	untold  atomic.Int32          // notes on their way to the client
	acked   func(json.RawMessage) // a subscription was acknowledged
}

type note struct {
	method string
	params json.RawMessage
}

// asks are the capabilities that concern requests of a server.
var asks = [...]string{"elicitation", "sampling", "roots"}

// declared are the capabilities that a server is told of: no more than the client has.
func declared(s *tool.Session) json.RawMessage {
	var out []rawjson.Member
	for i, v := range answerable(s) {
		if v != nil {
			out = append(out, rawjson.Member{Key: asks[i], Value: v})
		}
	}
	return rawjson.Join(out)
}

// answerable are the client's words on each of asks; nil where it cannot be asked.
func answerable(s *tool.Session) (out [len(asks)]json.RawMessage) {
	if s == nil || s.Back == nil || rawjson.Pick(s.Capabilities, asks[:], out[:]) != nil {
		return [len(asks)]json.RawMessage{}
	}
	for i, v := range out {
		if string(v) == "null" {
			out[i] = nil
		}
	}
	return out
}

// private tells that a session needs connections of its own.
func private(s *tool.Session) bool {
	for _, v := range answerable(s) {
		if v != nil {
			return true
		}
	}
	return false
}

// serve answers a request of the server.
func (r *relay) serve(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	known := rawjson.Get(declared(r.session), strings.SplitN(method, "/", 2)[0]) != nil
	switch {
	case method == "ping":
		return json.RawMessage("{}"), nil
	case method == "roots/list" && known:
		return r.roots(), nil
	case method == "elicitation/create" && known:
		if err := vetElicitation(params); err != nil {
			return nil, &RPCError{Code: codeInvalidParams, Message: err.Error()}
		}
		res, err := r.session.Back(ctx, method, params)
		if err != nil {
			return nil, err
		}
		return withDefaults(params, res), nil
	case method == "sampling/createMessage" && known:
		return r.session.Back(ctx, method, params)
	}
	return nil, &RPCError{Code: codeMethodNotFound, Message: "method not found: " + method}
}

// roots are the session's workspaces and nothing else of the machine.
func (r *relay) roots() json.RawMessage {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name,omitempty"`
	}
	list := make([]root, 0, len(r.session.Roots))
	for _, x := range r.session.Roots {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(x.Path)}
		list = append(list, root{u.String(), x.Name})
	}
	b, _ := json.Marshal(map[string]any{"roots": list}) // strings only
	return b
}

// vetElicitation refuses what would harm a client that trusts the schema, or a person who follows the address.
func vetElicitation(params json.RawMessage) error {
	if s := rawjson.Get(params, "requestedSchema"); s != nil {
		if _, err := schema.Parse(s); err != nil {
			return fmt.Errorf("requestedSchema: %w", err)
		}
	}
	raw, ok := rawjson.String(rawjson.Get(params, "url"))
	if !ok {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("url: want http or https")
	}
	if u.User != nil {
		return fmt.Errorf("url: it holds a user name or password")
	}
	return nil
}

// withDefaults fills in what a person left empty and the schema has a default for.
func withDefaults(params, res json.RawMessage) json.RawMessage {
	if action, _ := rawjson.String(rawjson.Get(res, "action")); action != "accept" {
		return res
	}
	s, err := schema.Parse(rawjson.Get(params, "requestedSchema"))
	if err != nil {
		return res
	}
	content := rawjson.Get(res, "content")
	full, err := s.Check(content)
	if err != nil || string(full) == string(content) {
		return res
	}
	return rawjson.Set(res, "content", full)
}

// notice takes a notification. It never waits.
func (r *relay) notice(method string, params json.RawMessage) {
	switch method {
	case "notifications/tools/list_changed":
		r.src.stale()
	case ackMethod:
		r.acked(params)
	case "notifications/message", "notifications/elicitation/complete":
		if r.session != nil && r.session.Back != nil {
			r.untold.Add(1)
			select {
			case r.notes <- note{method, params}:
			default: // a client that is slower than the server's talk misses some
				r.untold.Add(-1)
			}
			return
		}
		r.tell(method, params)
	default:
		r.tell(method, params)
	}
}

func (r *relay) tell(method string, params json.RawMessage) {
	if n := r.src.o.Notify; n != nil {
		n(r.src.cfg.Name, r.session, method, params)
	}
}

// toldTime is how long a result waits for what the server said before it.
const toldTime = 100 * time.Millisecond

// settle lets what a server said before its answer reach the client before the answer does.
func (r *relay) settle() {
	for end := time.Now().Add(toldTime); r.untold.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// pass hands notifications to the client, until ctx is done.
func (r *relay) pass(ctx context.Context) {
	for {
		select {
		case n := <-r.notes:
			r.session.Back(ctx, n.method, n.params) // talk: an error means that nobody listens
			r.untold.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}
