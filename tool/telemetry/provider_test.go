package telemetry

import (
	"encoding/json"
	"strings"
	"testing"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// A client says what it likes: what is no trace context goes nowhere.
func TestWhatIsNoTraceIsNone(t *testing.T) {
	for _, c := range []struct{ meta, parent, state string }{
		{`{"traceparent":"` + parent + `","tracestate":"a=b"}`, parent, "a=b"},
		{`{"traceparent":"` + parent + `"}`, parent, ""},
		{`{"traceparent":"` + parent + `","tracestate":"` + strings.Repeat("x", 600) + `"}`, parent, ""},
		{`{"traceparent":"` + parent + `","tracestate":"a\r\nb"}`, parent, ""},
		{`{"traceparent":7}`, "", ""},
		{`{"traceparent":"short"}`, "", ""},
		{`{"traceparent":"` + strings.Repeat("x", 1<<16) + `"}`, "", ""},
		{`{"traceparent":"` + strings.Repeat("\\n", 55) + `"}`, "", ""},
		{`[]`, "", ""},
		{`{`, "", ""},
		{``, "", ""},
	} {
		if got := TraceOf(json.RawMessage(c.meta)); got.Parent != c.parent || got.State != c.state {
			t.Errorf("%.80s: %+v", c.meta, got)
		}
	}
}

func TestATraceTakesThePlaceOfTheOneBefore(t *testing.T) {
	for _, c := range []struct {
		trace    Trace
		in, want string
	}{
		{Trace{}, `{"a":1}`, `{"a":1}`},
		{Trace{Parent: parent}, ``, `{"traceparent":"` + parent + `"}`},
		{Trace{Parent: parent}, `{"traceparent":"x","tracestate":"y","a":1}`, `{"traceparent":"` + parent + `","a":1}`},
		{Trace{Parent: parent, State: "s=1"}, `{"a":1}`, `{"a":1,"traceparent":"` + parent + `","tracestate":"s=1"}`},
	} {
		if got := c.trace.Into(json.RawMessage(c.in)); string(got) != c.want {
			t.Errorf("%+v into %s: %s, want %s", c.trace, c.in, got, c.want)
		}
	}
}
