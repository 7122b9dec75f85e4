package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"helve/internal/version"
	"helve/tool/telemetry"
)

// A TelemetryRequest is what a program that links OpenTelemetry's SDK makes a provider of. Where spans and metrics go
// is said by the OTEL_ variables of the process.
type TelemetryRequest struct {
	Service string            // what this program is, unless the variables say otherwise
	Version string            // helve's
	Say     func(text string) // tells the person what goes wrong
}

// A Telemetry is a provider until it is closed. Close sends what is left, and gives up when ctx is done.
type Telemetry struct {
	telemetry.Provider
	Close func(ctx context.Context) error
}

// endpoints are the variables with which a person asks for telemetry. There is none unless one of them is set.
var endpoints = [...]string{
	"OTEL_EXPORTER_OTLP_ENDPOINT",
	"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
}

// farewell is what the collector has at the end for what is left.
const farewell = 3 * time.Second

// wantsTelemetry tells whether the environment asks for telemetry.
func (s Streams) wantsTelemetry() bool {
	set := func(name string) bool { return s.Getenv(name) != "" }
	return slices.ContainsFunc(endpoints[:], set) && !strings.EqualFold(s.Getenv("OTEL_SDK_DISABLED"), "true")
}

// protocols are the values of OTEL_EXPORTER_OTLP_PROTOCOL that are spoken, the default first.
var protocols = [...]string{"http/protobuf", "grpc"}

// StartTelemetry makes the provider that the environment asks for; nil: it asks for none, or it cannot be had, which is
// said. The function ends it. service names this program.
func (s Streams) StartTelemetry(ctx context.Context, service string) (telemetry.Provider, func()) {
	if !s.wantsTelemetry() {
		return nil, func() {}
	}
	for _, name := range []string{"", "_TRACES", "_METRICS"} {
		name = "OTEL_EXPORTER_OTLP" + name + "_PROTOCOL"
		if p := s.Getenv(name); p != "" && !slices.Contains(protocols[:], p) {
			s.Say("warning: %s=%s: want http/protobuf or grpc: no telemetry is sent", name, Printable(p))
			return nil, func() {}
		}
	}
	t, err := s.Telemetry(ctx, TelemetryRequest{
		Service: service,
		Version: version.String(),
		Say:     func(text string) { s.Say("warning: telemetry: %s", Printable(text)) },
	})
	if err != nil {
		s.Say("warning: no telemetry is sent: %s", Printable(err.Error()))
		return nil, func() {}
	}
	return t.Provider, func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer stop()
		if err := t.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			s.Note("telemetry: %s", Printable(err.Error()))
		}
	}
}
