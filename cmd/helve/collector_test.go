package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A collector takes what is sent over OTLP/HTTP, and with byGRPC what is sent over gRPC.
type collector struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	spans   []sent
	metrics []string
}

// A sent span is one that a collector took.
type sent struct {
	name, service, trace, id, parent string
	attrs                            map[string]string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// heard tells whether it took a span, by its service and name.
func (c *collector) heard(span string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.spans, func(s sent) bool { return s.service+" "+s.name == span })
}

func (c *collector) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err == nil {
		err = c.take(q.URL.Path, body)
	}
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) take(path string, body []byte) error {
	switch path {
	case "/v1/traces":
		in := &traces.ExportTraceServiceRequest{}
		if err := proto.Unmarshal(body, in); err != nil {
			return err
		}
		c.takeSpans(in)
	case "/v1/metrics":
		in := &metrics.ExportMetricsServiceRequest{}
		if err := proto.Unmarshal(body, in); err != nil {
			return err
		}
		c.takeMetrics(in)
	default:
		return fmt.Errorf("nobody sends to %s", path)
	}
	return nil
}

func (c *collector) takeSpans(in *traces.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range in.ResourceSpans {
		service := ""
		for _, a := range r.Resource.Attributes {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				one := sent{s.Name, service, hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId),
					hex.EncodeToString(s.ParentSpanId), map[string]string{}}
				for _, a := range s.Attributes {
					one.attrs[a.Key] = a.Value.GetStringValue()
				}
				c.spans = append(c.spans, one)
			}
		}
	}
}

func (c *collector) takeMetrics(in *metrics.ExportMetricsServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range in.ResourceMetrics {
		for _, scope := range r.ScopeMetrics {
			for _, m := range scope.Metrics {
				c.metrics = append(c.metrics, m.Name)
			}
		}
	}
}

// byGRPC is the variable that has telemetry go by gRPC, behind others.
const byGRPC = "\nOTEL_EXPORTER_OTLP_PROTOCOL=grpc"

// listenGRPC serves a collector over gRPC, and is its address.
func listenGRPC(t *testing.T, spans traces.TraceServiceServer, numbers metrics.MetricsServiceServer) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	traces.RegisterTraceServiceServer(s, spans)
	metrics.RegisterMetricsServiceServer(s, numbers)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// byGRPC is where the collector takes what is sent over gRPC.
func (c *collector) byGRPC() string {
	c.t.Helper()
	return listenGRPC(c.t, spansTo{c: c}, numbersTo{c: c})
}

type spansTo struct {
	traces.UnimplementedTraceServiceServer
	c *collector
}

func (s spansTo) Export(_ context.Context, in *traces.ExportTraceServiceRequest) (*traces.ExportTraceServiceResponse, error) {
	if s.c == nil {
		return nil, status.Error(codes.PermissionDenied, "no")
	}
	s.c.takeSpans(in)
	return &traces.ExportTraceServiceResponse{}, nil
}

type numbersTo struct {
	metrics.UnimplementedMetricsServiceServer
	c *collector
}

func (s numbersTo) Export(_ context.Context, in *metrics.ExportMetricsServiceRequest) (*metrics.ExportMetricsServiceResponse, error) {
	if s.c == nil {
		return nil, status.Error(codes.PermissionDenied, "no")
	}
	s.c.takeMetrics(in)
	return &metrics.ExportMetricsServiceResponse{}, nil
}

// refusesByGRPC is the address of a collector that takes nothing.
func refusesByGRPC(t *testing.T) string {
	t.Helper()
	return listenGRPC(t, spansTo{}, numbersTo{})
}

// hangsOpen is the address of a server that takes connections and says nothing.
func hangsOpen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) // the kernel took the connections: nobody accepts them
	return "http://" + l.Addr().String()
}
