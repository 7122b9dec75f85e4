package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"helve/cmd/internal/command"
	"helve/cmd/internal/otlp"
	helveotel "helve/tool/telemetry/otel"
)

// tell makes what sends spans and metrics to a collector over OTLP, by HTTP or gRPC, as the environment's OTEL_
// variables say. Nothing here waits for the collector: spans that find no room are dropped, and what cannot be sent
// is said once.
func tell(ctx context.Context, r command.TelemetryRequest) (*command.Telemetry, error) {
	var once sync.Once // it would be said again every few seconds
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		once.Do(func() { r.Say(err.Error()) })
	}))
	name, version := attribute.String("service.name", r.Service), attribute.String("service.version", r.Version)
	what, err := resource.New(ctx,
		resource.WithAttributes(name, version),
		resource.WithFromEnv(), // says otherwise
		resource.WithTelemetrySDK(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, err
	}
	traces, endTraces, err := tracer(what)
	if err != nil {
		return nil, err
	}
	metrics, endMetrics, err := meter(what)
	if err != nil {
		return nil, errors.Join(err, endTraces(ctx))
	}
	return &command.Telemetry{
		Provider: helveotel.New(traces, metrics, r.Version),
		Close: func(ctx context.Context) error {
			return errors.Join(endTraces(ctx), endMetrics(ctx))
		},
	}, nil
}

// none tells that an exporter is switched off.
func none(name string) bool { return strings.EqualFold(os.Getenv(name), "none") }

func nothing(context.Context) error { return nil }

func tracer(what *resource.Resource) (trace.TracerProvider, func(context.Context) error, error) {
	if none("OTEL_TRACES_EXPORTER") {
		return tracenoop.NewTracerProvider(), nothing, nil
	}
	to, err := otlp.NewSpans(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(to), sdktrace.WithResource(what))
	return p, p.Shutdown, nil
}

func meter(what *resource.Resource) (metric.MeterProvider, func(context.Context) error, error) {
	if none("OTEL_METRICS_EXPORTER") {
		return metricnoop.NewMeterProvider(), nothing, nil
	}
	to, err := otlp.NewMetrics(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(to)), sdkmetric.WithResource(what))
	return p, p.Shutdown, nil
}
