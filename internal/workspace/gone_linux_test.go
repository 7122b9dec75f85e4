package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
)

// A guest is a client of either protocol whose server runs for it alone.
type guest struct {
	visitor
	conversation string // as a client of the stateless protocol names it; "": it speaks the session protocol
}

// ask sends one request, and is the answer as it begins to come. A method of "" opens the stream of a session.
func (g *guest) ask(ctx context.Context, t *testing.T, method, name, params string) *http.Response {
	t.Helper()
	verb, head := "POST", http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
	switch {
	case g.conversation != "":
		params += fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
			"io.modelcontextprotocol/clientCapabilities":{},"helve/conversation":%q}`, g.conversation)
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
		head.Set("Mcp-Protocol-Version", "2026-07-28")
		head.Set("Mcp-Method", method)
		head.Set("Mcp-Name", name)
	case method == "":
		verb, body = "GET", ""
	}
	q, err := http.NewRequestWithContext(ctx, verb, g.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header = head
	if g.session != "" {
		q.Header.Set("Mcp-Session-Id", g.session)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil || a.StatusCode >= 300 {
		t.Fatalf("%s: %v, %v", method, a, err)
	}
	t.Cleanup(func() { a.Body.Close() })
	if id := a.Header.Get("Mcp-Session-Id"); id != "" {
		g.session = id
	}
	return a
}

// come begins a session where the guest's protocol has them.
func (g *guest) come(t *testing.T) {
	t.Helper()
	if g.conversation == "" {
		const hello = `"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"guest","version":"1"}`
		if _, err := io.ReadAll(g.ask(t.Context(), t, "initialize", "", hello).Body); err != nil {
			t.Fatal(err)
		}
	}
}

// process is the process that answers a call of the guest.
func (g *guest) process(t *testing.T) string {
	t.Helper()
	const name = "mcp__many__tool_7"
	b, err := io.ReadAll(g.ask(t.Context(), t, "tools/call", name, `"name":"`+name+`","arguments":{}`).Body)
	_, text, ok := strings.Cut(string(b), `"text":"`)
	if err != nil || !ok {
		t.Fatalf("the call came to %.300s, %v", b, err)
	}
	pid, _, _ := strings.Cut(text, `"`)
	return pid
}

// listen opens a stream, which is there when it returns, and breaks when hangUp is called.
func (g *guest) listen(t *testing.T) (hangUp func()) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	if g.conversation == "" {
		g.ask(ctx, t, "", "", "")
		return hangUp
	}
	a := g.ask(ctx, t, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	if _, err := a.Body.Read(make([]byte, 1)); err != nil { // it is acknowledged
		t.Fatal(err)
	}
	return hangUp
}

// The own processes of a client whose stream broke end; those of one that is quiet stay, and whoever comes back has
// new ones.
func TestAClientWhoseStreamBrokeKeepsNoProcess(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(p.home, "many")
	if err := os.WriteFile(file, []byte(listsMuch), 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcp_servers": map[string]any{
		"many": map[string]any{"command": "/bin/sh", "args": []string{file}, "sandbox": "off", "share": "never"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := p.put(userConfig, string(config)).open(func(o *Options) {
		o.Resident = true
		o.Ask = func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	})
	srv := w.Server(server.Options{Expose: server.ExposeAll, Gone: 10 * time.Millisecond})
	t.Cleanup(func() { srv.Close() })
	web := httptest.NewServer(srv.HTTP(server.HTTPOptions{}))
	t.Cleanup(web.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for protocol, names := range map[string][2]string{"session": {}, "stateless": {"leaves", "stays"}} {
		t.Run(protocol, func(t *testing.T) {
			at := visitor{url: web.URL + "/mcp"}
			leaves, stays := &guest{at, names[0]}, &guest{at, names[1]}
			leaves.come(t)
			stays.come(t)
			leave(t, leaves, stays)
		})
	}
}

// leave has the stream of one guest break.
func leave(t *testing.T, leaves, stays *guest) {
	t.Helper()
	first, quiet := leaves.process(t), stays.process(t)
	hangUp := leaves.listen(t)
	if again := leaves.process(t); again != first || first == quiet {
		t.Fatalf("processes %s, then %s, and %s of the other client", first, again, quiet)
	}
	hangUp()
	for end := time.Now().Add(time.Minute); exists(first); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the process is there a minute after its client's stream broke")
		}
	}
	if now := stays.process(t); now != quiet {
		t.Errorf("the quiet client's process was %s, and is %s", quiet, now)
	}
	if now := leaves.process(t); now == first {
		t.Errorf("the process that ended, %s, answers", now)
	}
}

// exists tells whether there is a process.
func exists(pid string) bool {
	_, err := os.Stat(filepath.Join("/proc", pid))
	return err == nil
}
