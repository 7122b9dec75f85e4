package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/server/nats/broker"
	natspool "helve/source/nats"
)

// Whichever way telemetry goes to the collector, it says the same.
func TestACollectorHearsTheSameOverGRPC(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	heard := map[string]*collector{}
	for _, way := range []string{"http", "grpc"} {
		c := newCollector(t)
		heard[way] = c
		environ := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}
		if way == "grpc" {
			environ = []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.byGRPC(), "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}
		}
		home, dir := folders(t, `{}`)
		g := gateway(t, "helve", home, dir, environ...)
		said := g.ask("tools/call", `{"name":"read","arguments":{"file_path":"a.txt"},"_meta":{"traceparent":"00-`+clientTrace+`-`+clientSpan+`-01"}}`)
		if !strings.Contains(said, "secret words") {
			t.Fatalf("%s; %s", said, g.said.String())
		}
		g.end()
	}
	spans := func(c *collector) (out []string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.spans {
			if s.trace == clientTrace {
				out = append(out, s.service+" "+s.name)
			}
		}
		slices.Sort(out)
		return out
	}
	names := func(c *collector) []string {
		c.mu.Lock()
		defer c.mu.Unlock()
		slices.Sort(c.metrics)
		return slices.Compact(c.metrics)
	}
	want := []string{"helve execute_tool read", "helve run", "helve tools/call read"}
	if a, b := spans(heard["http"]), spans(heard["grpc"]); !slices.Equal(a, want) || !slices.Equal(b, want) {
		t.Errorf("spans over HTTP %q, over gRPC %q, want %q", a, b, want)
	}
	if a, b := names(heard["http"]), names(heard["grpc"]); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("metrics over HTTP %q, over gRPC %q", a, b)
	}
}

// What a worker does on behalf of a gateway is below the gateway's call: client, gateway and worker are one tree.
func TestATraceThroughAWorkerIsOneTree(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := newCollector(t)
	config, err := json.Marshal(map[string]any{"bus": map[string]any{"url": b.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	home, dir := folders(t, string(config))
	full, err := exec.LookPath("helve")
	if err != nil {
		t.Fatal(err)
	}
	worker := exec.Command(full, "worker", "-C", dir)
	worker.Env = []string{"HOME=" + filepath.Join(filepath.Dir(home), "other"), "PATH=" + os.Getenv("PATH"), "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}
	worker.Args = append(worker.Args, "--bus", b.URL())
	said := &strings.Builder{}
	worker.Stderr = said
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = worker.Process.Kill() }() // it has ended, or the test has failed
	nc, err := nats.Connect(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for end := time.Now().Add(time.Minute); ; {
		found, err := natspool.Find(t.Context(), nc, 200*time.Millisecond)
		if err == nil && len(found) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no worker: %v", err)
		}
	}
	g := gatewayWith(t, []string{full, "serve", "--bus", "-C", dir}, home, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	text := g.ask("tools/call", `{"name":"read","arguments":{"file_path":"a.txt"},"_meta":{"traceparent":"00-`+clientTrace+`-`+clientSpan+`-01"}}`)
	if !strings.Contains(text, "secret words") {
		t.Fatalf("%s; %s", text, g.said.String())
	}
	g.end()
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Logf("the worker ends with %v: %s", err, said)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	at := clientSpan
	for _, want := range []string{
		"helve tools/call read", "helve execute_tool read", "helve run", "helve-worker execute_tool read", "helve-worker run",
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
}
