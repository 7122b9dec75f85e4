package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	grpccodes "google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// A collector keeps what came, and answers as it is told.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	paths  []string
	answer func(w http.ResponseWriter)
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var in io.Reader = q.Body
		if q.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(q.Body)
			if err != nil {
				t.Error(err)
				return
			}
			in = z
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies, c.heads, c.paths = append(c.bodies, body), append(c.heads, q.Header), append(c.paths, q.URL.Path)
		if c.answer != nil {
			c.answer(w)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// env is an environment of some variables.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// values are attributes of each type, with values that are zero.
func values() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("s", "wörter"), attribute.String("none", ""), attribute.Bool("b", true), attribute.Bool("f", false),
		attribute.Int64("i", -5), attribute.Int64("zero", 0), attribute.Float64("d", 1.5), attribute.Float64("nil", 0),
		attribute.StringSlice("ss", []string{"a", ""}), attribute.BoolSlice("bs", []bool{true, false}),
		attribute.Int64Slice("is", []int64{-1, 0, 1 << 40}), attribute.Float64Slice("ds", []float64{0, 2.5}),
		attribute.StringSlice("empty", nil),
	}
}

func spans() []sdktrace.ReadOnlySpan {
	at := time.Unix(1_700_000_000, 123)
	state, _ := trace.ParseTraceState("a=1,b=2")
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{3}, TraceFlags: 1, TraceState: state})
	far := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{9}, TraceFlags: 1, Remote: true})
	about := resource.NewWithAttributes("https://example.com/schema", values()...)
	one := instrumentation.Scope{Name: "one", Version: "1", SchemaURL: "https://example.com/one", Attributes: attribute.NewSet(attribute.Bool("k", true))}
	return tracetest.SpanStubs{
		{Name: "whole", SpanContext: own, Parent: far, SpanKind: trace.SpanKindServer, StartTime: at, EndTime: at.Add(time.Second),
			Attributes: values(), DroppedAttributes: 2, DroppedEvents: 3, DroppedLinks: 4, Status: sdktrace.Status{Code: codes.Error, Description: "no"},
			Events:   []sdktrace.Event{{Name: "e", Time: at, Attributes: values(), DroppedAttributeCount: 1}, {}},
			Resource: about, InstrumentationScope: one},
		{Name: "bare", Resource: about, InstrumentationScope: instrumentation.Scope{Name: "two"}, Status: sdktrace.Status{Code: codes.Ok}},
		{Name: "linked", SpanContext: own, SpanKind: trace.SpanKindConsumer, Resource: about, InstrumentationScope: one,
			Links: []sdktrace.Link{{SpanContext: far, Attributes: values(), DroppedAttributeCount: 7}}},
	}.Snapshots()
}

func numbers() *metricdata.ResourceMetrics {
	at, began := time.Unix(1_700_000_000, 5), time.Unix(1_600_000_000, 0)
	set := attribute.NewSet(values()...)
	example := metricdata.Exemplar[float64]{FilteredAttributes: values(), Time: at, Value: 0, SpanID: []byte{1, 2, 3, 4, 5, 6, 7, 8}, TraceID: make([]byte, 16)}
	metric := func(name string, d metricdata.Aggregation) metricdata.Metrics {
		return metricdata.Metrics{Name: name, Description: "what " + name + " is", Unit: "s", Data: d}
	}
	return &metricdata.ResourceMetrics{
		Resource: resource.NewSchemaless(values()...),
		ScopeMetrics: []metricdata.ScopeMetrics{{
			Scope: instrumentation.Scope{Name: "scope", Version: "2"},
			Metrics: []metricdata.Metrics{
				metric("gauge", metricdata.Gauge[int64]{DataPoints: []metricdata.DataPoint[int64]{{Attributes: set, Time: at, Value: 0}, {Value: -7}}}),
				metric("gauge.float", metricdata.Gauge[float64]{DataPoints: []metricdata.DataPoint[float64]{{Time: at, Value: 0, Exemplars: []metricdata.Exemplar[float64]{example}}}}),
				metric("sum", metricdata.Sum[int64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true,
					DataPoints: []metricdata.DataPoint[int64]{{StartTime: began, Time: at, Value: 1 << 60}}}),
				metric("sum.float", metricdata.Sum[float64]{Temporality: metricdata.DeltaTemporality}),
				metric("histogram", metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: []metricdata.HistogramDataPoint[float64]{
					{Attributes: set, StartTime: began, Time: at, Count: 3, Bounds: []float64{0, 1, 5}, BucketCounts: []uint64{0, 1, 2, 0},
						Min: metricdata.NewExtrema(0.0), Max: metricdata.NewExtrema(4.0), Sum: 6, Exemplars: []metricdata.Exemplar[float64]{example}}, {}}}),
				metric("histogram.int", metricdata.Histogram[int64]{Temporality: metricdata.DeltaTemporality, DataPoints: []metricdata.HistogramDataPoint[int64]{
					{Count: 1, Sum: 3, Max: metricdata.NewExtrema[int64](3)}}}),
				metric("growing", metricdata.ExponentialHistogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: []metricdata.ExponentialHistogramDataPoint[float64]{
					{Attributes: set, StartTime: began, Time: at, Count: 9, Sum: -1, Scale: -3, ZeroCount: 2, ZeroThreshold: 0.5, Min: metricdata.NewExtrema(-2.0),
						PositiveBucket: metricdata.ExponentialBucket{Offset: -2, Counts: []uint64{1, 0, 300}}}}}),
			},
		}},
	}
}

// What is sent is what the official exporter sends, field by field.
func TestSpansAreWhatTheOfficialExporterSends(t *testing.T) {
	c := newCollector(t)
	theirs, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(c.URL+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := NewSpans(env("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL))
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []sdktrace.SpanExporter{theirs, ours} {
		if err := to.ExportSpans(t.Context(), spans()); err != nil {
			t.Fatal(err)
		}
		if err := to.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var got, want collecttraces.ExportTraceServiceRequest
	read(t, c, &want, &got)
	// The official one brings scopes in any order, and leaves out the state of a link: none here has one.
	order(&got)
	order(&want)
	if d := cmp.Diff(&want, &got, protocmp.Transform()); d != "" {
		t.Errorf("-official +ours:\n%s", d)
	}
}

// order sorts scopes by name.
func order(r *collecttraces.ExportTraceServiceRequest) {
	for _, rs := range r.ResourceSpans {
		s := rs.ScopeSpans
		for i := range s {
			for j := i + 1; j < len(s); j++ {
				if s[j].Scope.Name < s[i].Scope.Name {
					s[i], s[j] = s[j], s[i]
				}
			}
		}
	}
}

func read(t *testing.T, c *collector, into ...proto.Message) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.bodies) != len(into) {
		t.Fatalf("%d requests came, want %d", len(c.bodies), len(into))
	}
	for i, m := range into {
		if err := proto.Unmarshal(c.bodies[i], m); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMetricsAreWhatTheOfficialExporterSends(t *testing.T) {
	c := newCollector(t)
	theirs, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpointURL(c.URL+"/v1/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := NewMetrics(env("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL, "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Export(t.Context(), numbers()); err != nil {
		t.Fatal(err)
	}
	if err := ours.Export(t.Context(), numbers()); err != nil {
		t.Fatal(err)
	}
	var got, want collectmetrics.ExportMetricsServiceRequest
	read(t, c, &want, &got)
	if d := cmp.Diff(&want, &got, protocmp.Transform()); d != "" {
		t.Errorf("-official +ours:\n%s", d)
	}
}

// Where requests go, and with which headers, as the specification of exporters says.
func TestTheEnvironmentSaysWhereRequestsGo(t *testing.T) {
	for name, c := range map[string]struct {
		env    []string
		url    string
		header string
		err    string
	}{
		"nothing":       {nil, "http://localhost:4318/v1/traces", "", ""},
		"base":          {[]string{"ENDPOINT", "http://h:1/base/"}, "http://h:1/base/v1/traces", "", ""},
		"own":           {[]string{"ENDPOINT", "http://no", "TRACES_ENDPOINT", "https://h/as/it/is"}, "https://h/as/it/is", "", ""},
		"own, bare":     {[]string{"TRACES_ENDPOINT", "https://h"}, "https://h/", "", ""},
		"grpc":          {[]string{"ENDPOINT", "http://h:4317/x", "PROTOCOL", "grpc"}, "http://h:4317/opentelemetry.proto.collector.trace.v1.TraceService/Export", "", ""},
		"grpc, usual":   {[]string{"TRACES_PROTOCOL", "grpc"}, "http://localhost:4317/opentelemetry.proto.collector.trace.v1.TraceService/Export", "", ""},
		"grpc, no URL":  {[]string{"ENDPOINT", "h:4317", "PROTOCOL", "grpc", "INSECURE", "true"}, "http://h:4317/opentelemetry.proto.collector.trace.v1.TraceService/Export", "", ""},
		"headers":       {[]string{"HEADERS", "a=1, Authorization=Bearer%20x"}, "http://localhost:4318/v1/traces", "Bearer x", ""},
		"own headers":   {[]string{"HEADERS", "Authorization=no", "TRACES_HEADERS", "Authorization=yes"}, "http://localhost:4318/v1/traces", "yes", ""},
		"no address":    {[]string{"ENDPOINT", "::nonsense"}, "", "", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"other scheme":  {[]string{"TRACES_ENDPOINT", "ftp://h/"}, "", "", "TRACES_ENDPOINT: ftp://h/: want"},
		"no header":     {[]string{"HEADERS", "a"}, "", "", "HEADERS: want name=value"},
		"no time":       {[]string{"TIMEOUT", "soon"}, "", "", "TIMEOUT"},
		"no file":       {[]string{"CERTIFICATE", "/nowhere/ca.pem"}, "", "", "CERTIFICATE"},
		"half a client": {[]string{"CLIENT_KEY", "/nowhere/key.pem"}, "", "", "CLIENT_CERTIFICATE"},
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(c.env); i += 2 {
				c.env[i] = prefix + c.env[i]
			}
			s, err := NewSpans(env(c.env...))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := s.to.target.url.String(); got != c.url {
				t.Errorf("to %s, want %s", got, c.url)
			}
			if got := s.to.target.header.Get("Authorization"); got != c.header {
				t.Errorf("Authorization %q, want %q", got, c.header)
			}
		})
	}
}

// grpcCollector answers as it is told, and keeps what came.
type grpcCollector struct {
	collecttraces.UnimplementedTraceServiceServer
	answer error
	came   *collecttraces.ExportTraceServiceRequest
	token  []string
	partly string
}

func (g *grpcCollector) Export(ctx context.Context, in *collecttraces.ExportTraceServiceRequest) (*collecttraces.ExportTraceServiceResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	g.came, g.token = in, md.Get("authorization")
	if g.answer != nil {
		return nil, g.answer
	}
	return &collecttraces.ExportTraceServiceResponse{PartialSuccess: &collecttraces.ExportTracePartialSuccess{ErrorMessage: g.partly}}, nil
}

// A server of the official library takes what is sent by gRPC, and its errors are understood.
func TestAServerOfGRPCTakesSpans(t *testing.T) {
	for name, c := range map[string]struct {
		answer      error
		partly, err string
		more        []string
	}{
		"takes":   {},
		"packed":  {more: []string{prefix + "COMPRESSION", "gzip"}},
		"refuses": {answer: grpcstatus.Error(grpccodes.PermissionDenied, "no, naïve % one"), err: "status 7: no, naïve % one"},
		"partly":  {partly: "too old", err: "did not take 0: too old"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			g := &grpcCollector{answer: c.answer, partly: c.partly}
			srv := grpc.NewServer()
			collecttraces.RegisterTraceServiceServer(srv, g)
			done := make(chan error, 1)
			go func() { done <- srv.Serve(l) }()
			t.Cleanup(func() { srv.Stop(); <-done })
			variables := append(c.more, prefix+"ENDPOINT", "http://"+l.Addr().String(), prefix+"PROTOCOL", "grpc", prefix+"HEADERS", "authorization=me")
			s, err := NewSpans(env(variables...))
			if err != nil {
				t.Fatal(err)
			}
			err = s.ExportSpans(t.Context(), spans())
			if s.Shutdown(t.Context()) != nil || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("%v, want %q", err, c.err)
			}
			var want collecttraces.ExportTraceServiceRequest
			if err := proto.Unmarshal(spansRequest(spans()), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&want, g.came, protocmp.Transform()); d != "" || len(g.token) != 1 || g.token[0] != "me" {
				t.Errorf("token %q, -sent +came:\n%s", g.token, d)
			}
		})
	}
}

// A collector that refuses is asked once; what it says is in the error. One that is busy is asked again, until nobody waits any more.
func TestABusyCollectorIsAskedAgain(t *testing.T) {
	c := newCollector(t)
	s, err := NewSpans(env(prefix+"ENDPOINT", c.URL))
	if err != nil {
		t.Fatal(err)
	}
	c.answer = func(w http.ResponseWriter) { http.Error(w, "no", http.StatusForbidden) }
	if err := s.ExportSpans(t.Context(), spans()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c.answer = func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusServiceUnavailable)
		stop()
	}
	err = s.ExportSpans(ctx, spans())
	if err == nil || len(c.bodies) != 2 {
		t.Errorf("%v after %d requests", err, len(c.bodies))
	}
	partial, err := proto.Marshal(&collecttraces.ExportTraceServiceResponse{PartialSuccess: &collecttraces.ExportTracePartialSuccess{RejectedSpans: 2, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	c.answer = func(w http.ResponseWriter) { _, _ = w.Write(partial) }
	if err := s.ExportSpans(t.Context(), spans()); err == nil || !strings.Contains(err.Error(), "did not take 2: too old") {
		t.Errorf("%v", err)
	}
	c.answer = func(w http.ResponseWriter) { _, _ = w.Write(bytes.Repeat([]byte{0xff}, 100)) }
	if err := s.ExportSpans(t.Context(), spans()); err != nil {
		t.Errorf("an answer that nobody can read: %v", err)
	}
}
