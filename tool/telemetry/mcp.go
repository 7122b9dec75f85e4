package telemetry

import (
	"context"
	"encoding/json"
	"time"
)

// A Request is one of MCP, of a client of ours or to a server behind us.
type Request struct {
	Method    string // tools/call; Other for one that the protocol does not know
	Tool      string // that is called; "": none, or none that is known
	ID        string // of a request of a client; "": not told
	Protocol  string // the version that is spoken
	Transport string // stdio, http or sse
	Server    string // behind us; "": helve itself
	Trace     Trace  // of the client's request
	Link      Trace  // of the HTTP request that brought it
}

// Serve begins the span of a client's request, which is what others go on with. The function ends it: tool is the one
// that was called, "": none that is known; failed is what kind of failure it came to.
func Serve(ctx context.Context, to Provider, r Request) (context.Context, Trace, func(tool, failed string)) {
	began := time.Now()
	ctx, span := to.Start(ctx, Start{Name: r.Method, Kind: Server, Parent: r.Trace, Link: r.Link, Attrs: r.attrs()})
	return ctx, span.Trace(), func(tool, failed string) {
		r.Tool = tool
		if tool != "" {
			span.Rename(r.name())
			span.Set(Attr{Key: toolName, Text: tool}, Attr{Key: operationName, Text: executeTool})
		}
		span.End(failed)
		r.measure(ctx, to, serverDuration, began, failed)
	}
}

// Ask begins the span of a request to a server behind us, and is what that server goes on with.
func Ask(ctx context.Context, to Provider, r Request) (context.Context, Trace, func(failed string)) {
	began := time.Now()
	attrs := appendText(r.attrs(), toolName, r.Tool)
	if r.Tool != "" {
		attrs = append(attrs, Attr{Key: operationName, Text: executeTool})
	}
	ctx, span := to.Start(ctx, Start{Name: r.name(), Kind: Client, Attrs: attrs})
	return ctx, span.Trace(), func(failed string) {
		span.End(failed)
		r.measure(ctx, to, clientDuration, began, failed)
	}
}

func (r *Request) name() string {
	if r.Tool == "" {
		return r.Method
	}
	return r.Method + " " + r.Tool
}

// attrs are what is known of a request when it begins.
func (r *Request) attrs() []Attr {
	attrs := []Attr{{Key: mcpMethod, Text: r.Method}}
	attrs = appendText(attrs, sourceKey, r.Server)
	attrs = appendText(attrs, mcpProtocol, r.Protocol)
	attrs = appendText(attrs, networkTransport, transportOf(r.Transport))
	return appendText(attrs, rpcRequestID, r.ID)
}

func (r *Request) measure(ctx context.Context, to Provider, metric string, began time.Time, failed string) {
	attrs := []Attr{{Key: mcpMethod, Text: r.Method}}
	attrs = appendText(attrs, toolName, r.Tool)
	attrs = appendText(attrs, sourceKey, r.Server)
	attrs = appendText(attrs, ErrorType, failed)
	measure(ctx, to, metric, Duration, time.Since(began).Seconds(), attrs)
}

// transportOf is the transport in OpenTelemetry's words.
func transportOf(t string) string {
	switch t {
	case "":
		return ""
	case "stdio":
		return pipe
	}
	return tcp
}

// Session measures how long a conversation with a client was.
func Session(ctx context.Context, to Provider, protocol, transport string, took time.Duration) {
	attrs := appendText(nil, mcpProtocol, protocol)
	attrs = appendText(attrs, networkTransport, transportOf(transport))
	measure(ctx, to, sessionDuration, Duration, took.Seconds(), attrs)
}

// Tokens tells what the list of tools costs a model now, and what tools that are found by search would cost besides.
func Tokens(ctx context.Context, to Provider, listed, deferred int) {
	for state, n := range map[string]int{"listed": listed, "deferred": deferred} {
		measure(ctx, to, tokensGauge, Gauge, float64(n), []Attr{{Key: stateKey, Text: state}})
	}
}

// Up tells whether a server behind us has a connection.
func Up(ctx context.Context, to Provider, server string, up bool) {
	value := 0.0
	if up {
		value = 1
	}
	measure(ctx, to, upGauge, Gauge, value, []Attr{{Key: sourceKey, Text: server}})
}

// ID is a request's id as an attribute has it.
func ID(raw json.RawMessage) string {
	const most = 64 // bytes: clients count, or take a UUID
	if len(raw) > most {
		return ""
	}
	return string(raw)
}
