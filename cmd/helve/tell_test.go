package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve/internal/testing/wiretest"
)

// A served gateway is a process that speaks MCP on its stdin and stdout.
type served struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	said bytes.Buffer
	id   int
}

// gateway starts a program that serves a workspace and lists all tools. home has its configuration.
func gateway(t *testing.T, program, home, dir string, environ ...string) *served {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return gatewayWith(t, []string{path, "serve", "-C", dir, "--expose", "all"}, home, environ...)
}

// gatewayWith starts a gateway by its command line.
func gatewayWith(t *testing.T, line []string, home string, environ ...string) *served {
	t.Helper()
	g := &served{t: t, cmd: exec.Command(line[0], line[1:]...)}
	g.cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, environ...)
	g.cmd.Stderr = &g.said
	out, err := g.cmd.StdoutPipe()
	if err == nil {
		g.in, err = g.cmd.StdinPipe()
	}
	if err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.cmd.Process.Kill() }) // it has ended, or the test has failed
	g.out = bufio.NewScanner(out)
	g.out.Buffer(nil, 4<<20)
	g.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	fmt.Fprintln(g.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return g
}

func (g *served) ask(method, params string) string {
	g.t.Helper()
	g.id++
	fmt.Fprintf(g.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", g.id, method, params)
	for g.out.Scan() {
		if strings.Contains(g.out.Text(), fmt.Sprintf(`"id":%d`, g.id)) {
			return g.out.Text()
		}
	}
	g.t.Fatalf("no answer to %s: %v; it said: %s", method, g.out.Err(), g.said.String())
	return ""
}

func (g *served) end() {
	g.t.Helper()
	if err := g.in.Close(); err != nil {
		g.t.Error(err)
	}
	for g.out.Scan() { // what is left
	}
	if err := g.cmd.Wait(); err != nil {
		g.t.Errorf("%v: %s", err, g.said.String())
	}
}

// folders are a home with a configuration and a workspace with a file.
func folders(t *testing.T, config string) (home, dir string) {
	t.Helper()
	root := t.TempDir()
	home, dir = filepath.Join(root, "home"), filepath.Join(root, "work")
	for file, text := range map[string]string{
		filepath.Join(home, ".config", "helve", "config.json"): config,
		filepath.Join(dir, "a.txt"):                            "secret words\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
)

// A client's trace goes on through the gateway to the MCP server behind it, which is helve once more: one tree. The
// gateway is started as helve, which links no exporter and hands over.
func TestATraceFromClientToServerIsOneTree(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three programs")
	}
	c := newCollector(t)
	to := "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL
	behind, files := folders(t, `{}`)
	full, err := exec.LookPath("helve")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := json.Marshal(map[string]any{"mcp_servers": map[string]any{"up": map[string]any{
		"command": full, "args": []string{"serve", "-C", files}, "trust": true, "start_timeout": "120s",
		"env": map[string]string{
			"HOME": behind, "OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SERVICE_NAME": "upstream", "OTEL_BSP_SCHEDULE_DELAY": "50",
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	home, dir := folders(t, string(entry))
	g := gateway(t, "helve", home, dir, to, "OTEL_SERVICE_NAME=gateway")
	for end := time.Now().Add(time.Minute); !strings.Contains(g.ask("tools/list", `{}`), "mcp__up__read"); {
		if time.Now().After(end) {
			t.Fatalf("no tool of the server: %s", g.said.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	said := g.ask("tools/call", `{"name":"mcp__up__read","arguments":{"file_path":"a.txt"},"_meta":{"traceparent":"00-`+
		clientTrace+`-`+clientSpan+`-01"}}`)
	if !strings.Contains(said, "secret words") {
		t.Fatalf("%s; %s", said, g.said.String())
	}
	// A server is ended with its gateway, within a second: on a busy machine it may not have told all by then.
	for end := time.Now().Add(time.Minute); !c.heard("upstream tools/call read") && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	g.end()

	c.mu.Lock()
	defer c.mu.Unlock()
	at := clientSpan
	for _, want := range []string{
		"gateway tools/call read", "gateway execute_tool read", "gateway run", "gateway tools/call read",
		"upstream tools/call read", "upstream execute_tool read", "upstream run",
	} {
		var below []sent
		for _, s := range c.spans {
			if s.trace == clientTrace && s.parent == at {
				below = append(below, s)
			}
		}
		if len(below) != 1 || below[0].service+" "+below[0].name != want {
			t.Fatalf("below %s: %+v, want %s; all: %+v", at, below, want, c.spans)
		}
		at = below[0].id
	}
	for _, s := range c.spans {
		for k, v := range s.attrs {
			if strings.Contains(v, "secret") || strings.Contains(v, "a.txt") || strings.Contains(v, files) {
				t.Errorf("%s has %s: %s", s.name, k, v)
			}
		}
	}
	for _, name := range []string{
		"mcp.server.operation.duration", "mcp.client.operation.duration", "mcp.server.session.duration", "gen_ai.execute_tool.duration",
		"helve.calls", "helve.tokens", "helve.upstream.up",
	} {
		if !slices.Contains(c.metrics, name) {
			t.Errorf("no %s among %v", name, c.metrics)
		}
	}
}

// A collector that hangs, one that refuses, and one that is not there: calls come back, and the program ends.
func TestACollectorHoldsNoCall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	over := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(hangs.Close)
	t.Cleanup(func() { close(over) })
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(refuses.Close)
	for name, c := range map[string]struct{ environ, says string }{
		"hangs":                 {"OTEL_EXPORTER_OTLP_ENDPOINT=" + hangs.URL, ""},
		"refuses":               {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL, "warning: telemetry: "},
		"is not there":          {"OTEL_EXPORTER_OTLP_ENDPOINT=" + nowhere, ""},
		"is no address":         {"OTEL_EXPORTER_OTLP_ENDPOINT=::nonsense", ""},
		"hangs, by gRPC":        {"OTEL_EXPORTER_OTLP_ENDPOINT=" + hangsOpen(t) + byGRPC, ""},
		"refuses, by gRPC":      {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refusesByGRPC(t) + byGRPC, "warning: telemetry: "},
		"is not there, by gRPC": {"OTEL_EXPORTER_OTLP_ENDPOINT=" + nowhere + byGRPC, ""},
		"speaks no gRPC":        {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL + byGRPC, ""},
		"speaks JSON":           {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL + "\nOTEL_EXPORTER_OTLP_PROTOCOL=http/json", "want http/protobuf or grpc"},
		"is not wanted":         {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL + "\nOTEL_SDK_DISABLED=true", ""},
		"is not for all":        {"OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL + "\nOTEL_TRACES_EXPORTER=none\nOTEL_METRICS_EXPORTER=none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := folders(t, `{}`)
			environ := append(strings.Split(c.environ, "\n"), "OTEL_BSP_SCHEDULE_DELAY=10", "OTEL_METRIC_EXPORT_INTERVAL=10")
			g := gateway(t, "helve", home, dir, environ...)
			for range 20 {
				if said := g.ask("tools/call", `{"name":"read","arguments":{"file_path":"a.txt"}}`); !strings.Contains(said, "secret words") {
					t.Fatalf("%s", said)
				}
			}
			g.end()
			if !strings.Contains(g.said.String(), c.says) || strings.Count(g.said.String(), "warning: telemetry") > 1 {
				t.Errorf("it said %q, want %q once", g.said.String(), c.says)
			}
		})
	}
}

// The run of an agent is one tree, too: what it asked the model, and what it called.
func TestTheRunOfAnAgentIsOneTree(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program")
	}
	c := newCollector(t)
	home, dir := folders(t, `{}`)
	model := wiretest.OpenAI(t,
		wiretest.Turn{Status: 503, Body: "secret words of a busy server"},
		wiretest.Turn{Calls: []wiretest.Call{{Name: "read", Args: `{"file_path":"a.txt"}`}}},
		wiretest.Turn{Text: "Done."})
	path, err := exec.LookPath("helve")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "run", "secret prompt", "--model", "openai/test", "--base-url", model.URL, "-C", dir)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Done.") {
		t.Fatalf("%v: %s", err, out)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var root string
	for _, s := range c.spans {
		if s.name == "invoke_agent" && s.parent == "" {
			root = s.id
		}
		for k, v := range s.attrs {
			if strings.Contains(v, "secret") {
				t.Errorf("%s has %s: %s", s.name, k, v)
			}
		}
	}
	var below []string
	for _, s := range c.spans {
		if s.parent == root && root != "" {
			below = append(below, strings.TrimSpace(s.name+" "+s.attrs["error.type"]))
		}
	}
	slices.Sort(below)
	if want := []string{"chat test", "chat test", "chat test busy", "execute_tool read"}; !slices.Equal(below, want) {
		t.Errorf("below the run: %q, want %q; all: %+v", below, want, c.spans)
	}
	if !slices.Contains(c.metrics, "gen_ai.client.token.usage") || !slices.Contains(c.metrics, "gen_ai.client.operation.duration") {
		t.Errorf("%v", c.metrics)
	}
}
