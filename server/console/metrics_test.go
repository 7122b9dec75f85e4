package console

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

func TestMetricsTellEndsApart(t *testing.T) {
	m := &Metrics{}
	origin := tool.Origin{Kind: tool.MCP, Server: "git\"hub\n\\", Name: "x"}
	spec := &tool.Spec{Name: "x", Origin: origin}
	for _, r := range []*tool.Result{
		{Spec: spec, Parts: []tool.Part{tool.Text("four")}, Asked: 10 * time.Second},
		{Spec: spec, Err: tool.Errorf(tool.Permission, "no")},
		{Spec: spec, Err: tool.Errorf(tool.Execution, "broke")},
		{Spec: spec, Need: &tool.Need{}},
		{Err: tool.Errorf(tool.UnknownTool, "none")},
		nil,
	} {
		call := m.Around(func(context.Context, *tool.Call) (*tool.Result, error) { return r, nil })
		if _, err := call(t.Context(), &tool.Call{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.Of(origin); got != (Counts{Calls: 3, Failed: 1, Refused: 1}) {
		t.Errorf("%+v", got)
	}
	text := m.text()
	for _, want := range []string{
		`helve_calls_total{source="git\"hub\n\\",tool="x",outcome="permission_error"} 1` + "\n",
		`helve_calls_total{source="",tool="_other",outcome="stopped"} 1` + "\n",
		`helve_result_bytes_total{source="git\"hub\n\\",tool="x"} 4` + "\n",
		`helve_call_duration_seconds_bucket{source="git\"hub\n\\",tool="x",le="300"} 3` + "\n",
		`helve_call_duration_seconds_count{source="git\"hub\n\\",tool="x"} 3` + "\n",
		`helve_asked_duration_seconds_bucket{source="git\"hub\n\\",tool="x",le="5"} 0` + "\n",
		`helve_asked_duration_seconds_sum{source="git\"hub\n\\",tool="x"} 10` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestMetricsAreBounded(t *testing.T) {
	m := &Metrics{}
	for i := range 2 * maxSeries {
		m.add(&tool.Result{Spec: &tool.Spec{Origin: tool.Origin{Kind: tool.Go, Name: fmt.Sprint(i)}}}, nil, 0)
	}
	if len(m.tools) > maxSeries+1 {
		t.Errorf("%d series", len(m.tools))
	}
	rest := m.Of(tool.Origin{Name: other})
	if rest.Calls != maxSeries {
		t.Errorf("%d calls of others, want %d", rest.Calls, maxSeries)
	}
}
