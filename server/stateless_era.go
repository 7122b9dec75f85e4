package server

import (
	"context"
	"encoding/json"
	"net/http"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// A statelessEra is the protocol without sessions: each request says itself who asks and what it wants to hear, and a
// client is asked by an answer, after which it comes back.
type statelessEra struct{}

func (statelessEra) handler(name string) handler {
	switch name {
	case rpc.MethodDiscover:
		return discover
	case rpc.MethodListen:
		return listen
	case rpc.MethodTaskGet:
		return onTask(getTask)
	case rpc.MethodTaskUpdate:
		return onTask(updateTask)
	case rpc.MethodTaskCancel:
		return onTask(cancelTask)
	}
	return common(name)
}

func (statelessEra) said(r *request) *clientInfo { return r.client }

func (statelessEra) admit(*request) *rpc.Error { return nil }

func (statelessEra) call(ctx context.Context, k *calling) (json.RawMessage, error) {
	if bad := k.checkParams(); bad != nil {
		return nil, bad
	}
	return k.callStateless(ctx)
}

func (statelessEra) opening() string { return `"resultType":"complete",` }

// meta says who answers, unless a server behind this one did.
func (statelessEra) meta(s *Server, extra json.RawMessage) json.RawMessage {
	if rawjson.Get(extra, rpc.MetaServer) != nil {
		return extra
	}
	if extra == nil {
		extra = json.RawMessage("{}")
	}
	return rawjson.Set(extra, rpc.MetaServer, s.info())
}

// complete adds a result's type, who answers, and where lists and contents may be kept. What an upstream set itself
// stays.
func (statelessEra) complete(s *Server, result json.RawMessage, cached bool) json.RawMessage {
	members, err := rawjson.Object(result)
	if err != nil {
		return result
	}
	members = withMember(members, "resultType", json.RawMessage(`"complete"`))
	if cached {
		members = withMember(members, "ttlMs", json.RawMessage(s.ttl()))
		members = withMember(members, "cacheScope", json.RawMessage(`"private"`))
	}
	info := s.info()
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

func (statelessEra) notFound() int { return rpc.CodeInvalidParams }

// status has one of HTTP for what is wrong with the request itself.
func (statelessEra) status(e *rpc.Error) int {
	switch e.Code {
	case rpc.CodeMethodNotFound:
		return http.StatusNotFound
	case rpc.CodeBusy:
		return http.StatusTooManyRequests
	case rpc.CodeInvalidRequest,
		rpc.CodeInvalidParams,
		rpc.CodeHeaderMismatch,
		rpc.CodeCapability,
		rpc.CodeVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

func (statelessEra) wantsLog(r *request, level string) bool {
	return r.logLevel != "" && !rpc.Quieter(level, r.logLevel)
}

func (statelessEra) wishes(*connection) *rpc.Wishes { return nil }

func (statelessEra) ask(
	ctx context.Context, v *visit, method string, params json.RawMessage,
) (json.RawMessage, error) {
	return v.run.putBack(ctx, method, params)
}

func (statelessEra) takesTasks(c *clientInfo) bool { return takesTasks(c.capabilities) }
