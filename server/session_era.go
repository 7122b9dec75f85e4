package server

import (
	"context"
	"encoding/json"
	"net/http"

	"helve/internal/rpc"
)

// A sessionEra is the session protocol: initialize comes first and says what holds for all that follows, and the client
// answers requests of ours.
type sessionEra struct{}

func (sessionEra) handler(name string) handler {
	switch name {
	case rpc.MethodInitialize:
		return initialize
	case "ping":
		return ping
	case rpc.MethodSetLevel:
		return setLevel
	case rpc.MethodSubscribe:
		return seeking(visiting, subscribe)
	case rpc.MethodUnsubscribe:
		return seeking(visiting, unsubscribe)
	}
	return common(name)
}

func (sessionEra) said(r *request) *clientInfo {
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	return r.conn.client
}

// admit takes what initialize said, without which the protocol serves nothing else.
func (sessionEra) admit(r *request) *rpc.Error {
	if r.Method == rpc.MethodInitialize || r.Method == "ping" {
		r.Inline = true
		return nil
	}
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

func (sessionEra) call(ctx context.Context, k *calling) (json.RawMessage, error) {
	defer k.conv.begin(k.visit)()
	return k.callInSession(ctx)
}

func (sessionEra) opening() string { return "" }

func (sessionEra) meta(_ *Server, extra json.RawMessage) json.RawMessage { return extra }

func (sessionEra) complete(_ *Server, result json.RawMessage, _ bool) json.RawMessage { return result }

func (sessionEra) notFound() int { return rpc.CodeNotFound }

func (sessionEra) status(*rpc.Error) int { return http.StatusOK }

func (sessionEra) wantsLog(r *request, level string) bool {
	return !rpc.Quieter(level, r.conn.wishes.Level())
}

func (sessionEra) wishes(c *connection) *rpc.Wishes { return c.wishes }

func (sessionEra) ask(
	ctx context.Context, v *visit, method string, params json.RawMessage,
) (json.RawMessage, error) {
	return v.conn.ask(ctx, v.Out, method, params)
}

func (sessionEra) takesTasks(*clientInfo) bool { return false }
