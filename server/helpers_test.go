package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/policy"
	"helve/server"
	"helve/tool"
)

// slow bounds whatever a test waits for: far above what it takes, below what a person waits.
const slow = 2 * time.Minute

type sayIn struct {
	Text string `json:"text"`
}

func (in sayIn) String() string { return "say " + in.Text }

// say is a tool that repeats; its kind decides who is asked.
func say(name string, kind tool.Kind) tool.Tool {
	return tool.New(tool.Spec{Name: name, Kind: kind, Doc: tool.Doc{Short: "Says " + name + "."}}, func(_ context.Context, c *tool.Call, in sayIn) (*tool.Result, error) {
		return tool.Textf("%s: %s", name, in.Text), nil
	})
}

// opener makes kits of a registry for every client.
func opener(reg *tool.Registry, o tool.KitOptions) server.Open {
	if o.Policy == nil {
		o.Policy = policy.AskFirst
	}
	return func(_ context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
		return reg.Kit(o), &tool.Session{ID: c.ID, Principal: c.Principal, Capabilities: c.Capabilities, Back: c.Back}, nil
	}
}

func registry(t testing.TB, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	reg := &tool.Registry{}
	if err := reg.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return reg
}

// connect joins the official client to a server over pipes.
func connect(t testing.TB, srv *server.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, toServer, fromServer) }()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		fromServer.CloseWithError(io.EOF)
		s.Close()
		<-done
	})
	return s
}

// A wire is a client that writes its own lines.
type wire struct {
	t      testing.TB
	in     chan string // written by a goroutine of its own: a pipe holds nothing
	out    *bufio.Scanner
	end    func()
	finish func()      // closes the input
	late   *time.Timer // ends the waiting for what does not come
}

func dial(t testing.TB, srv *server.Server) *wire {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Serve(context.Background(), toServer, fromServer)
		fromServer.Close()
	}()
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 128<<20)
	late := time.AfterFunc(slow, func() { out.CloseWithError(errors.New("it took too long")) })
	t.Cleanup(func() { late.Stop() })
	lines := make(chan string, 64)
	go func() {
		for l := range lines {
			io.WriteString(in, l+"\n") // one that nobody reads is missed where its answer is
		}
		in.Close()
	}()
	finish := sync.OnceFunc(func() { close(lines) })
	w := &wire{t: t, in: lines, out: sc, finish: finish, late: late, end: sync.OnceFunc(func() { finish(); out.Close(); <-done })}
	t.Cleanup(w.end)
	return w
}

func (w *wire) say(format string, args ...any) {
	w.t.Helper()
	w.in <- fmt.Sprintf(format, args...)
}

// hear is the next message.
func (w *wire) hear() map[string]json.RawMessage {
	w.t.Helper()
	if !w.out.Scan() {
		w.t.Fatalf("the server said no more: %v", w.out.Err())
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal(w.out.Bytes(), &m); err != nil {
		w.t.Fatalf("%q: %v", w.out.Text(), err)
	}
	return m
}

// initialize shakes hands as the session protocol does.
func (w *wire) initialize(capabilities string) {
	w.t.Helper()
	w.say(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, capabilities)
	if m := w.hear(); m["result"] == nil {
		w.t.Fatalf("initialize: %s", m["error"])
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// stateless is _meta of the stateless protocol.
func stateless(capabilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

func text(r *mcp.CallToolResult) string {
	var out []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}
