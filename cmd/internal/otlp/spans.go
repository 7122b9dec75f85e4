package otlp

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Spans sends spans to a collector. It is for a span processor, which calls it once at a time.
type Spans struct{ to *sender }

var _ sdktrace.SpanExporter = (*Spans)(nil)

// NewSpans makes an exporter of spans from the environment's OTEL_EXPORTER_OTLP_ variables. It dials nothing. The error
// says which variable cannot be read.
func NewSpans(getenv func(string) string) (*Spans, error) {
	to, err := newSender(getenv, "TRACES", "/v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export")
	if err != nil {
		return nil, err
	}
	return &Spans{to: to}, nil
}

// ExportSpans sends spans. The error says what the collector answered, or that it did not.
func (s *Spans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	return s.to.send(ctx, spansRequest(spans))
}

// Shutdown closes the connections to the collector.
func (s *Spans) Shutdown(context.Context) error {
	s.to.close()
	return nil
}

// spansRequest is an ExportTraceServiceRequest. A provider has one resource; spans of one scope stand together.
func spansRequest(spans []sdktrace.ReadOnlySpan) message {
	var order []instrumentation.Scope
	by := map[instrumentation.Scope][]sdktrace.ReadOnlySpan{}
	for _, s := range spans {
		in := s.InstrumentationScope()
		if by[in] == nil {
			order = append(order, in)
		}
		by[in] = append(by[in], s)
	}
	var m message
	m.inner(1, func(m *message) {
		about(m, spans[0].Resource())
		for _, in := range order {
			m.inner(2, func(m *message) {
				scope(m, in)
				for _, s := range by[in] {
					m.inner(2, func(m *message) { span(m, s) })
				}
				m.text(3, in.SchemaURL)
			})
		}
		m.text(3, spans[0].Resource().SchemaURL())
	})
	return m
}

func span(m *message, s sdktrace.ReadOnlySpan) {
	at := s.SpanContext()
	trace, id := at.TraceID(), at.SpanID()
	m.bytes(1, trace[:])
	m.bytes(2, id[:])
	m.text(3, at.TraceState().String())
	if parent := s.Parent().SpanID(); parent.IsValid() {
		m.bytes(4, parent[:])
	}
	m.text(5, s.Name())
	m.number(6, kind(s.SpanKind()))
	m.moment(7, s.StartTime())
	m.moment(8, s.EndTime())
	attributes(m, 9, s.Attributes())
	m.count(10, s.DroppedAttributes())
	for _, e := range s.Events() {
		m.inner(11, func(m *message) { event(m, e) })
	}
	m.count(12, s.DroppedEvents())
	for _, l := range s.Links() {
		m.inner(13, func(m *message) { link(m, l) })
	}
	m.count(14, s.DroppedLinks())
	m.inner(15, func(m *message) { status(m, s.Status()) })
	m.flags(16, flags(at.TraceFlags(), s.Parent()))
}

func event(m *message, e sdktrace.Event) {
	m.moment(1, e.Time)
	m.text(2, e.Name)
	attributes(m, 3, e.Attributes)
	m.count(4, e.DroppedAttributeCount)
}

func link(m *message, l sdktrace.Link) {
	trace, id := l.SpanContext.TraceID(), l.SpanContext.SpanID()
	m.bytes(1, trace[:])
	m.bytes(2, id[:])
	m.text(3, l.SpanContext.TraceState().String())
	attributes(m, 4, l.Attributes)
	m.count(5, l.DroppedAttributeCount)
	m.flags(6, flags(l.SpanContext.TraceFlags(), l.SpanContext))
}

func status(m *message, s sdktrace.Status) {
	m.text(2, s.Description)
	switch s.Code {
	case codes.Ok:
		m.number(3, 1)
	case codes.Error:
		m.number(3, 2)
	}
}

// kind is the format's number of a kind; the API counts alike, from internal.
func kind(k trace.SpanKind) uint64 {
	switch k {
	case trace.SpanKindInternal:
		return 1
	case trace.SpanKindServer:
		return 2
	case trace.SpanKindClient:
		return 3
	case trace.SpanKindProducer:
		return 4
	case trace.SpanKindConsumer:
		return 5
	}
	return 0
}

// The bits of a span's flags above the eight of W3C: whether it is known that the parent is of another process, and
// whether it is.
const (
	knowsRemote = 0x100
	isRemote    = 0x200
)

func flags(own trace.TraceFlags, parent trace.SpanContext) uint32 {
	out := uint32(own) | knowsRemote
	if parent.IsRemote() {
		out |= isRemote
	}
	return out
}
