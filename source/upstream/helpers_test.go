package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// ample bounds what must come: far above what it takes on a machine that does much else. What must not come gets a short time.
const ample = 2 * time.Minute

// stdioConfig is the test binary as a server.
func stdioConfig(mode string) Config {
	env := map[string]string{behaviour: mode, "GORACE": "atexit_sleep_ms=0"} // the race detector would have each sleep a second at its end
	return Config{Name: "srv", Command: os.Args[0], Env: env, StartTimeout: ample, Timeout: ample}
}

func newSource(t testing.TB, c Config, o Options) *Source {
	t.Helper()
	if testing.Verbose() && o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	}
	s, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

type allow struct{}

func (allow) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allow) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// attached is a kit over one source that allows everything.
func attached(t testing.TB, s *Source) *tool.Kit {
	t.Helper()
	r := &tool.Registry{}
	t.Cleanup(func() { r.Close() })
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return r.Kit(tool.KitOptions{Policy: allow{}})
}

func run(t testing.TB, k *tool.Kit, c *tool.Call) *tool.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), ample)
	defer stop()
	res, err := k.Call(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func say1(t testing.TB, k *tool.Kit, text string) *tool.Result {
	t.Helper()
	args, _ := json.Marshal(map[string]string{"text": text})
	return run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: args})
}
