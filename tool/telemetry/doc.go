// Package telemetry tells a program's own telemetry what calls do: spans and metrics, named as OpenTelemetry's
// conventions for GenAI and MCP name them.
//
// It stands between helve and whatever keeps spans, and links nothing: a [Provider] is two small methods. Package otel
// below it makes one of OpenTelemetry's API. Where there is no Provider nothing here stands in a call's way.
// A workspace gets it by a part, of package parts/telemetry:
//
//	ws, err := helve.Open(ctx, helve.Options{Parts: []helve.Part{telemetry.Part(provider)}})
//
// A call is a span "execute_tool NAME"; what waits for a person is in its events, what works is its child "run", and
// what an MCP server does is a span "tools/call NAME" of kind client, which that server's own spans are below. As an
// MCP server helve goes on with the trace of its client (params._meta.traceparent). No argument, result, path,
// command or session is in a span, and no more in a metric.
package telemetry
