// Package otel has OpenTelemetry keep the spans and metrics of package telemetry. It links OpenTelemetry's API alone:
// which SDK stands behind it, and where that sends things, is for the program to say.
package otel

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"helve/tool/telemetry"
)

// scope names the instrumentation.
const scope = "helve"

// New makes a provider. version is helve's.
func New(traces trace.TracerProvider, metrics metric.MeterProvider, version string) telemetry.Provider {
	return &provider{
		tracer:     traces.Tracer(scope, trace.WithInstrumentationVersion(version)),
		meter:      metrics.Meter(scope, metric.WithInstrumentationVersion(version)),
		histograms: map[string]metric.Float64Histogram{},
		counters:   map[string]metric.Float64Counter{},
		gauges:     map[string]metric.Float64Gauge{},
	}
}

type provider struct {
	tracer trace.Tracer
	meter  metric.Meter

	mu         sync.Mutex // guards the instruments, of which there are as many as names
	histograms map[string]metric.Float64Histogram
	counters   map[string]metric.Float64Counter
	gauges     map[string]metric.Float64Gauge
}

// bounds are the upper ends of a histogram's parts, in seconds, as the conventions for MCP have them.
var bounds = metric.WithExplicitBucketBoundaries(.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300)

// Start is telemetry.Provider's.
func (p *provider) Start(ctx context.Context, s telemetry.Start) (context.Context, telemetry.Span) {
	o := []trace.SpanStartOption{
		trace.WithSpanKind(kindOf(s.Kind)),
		trace.WithAttributes(attributes(s.Attrs)...),
	}
	if !trace.SpanContextFromContext(ctx).IsValid() && s.Parent.Parent != "" {
		ctx = continued(ctx, s.Parent)
	}
	if s.Link.Parent != "" {
		from := trace.SpanContextFromContext(continued(context.Background(), s.Link))
		o = append(o, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	ctx, own := p.tracer.Start(ctx, s.Name, o...)
	return ctx, span{own}
}

func kindOf(k telemetry.Kind) trace.SpanKind {
	switch k {
	case telemetry.Server:
		return trace.SpanKindServer
	case telemetry.Client:
		return trace.SpanKindClient
	}
	return trace.SpanKindInternal
}

// continued is a context with the span of another program.
func continued(ctx context.Context, t telemetry.Trace) context.Context {
	carrier := propagation.MapCarrier{"traceparent": t.Parent}
	if t.State != "" {
		carrier["tracestate"] = t.State
	}
	return propagation.TraceContext{}.Extract(ctx, carrier)
}

func attributes(attrs []telemetry.Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		if a.Text == "" {
			out = append(out, attribute.Int64(a.Key, a.Number))
			continue
		}
		out = append(out, attribute.String(a.Key, a.Text))
	}
	return out
}

// A span is one of OpenTelemetry's.
type span struct{ trace.Span }

// Rename is telemetry.Span's.
func (s span) Rename(name string) { s.SetName(name) }

// Set is telemetry.Span's.
func (s span) Set(attrs ...telemetry.Attr) { s.SetAttributes(attributes(attrs)...) }

// Event is telemetry.Span's.
func (s span) Event(name string, attrs ...telemetry.Attr) {
	s.AddEvent(name, trace.WithAttributes(attributes(attrs)...))
}

// End is telemetry.Span's.
func (s span) End(failed string) {
	if failed != "" {
		s.SetAttributes(attribute.String(telemetry.ErrorType, failed))
		s.SetStatus(codes.Error, "")
	}
	s.Span.End()
}

// Trace is telemetry.Span's.
func (s span) Trace() telemetry.Trace {
	carrier := propagation.MapCarrier{}
	ctx := trace.ContextWithSpan(context.Background(), s.Span)
	propagation.TraceContext{}.Inject(ctx, carrier)
	return telemetry.Trace{Parent: carrier["traceparent"], State: carrier["tracestate"]}
}

// Measure is telemetry.Provider's. What OpenTelemetry does not take is not measured.
func (p *provider) Measure(ctx context.Context, m telemetry.Measurement) {
	with := metric.WithAttributes(attributes(m.Attrs)...)
	switch m.Meter {
	case telemetry.Duration:
		h := instrument(p, p.histograms, m.Name, func() (metric.Float64Histogram, error) {
			return p.meter.Float64Histogram(m.Name, metric.WithUnit(m.Unit), bounds)
		})
		if h != nil {
			h.Record(ctx, m.Value, with)
		}
	case telemetry.Counter:
		c := instrument(p, p.counters, m.Name, func() (metric.Float64Counter, error) {
			return p.meter.Float64Counter(m.Name, metric.WithUnit(m.Unit))
		})
		if c != nil {
			c.Add(ctx, m.Value, with)
		}
	case telemetry.Gauge:
		g := instrument(p, p.gauges, m.Name, func() (metric.Float64Gauge, error) {
			return p.meter.Float64Gauge(m.Name, metric.WithUnit(m.Unit))
		})
		if g != nil {
			g.Record(ctx, m.Value, with)
		}
	}
}

// instrument is the one of a name, made when it is needed first; nil where it cannot be made.
func instrument[I any](p *provider, of map[string]I, name string, create func() (I, error)) I {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := of[name]
	if ok {
		return i
	}
	i, err := create()
	if err != nil {
		var none I
		return none
	}
	of[name] = i
	return i
}
