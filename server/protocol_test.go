package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// What a client of the stateless protocol may keep, and for how long; a static list for an hour.
func TestResultsSayHowLongTheyMayBeKept(t *testing.T) {
	for static, ttl := range map[bool]string{false: "30000", true: "3600000"} {
		srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Static: static})
		w := dial(t, srv)
		for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"} {
			w.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, stateless(`{}`))
			var got struct {
				TTL                    json.Number `json:"ttlMs"`
				CacheScope, ResultType string
				Meta                   map[string]any `json:"_meta"`
			}
			m := w.hear()
			if err := json.Unmarshal(m["result"], &got); err != nil || got.TTL.String() != ttl || got.CacheScope != "private" || got.ResultType != "complete" ||
				got.Meta["io.modelcontextprotocol/serverInfo"] == nil {
				t.Errorf("%s, static %v: %s", method, static, m["result"])
			}
		}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},%s}}`, stateless(`{}`))
		if m := w.hear(); strings.Contains(string(m["result"]), "ttlMs") {
			t.Errorf("a call's result: %s", m["result"])
		}
		srv.Close()
	}
}

// A client that follows changes and closes its input has the end of its subscription, and the server leaves at once.
func TestAListeningServerLeavesWithItsClient(t *testing.T) {
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.say(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, stateless(`{}`))
	if m := w.hear(); string(m["method"]) != `"notifications/subscriptions/acknowledged"` {
		t.Fatalf("%s", m)
	}
	w.finish()
	if m := w.hear(); string(m["id"]) != `"l"` || !strings.Contains(string(m["result"]), `"resultType":"complete"`) {
		t.Errorf("%s", m)
	}
}

// Both protocols on one pipe, one after the other and mixed; what belongs to one only is unknown in the other.
func TestBothProtocolsShareOnePipe(t *testing.T) {
	w := over(t, registry(t, say("echo", tool.Read)), tool.KitOptions{}, server.Options{})
	call := func(id int, meta string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}%s}}`, id, meta)
	}
	for _, c := range []struct {
		line, want string
		stateless  bool
	}{
		{call(1, ""), "echo: x", false},
		{call(2, ","+stateless(`{}`)), "echo: x", true},
		{`{"jsonrpc":"2.0","id":3,"method":"ping"}`, "{}", false},
		{`{"jsonrpc":"2.0","id":4,"method":"ping","params":{` + stateless(`{}`) + `}}`, "-32601", false},
		{`{"jsonrpc":"2.0","id":5,"method":"server/discover","params":{` + stateless(`{}`) + `}}`, "supportedVersions", true},
		{`{"jsonrpc":"2.0","id":6,"method":"server/discover"}`, "-32601", false},
		{`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{}}}`, "-32601", false},
		{`{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`, "was sent before", false},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}`, `"echo"`, false},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"_meta":[]}}`, `"echo"`, false},
		{`{"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"cursor":"bogus"}}`, "-32602", false},
		{call(12, ""), "echo: x", false},
	} {
		w.say("%s", c.line)
		m := w.hear()
		got := string(m["result"]) + string(m["error"])
		if !strings.Contains(got, c.want) || strings.Contains(got, `"resultType"`) != c.stateless {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}
