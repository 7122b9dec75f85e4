package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"helve/tool"
)

const (
	// maxSeries bounds the tools that are counted apart: what comes beyond counts as other.
	maxSeries = 1000
	// other is the name of calls that meant no tool, and of tools beyond maxSeries.
	other = "_other"
)

// limits are the upper ends of a histogram's parts, in seconds: from a read that is cached to a build that takes
// minutes.
func limits() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
}

// Metrics count calls, for Prometheus and for Board. The zero value is ready; its methods are safe for concurrent use.
type Metrics struct {
	mu      sync.Mutex
	running int
	tools   map[tool.Origin]*series
}

// A series is what is counted of one tool.
type series struct {
	outcomes map[string]uint64
	took     histogram
	asked    histogram
	bytes    uint64
}

// A histogram counts times. The last part has no end.
type histogram struct {
	parts []uint64
	sum   float64
	n     uint64
}

func (h *histogram) add(d time.Duration) {
	bounds := limits()
	if h.parts == nil {
		h.parts = make([]uint64, len(bounds)+1)
	}
	s := d.Seconds()
	i, _ := slices.BinarySearch(bounds, s)
	h.parts[i]++
	h.sum += s
	h.n++
}

// Counts are how often a tool was called, by what became of it.
type Counts struct{ Calls, Failed, Refused int }

// Around is the middleware that counts. A call counts when it is over.
func (m *Metrics) Around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		m.enter(1)
		defer m.enter(-1)
		began := time.Now()
		res, err := next(ctx, c)
		if res == nil || res.Need == nil { // one that waits for its client comes again
			m.add(res, err, time.Since(began))
		}
		return res, err
	}
}

func (m *Metrics) enter(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += n
}

func (m *Metrics) add(res *tool.Result, err error, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of(res)
	s.outcomes[outcome(res, err)]++
	if res == nil {
		s.took.add(took)
		return
	}
	s.took.add(max(0, took-res.Asked)) // a person's thinking is not the tool's slowness
	if asked := res.Asked + res.Took; asked > 0 {
		s.asked.add(asked)
	}
	for _, p := range res.Parts {
		s.bytes += uint64(tool.Size(p))
	}
}

// of is the series of the tool that a call meant. m.mu is held.
func (m *Metrics) of(res *tool.Result) *series {
	key := tool.Origin{Name: other}
	if res != nil && res.Spec != nil {
		key = res.Spec.Origin
	}
	if m.tools[key] == nil && len(m.tools) >= maxSeries {
		key = tool.Origin{Name: other}
	}
	if s := m.tools[key]; s != nil {
		return s
	}
	if m.tools == nil {
		m.tools = map[tool.Origin]*series{}
	}
	s := &series{outcomes: map[string]uint64{}}
	m.tools[key] = s
	return s
}

// outcome is the word for an end: ok, stopped, or the code of an error.
func outcome(res *tool.Result, err error) string {
	switch {
	case err != nil || res == nil:
		return "stopped"
	case res.Err != nil:
		return string(res.Err.Code)
	}
	return "ok"
}

// Of is how often a tool was called since the program began.
func (m *Metrics) Of(o tool.Origin) (c Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.tools[o]
	if s == nil {
		return c
	}
	for word, n := range s.outcomes {
		c.Calls += int(n)
		switch word {
		case "ok", "stopped":
		case string(tool.Permission):
			c.Refused += int(n)
		default:
			c.Failed += int(n)
		}
	}
	return c
}

// WriteTo writes everything in Prometheus' text format, version 0.0.4. No path, command or session is in it.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, m.text())
	return int64(n), err
}

func (m *Metrics) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	keys := slices.Collect(maps.Keys(m.tools))
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return cmp.Or(strings.Compare(a.Source(), b.Source()), strings.Compare(a.Name, b.Name)) < 0
	})
	head(&b, "helve_calls_running", "gauge", "Calls that have begun and not ended.")
	fmt.Fprintf(&b, "helve_calls_running %d\n", m.running)
	head(&b, "helve_calls_total", "counter", "Calls that have ended, by what became of them.")
	for _, k := range keys {
		s := m.tools[k]
		for _, word := range slices.Sorted(maps.Keys(s.outcomes)) {
			fmt.Fprintf(&b, "helve_calls_total{%s,outcome=%s} %d\n", labels(k), quoted(word), s.outcomes[word])
		}
	}
	head(&b, "helve_result_bytes_total", "counter", "Bytes of results.")
	for _, k := range keys {
		fmt.Fprintf(&b, "helve_result_bytes_total{%s} %d\n", labels(k), m.tools[k].bytes)
	}
	head(&b, "helve_call_duration_seconds", "histogram", "How long calls took, without what approvers took.")
	for _, k := range keys {
		m.tools[k].took.write(&b, "helve_call_duration_seconds", labels(k))
	}
	head(&b, "helve_asked_duration_seconds", "histogram", "How long approvers took to answer.")
	for _, k := range keys {
		m.tools[k].asked.write(&b, "helve_asked_duration_seconds", labels(k))
	}
	return b.String()
}

func head(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// labels say which tool it is.
func labels(o tool.Origin) string {
	source := o.Source()
	return "source=" + quoted(source) + ",tool=" + quoted(clip(o.Name, maxTitle))
}

// quoted is a label's value: backslash, quote and line end are escaped, and nothing else.
func quoted(s string) string {
	s = strings.ToValidUTF8(s, "�")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func (h *histogram) write(b *strings.Builder, name, labels string) {
	if h.n == 0 {
		return
	}
	sum := uint64(0)
	for i, end := range limits() {
		sum += h.parts[i]
		fmt.Fprintf(b, "%s_bucket{%s,le=\"%s\"} %d\n", name, labels, strconv.FormatFloat(end, 'g', -1, 64), sum)
	}
	fmt.Fprintf(b, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, h.n)
	fmt.Fprintf(b, "%s_sum{%s} %s\n", name, labels, strconv.FormatFloat(h.sum, 'g', -1, 64))
	fmt.Fprintf(b, "%s_count{%s} %d\n", name, labels, h.n)
}
