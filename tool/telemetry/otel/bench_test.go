package otel_test

import (
	"context"
	"testing"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"helve/tool"
	"helve/tool/telemetry"
	"helve/tool/telemetry/otel"
)

// BenchmarkCall measures what a call takes with nobody to tell, with OpenTelemetry's API alone, and with its SDK whose exporter
// takes the spans and sends nothing.
func BenchmarkCall(b *testing.B) {
	batched := func(sampler sdktrace.Sampler) func(*testing.B) telemetry.Provider {
		return func(b *testing.B) telemetry.Provider {
			traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(drop{}), sdktrace.WithSampler(sampler))
			metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
			b.Cleanup(func() {
				if err := traces.Shutdown(context.Background()); err != nil {
					b.Error(err)
				}
			})
			return otel.New(traces, metrics, "bench")
		}
	}
	for _, c := range []struct {
		name string
		to   func(*testing.B) telemetry.Provider
	}{
		{"nobody", nil},
		{"API", func(*testing.B) telemetry.Provider {
			return otel.New(tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider(), "bench")
		}},
		{"SDK, one trace in a hundred", batched(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(.01)))},
		{"SDK, every trace", batched(sdktrace.AlwaysSample())},
	} {
		b.Run(c.name, func(b *testing.B) {
			var r tool.Registry
			if err := r.Add(tool.New(tool.Spec{Name: "read", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
				return tool.Textf("text"), nil
			})); err != nil {
				b.Fatal(err)
			}
			o := tool.KitOptions{}
			if c.to != nil {
				calls := telemetry.Calls{To: c.to(b)}
				o.Around = []func(tool.Caller) tool.Caller{calls.Around}
				o.Wrap = []func(tool.Runner) tool.Runner{calls.Wrap}
				o.Watch = calls.Watch
			}
			kit := r.Kit(o)
			b.ReportAllocs()
			for b.Loop() {
				if res, err := kit.Call(b.Context(), &tool.Call{Name: "read"}); err != nil || res.Err != nil {
					b.Fatal(err, res)
				}
			}
		})
	}
}

// A drop is an exporter that takes everything and sends nothing.
type drop struct{}

func (drop) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (drop) Shutdown(context.Context) error                             { return nil }
