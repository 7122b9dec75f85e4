package otlp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/protobuf/encoding/protowire"
)

// Metrics sends metrics to a collector. It is for a periodic reader, which calls it once at a time.
type Metrics struct {
	to          *sender
	temporality metric.TemporalitySelector
	aggregation metric.AggregationSelector
}

var _ metric.Exporter = (*Metrics)(nil)

// NewMetrics makes an exporter of metrics from the environment's OTEL_EXPORTER_OTLP_ variables. It dials nothing. The
// error says which variable cannot be read.
func NewMetrics(getenv func(string) string) (*Metrics, error) {
	to, err := newSender(getenv, "METRICS", "/v1/metrics", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export")
	if err != nil {
		return nil, err
	}
	m := &Metrics{to: to}
	m.temporality, err = temporality(getenv(prefix + "METRICS_TEMPORALITY_PREFERENCE"))
	if err != nil {
		return nil, err
	}
	m.aggregation, err = aggregation(getenv(prefix + "METRICS_DEFAULT_HISTOGRAM_AGGREGATION"))
	return m, err
}

// temporality reads since when numbers count: the start, or the export before.
func temporality(name string) (metric.TemporalitySelector, error) {
	switch strings.ToLower(name) {
	case "", "cumulative":
		return metric.CumulativeTemporalitySelector, nil
	case "delta":
		return metric.DeltaTemporalitySelector, nil
	case "lowmemory":
		return metric.LowMemoryTemporalitySelector, nil
	}
	return nil, fmt.Errorf("%sMETRICS_TEMPORALITY_PREFERENCE=%s: want cumulative, delta or lowmemory", prefix, name)
}

// The size and the finest scale of histograms with buckets that grow, the SDK's own defaults.
const (
	growingSize  = 160
	growingScale = 20
)

// aggregation reads which buckets histograms have.
func aggregation(name string) (metric.AggregationSelector, error) {
	switch strings.ToLower(name) {
	case "", "explicit_bucket_histogram":
		return metric.DefaultAggregationSelector, nil
	case "base2_exponential_bucket_histogram":
		return func(k metric.InstrumentKind) metric.Aggregation {
			if k == metric.InstrumentKindHistogram {
				return metric.AggregationBase2ExponentialHistogram{MaxSize: growingSize, MaxScale: growingScale}
			}
			return metric.DefaultAggregationSelector(k)
		}, nil
	}
	return nil, fmt.Errorf("%sMETRICS_DEFAULT_HISTOGRAM_AGGREGATION=%s: want explicit_bucket_histogram or base2_exponential_bucket_histogram", prefix, name)
}

// Temporality tells since when the numbers of an instrument count.
func (m *Metrics) Temporality(k metric.InstrumentKind) metricdata.Temporality {
	return m.temporality(k)
}

// Aggregation tells what is kept of an instrument's numbers.
func (m *Metrics) Aggregation(k metric.InstrumentKind) metric.Aggregation { return m.aggregation(k) }

// Export sends metrics. The error says what the collector answered, or that it did not.
func (m *Metrics) Export(ctx context.Context, r *metricdata.ResourceMetrics) error {
	return m.to.send(ctx, metricsRequest(r))
}

// ForceFlush has nothing to do: nothing is kept here.
func (m *Metrics) ForceFlush(ctx context.Context) error { return ctx.Err() }

// Shutdown closes the connections to the collector.
func (m *Metrics) Shutdown(context.Context) error {
	m.to.close()
	return nil
}

// metricsRequest is an ExportMetricsServiceRequest.
func metricsRequest(r *metricdata.ResourceMetrics) message {
	var m message
	m.inner(1, func(m *message) {
		about(m, r.Resource)
		for _, s := range r.ScopeMetrics {
			m.inner(2, func(m *message) {
				scope(m, s.Scope)
				for _, one := range s.Metrics {
					m.inner(2, func(m *message) { metricOf(m, one) })
				}
				m.text(3, s.Scope.SchemaURL)
			})
		}
		m.text(3, r.Resource.SchemaURL())
	})
	return m
}

func metricOf(m *message, one metricdata.Metrics) {
	m.text(1, one.Name)
	m.text(2, one.Description)
	m.text(3, one.Unit)
	switch d := one.Data.(type) {
	case metricdata.Gauge[int64]:
		m.inner(5, func(m *message) { points(m, d.DataPoints) })
	case metricdata.Gauge[float64]:
		m.inner(5, func(m *message) { points(m, d.DataPoints) })
	case metricdata.Sum[int64]:
		m.inner(7, func(m *message) { sum(m, d) })
	case metricdata.Sum[float64]:
		m.inner(7, func(m *message) { sum(m, d) })
	case metricdata.Histogram[int64]:
		m.inner(9, func(m *message) { histogram(m, d) })
	case metricdata.Histogram[float64]:
		m.inner(9, func(m *message) { histogram(m, d) })
	case metricdata.ExponentialHistogram[int64]:
		m.inner(10, func(m *message) { growing(m, d) })
	case metricdata.ExponentialHistogram[float64]:
		m.inner(10, func(m *message) { growing(m, d) })
	}
}

func sum[N int64 | float64](m *message, s metricdata.Sum[N]) {
	points(m, s.DataPoints)
	m.number(2, since(s.Temporality))
	if s.IsMonotonic {
		m.bool(3, true)
	}
}

func points[N int64 | float64](m *message, all []metricdata.DataPoint[N]) {
	for _, p := range all {
		m.inner(1, func(m *message) {
			m.moment(2, p.StartTime)
			m.moment(3, p.Time)
			measured(m, 4, 6, p.Value)
			exemplars(m, 5, p.Exemplars)
			attributes(m, 7, p.Attributes.ToSlice())
		})
	}
}

// measured writes a number into the field for its type.
func measured[N int64 | float64](m *message, fraction, whole protowire.Number, n N) {
	switch n := any(n).(type) {
	case int64:
		m.fixedValue(whole, uint64(n))
	case float64:
		m.fixedValue(fraction, math.Float64bits(n))
	}
}

// fraction writes a number that counts even if it is zero.
func fraction[N int64 | float64](m *message, field protowire.Number, n N) {
	m.fixedValue(field, math.Float64bits(float64(n)))
}

func histogram[N int64 | float64](m *message, h metricdata.Histogram[N]) {
	for _, p := range h.DataPoints {
		m.inner(1, func(m *message) {
			m.moment(2, p.StartTime)
			m.moment(3, p.Time)
			m.fixed(4, p.Count)
			fraction(m, 5, p.Sum)
			m.bytes(6, packed(p.BucketCounts, protowire.AppendFixed64))
			m.bytes(7, packed(p.Bounds, func(b []byte, f float64) []byte {
				return protowire.AppendFixed64(b, math.Float64bits(f))
			}))
			exemplars(m, 8, p.Exemplars)
			attributes(m, 9, p.Attributes.ToSlice())
			extreme(m, 11, p.Min)
			extreme(m, 12, p.Max)
		})
	}
	m.number(2, since(h.Temporality))
}

// growing writes a histogram whose buckets grow by a factor.
func growing[N int64 | float64](m *message, h metricdata.ExponentialHistogram[N]) {
	for _, p := range h.DataPoints {
		m.inner(1, func(m *message) {
			attributes(m, 1, p.Attributes.ToSlice())
			m.moment(2, p.StartTime)
			m.moment(3, p.Time)
			m.fixed(4, p.Count)
			fraction(m, 5, p.Sum)
			m.signed(6, p.Scale)
			m.fixed(7, p.ZeroCount)
			m.inner(8, func(m *message) { buckets(m, p.PositiveBucket) })
			m.inner(9, func(m *message) { buckets(m, p.NegativeBucket) })
			exemplars(m, 11, p.Exemplars)
			extreme(m, 12, p.Min)
			extreme(m, 13, p.Max)
			m.fixed(14, math.Float64bits(p.ZeroThreshold))
		})
	}
	m.number(2, since(h.Temporality))
}

func buckets(m *message, b metricdata.ExponentialBucket) {
	m.signed(1, b.Offset)
	m.bytes(2, packed(b.Counts, protowire.AppendVarint))
}

// packed is a list of numbers, one behind the other.
func packed[T any](all []T, add func([]byte, T) []byte) []byte {
	var out []byte
	for _, n := range all {
		out = add(out, n)
	}
	return out
}

// extreme writes the least or the largest number, where it is known.
func extreme[N int64 | float64](m *message, field protowire.Number, e metricdata.Extrema[N]) {
	if n, is := e.Value(); is {
		fraction(m, field, n)
	}
}

func exemplars[N int64 | float64](m *message, field protowire.Number, all []metricdata.Exemplar[N]) {
	for _, e := range all {
		m.inner(field, func(m *message) {
			m.moment(2, e.Time)
			measured(m, 3, 6, e.Value)
			m.bytes(4, e.SpanID)
			m.bytes(5, e.TraceID)
			attributes(m, 7, e.FilteredAttributes)
		})
	}
}

// since is the format's number of a temporality.
func since(t metricdata.Temporality) uint64 {
	switch t {
	case metricdata.DeltaTemporality:
		return 1
	case metricdata.CumulativeTemporality:
		return 2
	}
	return 0
}
