// Package otlp sends spans and metrics to an OpenTelemetry collector: OTLP in protobuf, over HTTP or gRPC, as the
// OTEL_EXPORTER_OTLP_ variables of the environment say (opentelemetry.io/docs/specs/otlp and …/protocol/exporter).
//
// The official exporters do the same, and are the oracle of its tests. They link gRPC and a page that is drawn with
// html/template, which keeps every method of every type in the program: with the exporters helve is 30 MB larger and
// starts a millisecond later.
package otlp
