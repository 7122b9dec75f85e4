package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"helve"
	"helve/parts/telemetry"
	"helve/tool"
	spans "helve/tool/telemetry"
)

// printed is a provider that prints spans when they end.
type printed struct{}

func (printed) Start(ctx context.Context, s spans.Start) (context.Context, spans.Span) {
	return ctx, &line{name: s.Name}
}

func (printed) Measure(context.Context, spans.Measurement) {}

type line struct{ name string }

func (l *line) Rename(name string)          { l.name = name }
func (l *line) Set(...spans.Attr)           {}
func (l *line) Event(string, ...spans.Attr) {}
func (l *line) Trace() spans.Trace          { return spans.Trace{} }
func (l *line) End(string)                  { fmt.Println(l.name) }

// A workspace that tells a program's telemetry what its calls do.
func ExamplePart() {
	home, err := os.MkdirTemp("", "helve-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ctx := context.Background()
	ws, err := helve.Open(ctx, helve.Options{
		Dirs:    []string{home},
		Environ: []string{"HOME=" + filepath.Join(home, "home")}, // a program leaves this away
		Parts:   []helve.Part{telemetry.Part(printed{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ws.Close()
	if _, err := ws.Kit().Call(ctx, &tool.Call{Name: "ls", Args: json.RawMessage(`{}`)}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// run
	// execute_tool ls
}
