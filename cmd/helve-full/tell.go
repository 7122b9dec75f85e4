package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"helve/cmd/internal/app"
	helveotel "helve/tool/telemetry/otel"
)

// tell makes what sends spans and metrics to a collector over OTLP, by HTTP or gRPC, as the environment's OTEL_
// variables say. Nothing here waits for the collector: spans that find no room are dropped, and what cannot be sent
// is said once.
func tell(ctx context.Context, r app.TelemetryRequest) (*app.Telemetry, error) {
	var once sync.Once // it would be said again every few seconds
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		once.Do(func() { r.Say(err.Error()) })
	}))
	what, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", r.Service), attribute.String("service.version", r.Version)),
		resource.WithFromEnv(), // says otherwise
		resource.WithTelemetrySDK(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, err
	}
	traces, endTraces, err := tracer(ctx, what)
	if err != nil {
		return nil, err
	}
	metrics, endMetrics, err := meter(ctx, what)
	if err != nil {
		return nil, errors.Join(err, endTraces(ctx))
	}
	return &app.Telemetry{
		Provider: helveotel.New(traces, metrics, r.Version),
		Close: func(ctx context.Context) error {
			return errors.Join(endTraces(ctx), endMetrics(ctx))
		},
	}, nil
}

// none tells that an exporter is switched off.
func none(name string) bool { return strings.EqualFold(os.Getenv(name), "none") }

// speaksGRPC tells by which of both a signal goes to the collector.
func speaksGRPC(signal string) bool {
	of := os.Getenv("OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL")
	return cmp.Or(of, os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")) == "grpc"
}

func nothing(context.Context) error { return nil }

func tracer(ctx context.Context, what *resource.Resource) (trace.TracerProvider, func(context.Context) error, error) {
	if none("OTEL_TRACES_EXPORTER") {
		return tracenoop.NewTracerProvider(), nothing, nil
	}
	var to sdktrace.SpanExporter
	var err error
	if speaksGRPC("TRACES") {
		to, err = otlptracegrpc.New(ctx)
	} else {
		to, err = otlptracehttp.New(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(to), sdktrace.WithResource(what))
	return p, p.Shutdown, nil
}

func meter(ctx context.Context, what *resource.Resource) (metric.MeterProvider, func(context.Context) error, error) {
	if none("OTEL_METRICS_EXPORTER") {
		return metricnoop.NewMeterProvider(), nothing, nil
	}
	var to sdkmetric.Exporter
	var err error
	if speaksGRPC("METRICS") {
		to, err = otlpmetricgrpc.New(ctx)
	} else {
		to, err = otlpmetrichttp.New(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(to)), sdkmetric.WithResource(what))
	return p, p.Shutdown, nil
}
