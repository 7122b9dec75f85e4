package telemetry_test

import (
	"context"
	"fmt"

	"helve/tool"
	"helve/tool/telemetry"
)

// printed is a provider that prints spans when they end.
type printed struct{}

func (printed) Start(ctx context.Context, s telemetry.Start) (context.Context, telemetry.Span) {
	return ctx, &line{name: s.Name}
}

func (printed) Measure(context.Context, telemetry.Measurement) {}

type line struct{ name string }

func (l *line) Rename(name string)              { l.name = name }
func (l *line) Set(...telemetry.Attr)           {}
func (l *line) Event(string, ...telemetry.Attr) {}
func (l *line) Trace() telemetry.Trace          { return telemetry.Trace{} }
func (l *line) End(failed string)               { fmt.Printf("%s %q\n", l.name, failed) }

func Example() {
	r := &tool.Registry{}
	spec := tool.Spec{Name: "greet", Kind: tool.Read}
	err := r.Add(tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.Textf("hello"), nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := telemetry.Calls{To: printed{}}
	kit := r.Kit(tool.KitOptions{
		Around: []func(tool.Caller) tool.Caller{calls.Around},
		Wrap:   []func(tool.Runner) tool.Runner{calls.Wrap},
		Watch:  calls.Watch,
	})
	for _, name := range []string{"greet", "nobody"} {
		if _, err := kit.Call(context.Background(), &tool.Call{Name: name}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// run ""
	// execute_tool greet ""
	// execute_tool _other "unknown_tool"
}
