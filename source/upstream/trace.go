package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
	"helve/tool/telemetry"
)

// traced is a call under a span of its own. The server goes on with it.
func (r *remote) traced(
	ctx context.Context, to telemetry.Provider, c *tool.Call, args json.RawMessage,
) (*tool.Result, error) {
	about := r.src.asking(rpc.MethodCall)
	about.Tool = r.spec.Origin.Name
	ctx, trace, end := telemetry.Ask(ctx, to, about)
	failed := "panic"
	defer func() { end(failed) }()
	own := *c
	own.Meta = trace.Into(c.Meta)
	res, err := r.carry(ctx, &own, args)
	failed = failureOf(err)
	if err == nil && res.Err != nil {
		failed = "tool_error"
	}
	return res, err
}

// traced is another request under a span of its own.
func (s *Source) traced(
	ctx context.Context, to telemetry.Provider, session *tool.Session, method string, params json.RawMessage,
) (json.RawMessage, error) {
	ctx, trace, end := telemetry.Ask(ctx, to, s.asking(method))
	if trace.Parent != "" {
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		params = rawjson.Set(params, "_meta", trace.Into(rawjson.Get(params, "_meta")))
	}
	failed := "panic"
	defer func() { end(failed) }()
	res, err := s.request(ctx, session, method, params)
	failed = failureOf(err)
	return res, err
}

// asking is what a span says of a request to the server.
func (s *Source) asking(method string) telemetry.Request {
	out := telemetry.Request{Method: knownMethod(method), Server: s.cfg.Name, Transport: s.transport()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about != nil {
		out.Protocol, out.Transport = s.about.Protocol, s.about.Transport
	}
	return out
}

// knownMethod keeps what clients think of out of names.
func knownMethod(method string) string {
	switch method {
	case rpc.MethodCall, "resources/read", "prompts/get", "completion/complete", "resources/list", "prompts/list",
		"resources/templates/list", rpc.MethodSkills, rpc.MethodSkill, rpc.MethodDirectory, rpc.MethodSubscribe, rpc.MethodUnsubscribe:
		return method
	}
	return telemetry.Other
}

// failureOf is what kind of failure a request came to; "": none.
func failureOf(err error) string {
	var refusal *RPCError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return strconv.Itoa(refusal.Code)
	case errors.Is(err, rpc.ErrLate), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "connection"
}

// connected counts a connection that was made, or with -1 one that has ended, and tells whether there is any.
func (s *Source) connected(by int64) {
	left := s.ups.Add(by)
	if s.o.Telemetry != nil {
		telemetry.Up(context.Background(), s.o.Telemetry, s.cfg.Name, left > 0)
	}
}
