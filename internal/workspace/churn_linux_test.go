package workspace_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/parts/mcp"
	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
)

// churnTime is how long clients come and go: some seconds with every test, an hour at night.
var churnTime = flag.Duration("churn", 3*time.Second, "how long TestClientsThatComeAndGoLeaveNothing has clients come and go")

// visitors is how many clients there are at a time.
const visitors = 10

// listsMuch is an MCP server in a few lines of shell with seventy tools, as large as those of a large server.
const listsMuch = `#!/bin/sh
tools=
i=0
while [ $i -lt 70 ]; do
  tools="$tools,{\"name\":\"tool_$i\",\"description\":\"$(printf '%01000d' $i)\",\"inputSchema\":{\"type\":\"object\"}}"
  i=$((i+1))
done
while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}
  case $line in
  *'"method":"initialize"'*)
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":['"${tools#,}"']}}';;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$$'"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// A visitor is a client over HTTP that comes, calls, and goes; every second one says goodbye.
type visitor struct {
	url, session string
}

// post sends one message and is the answer.
func (v *visitor) post(body string) (string, error) {
	q, err := http.NewRequest("POST", v.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	if v.session != "" {
		q.Header.Set("Mcp-Session-Id", v.session)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	if id := a.Header.Get("Mcp-Session-Id"); id != "" {
		v.session = id
	}
	b, err := io.ReadAll(a.Body)
	return string(b), err
}

// visit is one conversation.
func visit(url string, goodbye bool) error {
	v := &visitor{url: url}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{}},"clientInfo":{"name":"visitor","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp__many__tool_7","arguments":{}}}`,
	} {
		answer, err := v.post(body)
		if err != nil {
			return err
		}
		if strings.Contains(answer, "no such session") { // it was too slow, on a machine that does much else: its conversation is over
			return nil
		}
		if strings.Contains(body, `"id":3`) && !strings.Contains(answer, `"content"`) {
			return fmt.Errorf("the call came to %.300s", answer)
		}
	}
	if !goodbye {
		return nil
	}
	q, err := http.NewRequest("DELETE", url, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Mcp-Session-Id", v.session)
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	return a.Body.Close()
}

// A census is what a gateway holds at a time.
type census struct {
	Conversations, Processes, Descriptors int
	Heap                                  uint64
}

func (g *churning) count(t *testing.T) census {
	t.Helper()
	var c census
	runtime.GC()
	runtime.GC() // what finalizers held goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.Heap = m.HeapAlloc
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	c.Descriptors = len(fds)
	for _, s := range mcp.Of(g.w).List() {
		c.Processes += s.State().Connections
	}
	c.Conversations = len(g.h.Sessions())
	return c
}

// A churning gateway has clients that come and go.
type churning struct {
	w   *Assembly
	h   *server.HTTP
	url string
}

// come has clients come and go for so long, and is how many conversations that were.
func (g *churning) come(t *testing.T, long time.Duration, goodbye func(n int) bool) int {
	end := time.Now().Add(long)
	var mu sync.Mutex
	n := 0
	next := func() int {
		mu.Lock()
		defer mu.Unlock()
		n++
		return n
	}
	var wg sync.WaitGroup
	for range visitors {
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := visit(g.url, goodbye(next())); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return n
}

// Clients that come and go, half of them without a word, leave nothing behind: neither processes nor descriptors, nor
// memory once their conversations are over.
func TestClientsThatComeAndGoLeaveNothing(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(p.home, "many")
	if err := os.WriteFile(file, []byte(listsMuch), 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcp_servers": map[string]any{
		"many": map[string]any{"command": "/bin/sh", "args": []string{file}, "sandbox": "off"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.put(userConfig, string(config))
	w := p.open(func(o *Options) {
		o.Resident = true
		o.Ask = func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	})
	srv := w.Server(server.Options{Expose: server.ExposeAll, Idle: time.Second})
	t.Cleanup(func() { srv.Close() })
	h := srv.HTTP(server.HTTPOptions{MaxSessions: 100_000, MaxCalls: 1000, Rate: 1e6})
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	g := &churning{w, h, web.URL + "/mcp"}

	all := func(int) bool { return true }
	g.come(t, *churnTime/6, all) // what is made once is made
	before := g.settled(t)
	well := g.come(t, *churnTime/3, all)
	after := g.settled(t)
	t.Logf("%d conversations that end well: %+v, then %+v", well, before, after)
	g.flat(t, before, after, well)
	half := g.come(t, *churnTime/2, func(n int) bool { return n%2 == 0 })
	during := g.count(t)
	last := g.settled(t)
	t.Logf("%d conversations, half without goodbye: %+v, then %+v", half, during, last)
	g.flat(t, before, last, half)
	if during.Processes > 1 {
		t.Errorf("%d processes for conversations that share one", during.Processes)
	}
	http.DefaultClient.CloseIdleConnections()
}

// settled is the census when no conversation is left.
func (g *churning) settled(t *testing.T) census {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		c := g.count(t)
		if c.Conversations == 0 {
			return c
		}
		if time.Now().After(end) {
			t.Fatalf("a minute later: %+v", c)
		}
	}
}

// flat compares what is held before and after so many conversations.
func (g *churning) flat(t *testing.T, before, after census, conversations int) {
	t.Helper()
	const noise, each = 4 << 20, 2 << 10 // bytes; a conversation that stays has some hundred thousand
	if after.Processes > max(before.Processes, 1) || after.Descriptors > before.Descriptors+20 {
		t.Errorf("%+v, then %+v", before, after)
	}
	if after.Heap > before.Heap+noise+uint64(conversations)*each {
		t.Errorf("heap %d bytes, then %d after %d conversations", before.Heap, after.Heap, conversations)
		if file := os.Getenv("HELVE_HEAP"); file != "" {
			g.profile(t, file)
		}
	}
}

// profile writes what holds the memory, for go tool pprof.
func (g *churning) profile(t *testing.T, file string) {
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := pprof.WriteHeapProfile(out); err != nil {
		t.Fatal(err)
	}
}
