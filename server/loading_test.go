package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// late is a source that comes when a test says so.
type late struct {
	reg  *tool.Registry
	mu   sync.Mutex
	come chan struct{}
	over bool

	first func(most time.Duration) // nil: a list waits until it comes
}

func (l *late) Missing(*tool.Session, string) (starting, absent []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, nil
	}
	return []string{"late"}, nil
}

func (l *late) Await(ctx context.Context, _ *tool.Session, name string) {
	if name != "" && !strings.Contains(name, "late") {
		return
	}
	select {
	case <-l.come:
	case <-ctx.Done():
	}
}

func (l *late) AwaitFirst(ctx context.Context, s *tool.Session, most time.Duration) {
	if l.first != nil {
		l.first(most)
		return
	}
	l.Await(ctx, s, "")
}

func (l *late) arrive(t *testing.T) {
	t.Helper()
	found := tool.New(tool.Spec{Name: "find", Origin: tool.Origin{Kind: tool.MCP, Server: "late", Name: "find"}, Doc: tool.Doc{Short: "Finds flights."}},
		func(_ context.Context, _ *tool.Call, in sayIn) (*tool.Result, error) {
			return &tool.Result{Parts: []tool.Part{tool.Text("found " + in.Text)}}, nil
		})
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	if err := l.reg.Set("late", []tool.Tool{found}); err != nil {
		t.Fatal(err)
	}
	close(l.come)
}

// The first list waits for a server that was never listed, and is whole then: no change is announced afterwards. A call of a tool that
// is there waits for nobody.
func TestTheFirstListWaitsForServersThatWereNeverListed(t *testing.T) {
	reg := registry(t, say("echo", tool.Read))
	l := &late{reg: reg, come: make(chan struct{})}
	srv := server.New(opener(reg, tool.KitOptions{Policy: allowAll{}}), server.Options{Loading: l})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"p"}}}`)
	if m := w.hear(); string(m["method"]) != `"notifications/progress"` || !strings.Contains(string(m["params"]), "waiting for late") {
		t.Fatalf("%s", m)
	}
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`)
	if m := w.hear(); string(m["id"]) != "2" {
		t.Fatalf("the list came before its server, or a call waited for it: %s", m)
	}
	w.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp__late__find","arguments":{"text":"y"}}}`)
	l.arrive(t)
	got := map[string]string{}
	for len(got) < 2 {
		m := w.hear()
		if m["method"] != nil {
			if !strings.Contains(string(m["method"]), "progress") {
				t.Errorf("announced: %s", m)
			}
			continue
		}
		got[string(m["id"])] = string(m["result"]) + string(m["error"])
	}
	if !strings.Contains(got["1"], "mcp__late__find") || !strings.Contains(got["3"], "found y") {
		t.Errorf("%v", got)
	}
	w.say(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	if m := w.hear(); string(m["id"]) != "4" {
		t.Errorf("announced after a whole list: %s", m)
	}
}

// A list comes without a server that is slow to start; the client's profile says how long it waits.
func TestTheFirstListComesWithoutASlowServer(t *testing.T) {
	reg := registry(t, say("echo", tool.Read))
	l := &late{reg: reg, come: make(chan struct{})}
	defer close(l.come)
	var waited time.Duration
	l.first = func(most time.Duration) { waited = most }
	for _, want := range []time.Duration{2 * time.Second, time.Minute} {
		open := func(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
			kit, s, err := opener(reg, tool.KitOptions{Policy: allowAll{}})(ctx, c)
			tool.Of(s, func() *server.ClientProfile { return &server.ClientProfile{} }).ListWait = want
			return kit, s, err
		}
		if want == 2*time.Second {
			open = opener(reg, tool.KitOptions{Policy: allowAll{}})
		}
		srv := server.New(open, server.Options{Loading: l})
		defer srv.Close()
		w := dial(t, srv)
		w.initialize(`{}`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if m := w.hear(); string(m["id"]) != "1" || !strings.Contains(string(m["result"]), `"echo"`) || waited != want {
			t.Errorf("waits %v, want %v: %.200s", waited, want, m["result"])
		}
	}
}

// allowAll is a policy of tests.
type allowAll struct{}

func (allowAll) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allowAll) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// stuck never comes, and nobody waits for it longer than ctx.
type stuck struct{}

func (stuck) Missing(_ *tool.Session, name string) (starting, absent []string) {
	if name == "echo" {
		return nil, nil // nobody else's
	}
	return []string{"slow", "slower"}, []string{"command", "dead"}
}
func (stuck) Await(context.Context, *tool.Session, string)             {}
func (stuck) AwaitFirst(context.Context, *tool.Session, time.Duration) {}

// A search while servers are starting says so, and so does a call that finds no tool: that nothing was found means little then.
func TestWhatIsNotFoundWhileServersAreMissingSaysSo(t *testing.T) {
	w := over(t, registry(t, say("echo", tool.Read)), tool.KitOptions{}, server.Options{Expose: server.ExposeDeferred, Loading: stuck{}})
	const starting, absent = "The servers slow, slower are still starting", "The discovery command and the MCP servers (dead) are not available"
	for _, c := range []struct {
		name, args string
		told       bool
	}{
		{"search_tools", `{"query":"flights"}`, true},
		{"search_tools", `{"query":"echo"}`, true},
		{"describe_tool", `{"name":"find_flights"}`, true},
		{"describe_tool", `{"name":"echo"}`, false},
		{"call_tool", `{"name":"find_flights","arguments":{}}`, true},
		{"call_tool", `{"name":"echo","arguments":{"text":"x"}}`, false},
		{"find_flights", `{}`, true},
		{"echo", `{"text":"x"}`, false},
		{"echo", `{}`, false}, // a failure, but of the tool itself
	} {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.name, c.args)
		m := string(w.hear()["result"])
		if strings.Contains(m, starting) != c.told || strings.Contains(m, absent) != c.told {
			t.Errorf("%s %s: %s", c.name, c.args, m)
		}
	}
}

// A list that changes after it was shown is announced once, also where the client listed while servers were starting.
func TestAListThatWasShownAndChangedIsAnnounced(t *testing.T) {
	reg := registry(t, say("echo", tool.Read))
	w := over(t, reg, tool.KitOptions{}, server.Options{Loading: stuck{}})
	list := func(id int) string {
		w.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)
		m := w.hear()
		if string(m["id"]) != fmt.Sprint(id) {
			t.Fatalf("%s", m)
		}
		return string(m["result"])
	}
	before := list(1)
	if err := reg.Add(say("more", tool.Read)); err != nil {
		t.Fatal(err)
	}
	if m := w.hear(); string(m["method"]) != `"notifications/tools/list_changed"` {
		t.Fatalf("%s", m)
	}
	if after := list(2); after == before || !strings.Contains(after, `"more"`) {
		t.Error(after)
	}
}
