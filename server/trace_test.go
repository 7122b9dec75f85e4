package server_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"helve/server"
	"helve/tool"
	"helve/tool/telemetry"
)

// A keeper is a provider that keeps what spans came to.
type keeper struct {
	mu    sync.Mutex
	ended []string
}

type keptSpan struct {
	*keeper
	name string
}

func (k *keeper) Start(ctx context.Context, s telemetry.Start) (context.Context, telemetry.Span) {
	return ctx, &keptSpan{k, s.Name}
}
func (k *keeper) Measure(context.Context, telemetry.Measurement) {}

func (s *keptSpan) Rename(name string)              { s.name = name }
func (s *keptSpan) Set(...telemetry.Attr)           {}
func (s *keptSpan) Event(string, ...telemetry.Attr) {}
func (s *keptSpan) Trace() (none telemetry.Trace)   { return none }
func (s *keptSpan) End(failed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, s.name+": "+failed)
}

// The span of a call says which tool it called, and whether that failed: the answer alone does not, since it is no
// error of the protocol.
func TestTheSpanOfACallSaysWhatItCameTo(t *testing.T) {
	broken := tool.New(tool.Spec{Name: "broken", Kind: tool.Read, Doc: tool.Doc{Short: "Fails."}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, errors.New("no luck") })
	k := &keeper{}
	srv := server.New(opener(registry(t, say("echo", tool.Read), broken), tool.KitOptions{}), server.Options{Telemetry: k})
	w := dial(t, srv)
	w.initialize(`{}`)
	for id, params := range []string{`{"name":"echo","arguments":{"text":"x"}}`, `{"name":"broken","arguments":{}}`} {
		w.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params)
		if m := w.hear(); m["result"] == nil {
			t.Fatalf("%s: %s", params, m["error"])
		}
	}
	w.say(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"gone"}}`)
	w.hear()
	w.end() // spans end behind the answers
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, want := range []string{"tools/call echo: ", "tools/call broken: tool_error", "tools/call: tool_error"} {
		if !slices.Contains(k.ended, want) {
			t.Errorf("no span is %q: %q", want, k.ended)
		}
	}
}
