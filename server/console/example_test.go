package console_test

import (
	"context"
	"os"
	"strings"

	"helve/server/console"
	"helve/tool"
)

// Metrics stand around the calls of a kit, and are written as Prometheus reads them.
func ExampleMetrics() {
	r := &tool.Registry{}
	greet := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("hello"), nil }
	if err := r.Add(tool.New(tool.Spec{Name: "greet", Kind: tool.Read}, greet)); err != nil {
		panic(err)
	}
	m := &console.Metrics{}
	kit := r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{m.Around}})
	for _, name := range []string{"greet", "greet", "gret"} {
		if _, err := kit.Call(context.Background(), &tool.Call{Name: name}); err != nil {
			panic(err)
		}
	}
	var text strings.Builder
	if _, err := m.WriteTo(&text); err != nil {
		panic(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "helve_calls") {
			os.Stdout.WriteString(line)
		}
	}
	// Output:
	// helve_calls_running 0
	// helve_calls_total{source="",tool="_other",outcome="unknown_tool"} 1
	// helve_calls_total{source="go",tool="greet",outcome="ok"} 2
}
