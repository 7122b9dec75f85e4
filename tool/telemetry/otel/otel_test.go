package otel_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"helve/tool"
	"helve/tool/telemetry"
	"helve/tool/telemetry/otel"
)

// kept is a provider over OpenTelemetry's SDK that keeps everything in memory.
type kept struct {
	telemetry.Provider
	spans   *tracetest.InMemoryExporter
	metrics *sdkmetric.ManualReader
}

func newKept() *kept {
	k := &kept{spans: tracetest.NewInMemoryExporter(), metrics: sdkmetric.NewManualReader()}
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(k.spans))
	k.Provider = otel.New(traces, sdkmetric.NewMeterProvider(sdkmetric.WithReader(k.metrics)), "test")
	return k
}

// named are the spans of a name.
func (k *kept) named(name string) (out []tracetest.SpanStub) {
	for _, s := range k.spans.GetSpans() {
		if s.Name == name {
			out = append(out, s)
		}
	}
	return out
}

func attr(s tracetest.SpanStub, key string) string {
	for _, a := range s.Attributes {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

// kit is one with a tool that does what its argument says, about which somebody is asked.
func (k *kept) kit(t *testing.T) *tool.Kit {
	t.Helper()
	type in struct {
		Do string `json:"do"`
	}
	r := &tool.Registry{}
	err := r.Add(tool.New(tool.Spec{Name: "act", Kind: tool.Write}, func(_ context.Context, _ *tool.Call, a in) (*tool.Result, error) {
		switch a.Do {
		case "fail":
			return nil, errors.New("secret /home/somebody")
		case "panic":
			panic("secret")
		}
		return tool.NewResult(tool.Text("done")), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	calls := telemetry.Calls{To: k}
	return r.Kit(tool.KitOptions{
		Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			yes := !strings.Contains(string(q.Job.Call.Args), "no")
			return tool.Answer{Yes: yes, By: tool.Approver{Kind: tool.ByConsole}}, nil
		},
		Watch:  calls.Watch,
		Around: []func(tool.Caller) tool.Caller{calls.Around},
		Wrap:   []func(tool.Runner) tool.Runner{calls.Wrap},
	})
}

const client = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestACallIsASpanBelowItsClientsWithWhatWorksBelowIt(t *testing.T) {
	k := newKept()
	kit := k.kit(t)
	meta := json.RawMessage(`{"traceparent":"` + client + `","tracestate":"a=b"}`)
	for _, do := range []string{"well", "fail", "panic", "no"} {
		call := &tool.Call{ID: "7", Name: "act", Args: json.RawMessage(`{"do":"` + do + `"}`), Meta: meta}
		if _, err := kit.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kit.Call(t.Context(), &tool.Call{Name: "secret/../name"}); err != nil {
		t.Fatal(err)
	}
	calls := k.named("execute_tool act")
	if len(calls) != 4 || len(k.named("execute_tool _other")) != 1 || len(k.named("run")) != 3 {
		t.Fatalf("%d calls, %v", len(calls), k.spans.GetSpans())
	}
	for i, want := range []struct {
		failed string
		code   codes.Code
		events int
	}{{"", codes.Unset, 2}, {"execution_error", codes.Error, 2}, {"", codes.Error, 2}, {"permission_error", codes.Error, 2}} {
		s := calls[i]
		if s.Parent.TraceID().String() != client[3:35] || s.Parent.SpanID().String() != client[36:52] || s.Parent.TraceState().String() != "a=b" {
			t.Errorf("%d: not below the client's: %v", i, s.Parent)
		}
		if s.Status.Code != want.code || want.failed != "" && attr(s, "error.type") != want.failed || len(s.Events) != want.events {
			t.Errorf("%d: %v %q %v, want %+v", i, s.Status, attr(s, "error.type"), s.Events, want)
		}
		if attr(s, "gen_ai.tool.name") != "act" || attr(s, "gen_ai.tool.call.id") != "7" || attr(s, "helve.verdict") != "ask" ||
			attr(s, "helve.effects") != "write" || s.SpanKind != trace.SpanKindInternal {
			t.Errorf("%d: %v", i, s.Attributes)
		}
	}
	for i, s := range k.named("run") {
		if s.Parent.SpanID() != calls[i].SpanContext.SpanID() {
			t.Errorf("run %d is not below its call", i)
		}
	}
	metrics := k.points(t)
	if n := metrics["helve.calls"]; n != 5 {
		t.Errorf("%d calls measured: %v", n, metrics)
	}
	for _, name := range []string{"gen_ai.execute_tool.duration", "helve.asked.duration"} {
		if metrics[name] == 0 {
			t.Errorf("no %s: %v", name, metrics)
		}
	}
	if all, err := json.Marshal(k.spans.GetSpans()); err != nil || strings.Contains(string(all), "secret") {
		t.Errorf("%v: a text of the call is in a span: %s", err, all)
	}
}

// What a host runs for a gateway is a span below the gateway's, and counts there: both may tell one collector.
func TestACallOfAGatewayIsCountedThere(t *testing.T) {
	k := newKept()
	call := &tool.Call{Name: "act", Args: json.RawMessage(`{"do":"well"}`), Gateway: "7k2m"}
	if _, err := k.kit(t).Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if calls, runs := k.named("execute_tool act"), k.named("run"); len(calls) != 1 || len(runs) != 1 {
		t.Errorf("%d calls and %d runs, want one of each", len(calls), len(runs))
	}
	if metrics := k.points(t); len(metrics) > 0 {
		t.Errorf("measured %v, want nothing", metrics)
	}
}

// points are the metrics with how much was measured of each.
func (k *kept) points(t *testing.T) map[string]int {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := k.metrics.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					out[m.Name] += int(p.Count)
				}
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					out[m.Name] += int(p.Value)
				}
			case metricdata.Gauge[float64]:
				out[m.Name] += len(d.DataPoints)
			}
		}
	}
	return out
}

// What is told has no name outside names.go, whatever it is told of.
func TestEveryNameStandsInOneFile(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, _ := strconv.Unquote(l.Value) // the parser read it
			known = append(known, text)
		}
		return true
	})
	k := newKept()
	kit := k.kit(t)
	for _, do := range []string{"well", "fail", "no"} {
		if _, err := kit.Call(t.Context(), &tool.Call{ID: "7", Name: "act", Args: json.RawMessage(`{"do":"` + do + `"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	about := telemetry.Request{Method: "tools/call", Tool: "t", ID: "1", Protocol: "p", Transport: "stdio", Server: "s"}
	ctx, _, end := telemetry.Serve(t.Context(), k, about)
	_, _, done := telemetry.Ask(ctx, k, about)
	done("timeout")
	end("t", "")
	_, chatted := telemetry.Chat(ctx, k, "openai/test")
	chatted(telemetry.Spent{Input: 1, Output: 2}, "")
	_, ended := telemetry.Agent(ctx, k)
	ended("failed")
	telemetry.Session(ctx, k, "p", "http", time.Second)
	telemetry.Tokens(ctx, k, 1, 2)
	telemetry.Up(ctx, k, "s", true)
	seen := 0
	for _, s := range k.spans.GetSpans() {
		for _, a := range s.Attributes {
			seen++
			if !slices.Contains(known, string(a.Key)) {
				t.Errorf("%s: %s is not in names.go", s.Name, a.Key)
			}
		}
		for _, e := range s.Events {
			if !slices.Contains(known, e.Name) {
				t.Errorf("event %s is not in names.go", e.Name)
			}
		}
	}
	for name := range k.points(t) {
		seen++
		if !slices.Contains(known, name) {
			t.Errorf("metric %s is not in names.go", name)
		}
	}
	if seen < 30 {
		t.Errorf("only %d names were looked at", seen)
	}
}
