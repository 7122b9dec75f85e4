package otel_test

import (
	"context"
	"fmt"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"helve/tool/telemetry"
	"helve/tool/telemetry/otel"
)

// OpenTelemetry's SDK keeps the spans, here in memory.
func Example() {
	spans := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	provider := otel.New(traces, sdkmetric.NewMeterProvider(), "1.0")
	_, _, end := telemetry.Ask(context.Background(), provider, telemetry.Request{Method: "tools/call", Tool: "search"})
	end("timeout")
	for _, s := range spans.GetSpans() {
		fmt.Println(s.Name, s.SpanKind)
	}
	// Output:
	// tools/call search client
}
