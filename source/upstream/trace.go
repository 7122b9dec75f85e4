package upstream

import (
	"context"
	"errors"
	"strconv"

	"helve/internal/rpc"
	"helve/tool/telemetry"
)

// asking is what a span says of a request to the server.
func (s *server) asking(method string) telemetry.Request {
	out := telemetry.Request{Method: knownMethod(method), Server: s.cfg.Name, Transport: s.transport()}
	if a := s.known.last(); a != nil {
		out.Protocol, out.Transport = a.Protocol, a.Transport
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
