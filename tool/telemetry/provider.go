package telemetry

import (
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
)

// A Provider keeps spans and metrics. Its methods are safe for concurrent use and never wait for a collector.
type Provider interface {
	// Start begins a span below the one of ctx, or where ctx has none below the remote parent.
	Start(ctx context.Context, s Start) (context.Context, Span)
	// Measure adds a value to a metric.
	Measure(ctx context.Context, m Measurement)
}

// A Start is how a span begins.
type Start struct {
	Name   string
	Kind   Kind
	Parent Trace // of another program; the zero value: none
	Link   Trace // what led to it besides
	Attrs  []Attr
}

// A Kind is whose side a span is on.
type Kind uint8

const (
	Internal Kind = iota
	Server
	Client
)

// A Span is one that has begun. It is ended once. Its methods are for one goroutine at a time.
type Span interface {
	Rename(name string) // of what is known only when it is over
	Set(attrs ...Attr)
	Event(name string, attrs ...Attr)
	// End ends it. failed is what kind of failure it came to; "": none.
	End(failed string)
	// Trace is what another program goes on with; zero where the span is not kept.
	Trace() Trace
}

// A Trace is W3C's trace context: what goes from one program to the next.
type Trace struct {
	Parent string // traceparent
	State  string // tracestate
}

// An Attr is an attribute: a text, or a number where Text is "".
type Attr struct {
	Key    string
	Text   string
	Number int64
}

// A Meter is how a metric adds up.
type Meter uint8

const (
	Duration Meter = iota // a histogram of seconds
	Counter               // a sum that only grows
	Gauge                 // the last value
)

// A Measurement is a value of a metric.
type Measurement struct {
	Name  string
	Unit  string
	Meter Meter
	Value float64
	Attrs []Attr
}

const (
	// parentLength is that of a traceparent: version 00 has no other.
	parentLength = 55
	// maxState bounds a tracestate, in bytes: W3C wants 512 at least to be passed on.
	maxState = 512

	traceparent = "traceparent"
	tracestate  = "tracestate"
)

// TraceOf reads the trace of a request's _meta. What is no trace context is none.
func TraceOf(meta json.RawMessage) Trace {
	if len(meta) == 0 {
		return Trace{}
	}
	parent, _ := rawjson.String(rawjson.Get(meta, traceparent))
	state, _ := rawjson.String(rawjson.Get(meta, tracestate))
	return Trace{parent, state}.checked()
}

// ReadTrace is the trace of two texts from another program. What is no trace context is none.
func ReadTrace(parent, state string) Trace { return Trace{parent, state}.checked() }

// HeaderTrace is the trace of an HTTP request's headers.
func HeaderTrace(get func(string) string) Trace {
	return Trace{get(traceparent), get(tracestate)}.checked()
}

// checked leaves out what is too long, or has what no header can carry.
func (t Trace) checked() Trace {
	if len(t.Parent) != parentLength || !plain(t.Parent) {
		return Trace{}
	}
	if len(t.State) > maxState || !plain(t.State) {
		t.State = ""
	}
	return t
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Into has a request's _meta carry the trace, in place of one that it has. The zero value changes nothing.
func (t Trace) Into(meta json.RawMessage) json.RawMessage {
	if t.Parent == "" {
		return meta
	}
	if len(meta) == 0 {
		meta = json.RawMessage("{}")
	}
	meta = rawjson.Set(meta, traceparent, rawjson.Quote(t.Parent))
	if t.State == "" {
		return rawjson.Set(meta, tracestate, nil)
	}
	return rawjson.Set(meta, tracestate, rawjson.Quote(t.State))
}
