package server

import (
	"context"
	"errors"
	"strconv"

	"helve/internal/rpc"
	"helve/tool/telemetry"
)

// httpTraceKey is the context key of the trace that an HTTP request came with.
type httpTraceKey struct{}

// traced serves the request under a span of its own, which goes on with the client's trace. Whom the request is passed
// on to goes on with that one.
func (r *request) traced(ctx context.Context, to telemetry.Provider) (rpc.Answer, error) {
	about := telemetry.Request{
		Method:    r.Method,
		ID:        telemetry.ID(r.ID),
		Transport: "http",
		Trace:     telemetry.TraceOf(r.meta),
	}
	if r.foreign {
		about.Method = telemetry.Other
	}
	if r.client != nil {
		about.Protocol = r.client.protocol
	}
	if r.conn.conf.stdio {
		about.Transport = "stdio"
	}
	about.Link, _ = ctx.Value(httpTraceKey{}).(telemetry.Trace)
	if about.Trace.Parent == "" { // only who sent the request over HTTP says where it comes from
		about.Trace, about.Link = about.Link, telemetry.Trace{}
	}
	ctx, trace, end := telemetry.Serve(ctx, to, about)
	own := *r
	own.meta, own.ended = trace.Into(r.meta), &ending{}
	failed := "panic"
	defer func() { end(own.ended.tool, failed) }()
	answer, err := own.serve(ctx)
	failed = own.ended.failure(err)
	return answer, err
}

// failure is what kind of failure a request came to; "": none.
func (o *ending) failure(err error) string {
	switch {
	case err == nil && o.failed:
		return "tool_error"
	case err == nil:
		return ""
	}
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		return strconv.Itoa(e.Code)
	}
	return strconv.Itoa(rpc.CodeInternal)
}
