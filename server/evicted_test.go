package server_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// tallied is what a session holds that counts those that are open.
type tallied struct{ open *atomic.Int64 }

// Close takes its time, as ending a server's process does: clients come faster than that.
func (c *tallied) Close() error {
	time.Sleep(5 * time.Millisecond)
	c.open.Add(-1)
	return nil
}

// Clients without sessions name as many conversations as they like: a thousand are kept, and one that nobody uses makes
// place for the next, which opens when that one is over.
func TestConversationsWithoutSessionsAreBounded(t *testing.T) {
	var open atomic.Int64
	reg := registry(t, say("echo", tool.Read))
	plain := opener(reg, tool.KitOptions{})
	srv := server.New(func(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
		k, s, err := plain(ctx, c)
		open.Add(1)
		tool.Of(s, func() *tallied { return &tallied{&open} })
		return k, s, err
	}, server.Options{})
	h := srv.HTTP(server.HTTPOptions{Rate: 1e9})
	most := int64(0)
	for i := range 1200 {
		const meta = `"_meta":{"helve/conversation":"c%d",`
		params := fmt.Sprintf(meta, i) + strings.TrimPrefix(stateless(`{}`), `"_meta":{`)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},` + params + `}}`
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "echo")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 || !strings.Contains(w.Body.String(), "echo: x") {
			t.Fatalf("%d: %d %s", i, w.Code, w.Body)
		}
		most = max(most, open.Load())
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if left := open.Load(); most != 1000 || left != 0 {
		t.Errorf("%d were open at once, and %d are left", most, left)
	}
}

// What is to be completed is a prompt's argument or a resource's: anything else is refused, instead of answered with
// nothing.
func TestOnlyPromptsAndResourcesAreCompleted(t *testing.T) {
	w := dial(t, server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{}))
	w.initialize(`{}`)
	for _, ref := range []string{`{"type":"ref/tool","name":"echo"}`, `{"type":"ref/prompt","name":"none"}`, `{}`, `"x"`} {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":%s,"argument":{"name":"a","value":"b"}}}`, ref)
		if m := w.hear(); m["result"] != nil || !strings.Contains(string(m["error"]), "-32602") {
			t.Errorf("%s: %s%s", ref, m["result"], m["error"])
		}
	}
}

// Every client that is known by its name asks its person before it calls a tool: nobody is asked twice, and a client that
// nobody knows is not believed to.
func TestKnownClientsAskTheirPerson(t *testing.T) {
	names := []string{
		"claude-code", "claude-desktop", "cline", "codex", "continue", "copilot", "cursor", "gemini", "opencode", "qwen",
		"vscode", "windsurf", "zed",
	}
	asks := map[string]bool{}
	for _, p := range server.Profiles() {
		asks[p.Name] = p.Asks
	}
	for _, name := range names {
		if !asks[name] {
			t.Errorf("%s asks its person, and its profile says that it does not", name)
		}
	}
	if p, known := server.MatchProfile(server.Profiles(), "somebody"); known || p.Asks {
		t.Errorf("a client that nobody knows: %+v", p)
	}
}
