package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"helve/internal/rpc"
	"helve/server"
	"helve/tool"
)

// A workspace that does not open is why a request failed, whatever it wanted of it.
func TestARequestSaysThatTheWorkspaceDoesNotOpen(t *testing.T) {
	closed := func(context.Context, server.Client) (*tool.Kit, *tool.Session, error) {
		return nil, nil, errors.New("the folder is gone")
	}
	w := dial(t, server.New(closed, server.Options{}))
	w.initialize(`{}`)
	for method, params := range map[string]string{
		"tools/list":               `{}`,
		"tools/call":               `{"name":"echo"}`,
		"resources/list":           `{}`,
		"resources/templates/list": `{}`,
		"resources/read":           `{"uri":"spill:x"}`,
		"resources/subscribe":      `{"uri":"spill:x"}`,
		"resources/unsubscribe":    `{"uri":"spill:x"}`,
		"resources/directory/read": `{"uri":"skill://x"}`,
		"prompts/list":             `{}`,
		"prompts/get":              `{"name":"x"}`,
		"completion/complete":      `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}`,
		"skills/list":              `{}`,
		"skills/get":               `{"uri":"skill://x/SKILL.md"}`,
	} {
		w.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		m := w.hear()
		if m["result"] != nil || !strings.Contains(string(m["error"]), "open the workspace: the folder is gone") {
			t.Errorf("%s: %s%s", method, m["result"], m["error"])
		}
	}
}

// What is asked for by its address has one.
func TestWhatHasNoAddressIsRefused(t *testing.T) {
	w := dial(t, server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{}))
	w.initialize(`{}`)
	for _, method := range []string{
		"resources/read", "resources/subscribe", "resources/unsubscribe", "resources/directory/read", "skills/get",
	} {
		for _, params := range []string{`{}`, `{"uri":7}`} {
			w.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
			m := w.hear()
			if m["result"] != nil || !strings.Contains(string(m["error"]), "-32602") || !strings.Contains(string(m["error"]), "uri") {
				t.Errorf("%s %s: %s%s", method, params, m["result"], m["error"])
			}
		}
	}
}

// In the session protocol a client says once which log messages it wants, and its session knows that. A request of the
// other says it for itself.
func TestWishesForLogsAreOfSessions(t *testing.T) {
	for protocol, want := range map[string]bool{"session": true, "stateless": false} {
		reg := registry(t, say("echo", tool.Read))
		var opened *tool.Session
		plain := opener(reg, tool.KitOptions{})
		srv := server.New(func(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
			k, s, err := plain(ctx, c)
			opened = s
			return k, s, err
		}, server.Options{})
		w := dial(t, srv)
		meta := `"x":1`
		if want {
			w.initialize(`{}`)
		} else {
			meta = stateless(`{}`)
		}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},%s}}`, meta)
		if m := w.hear(); m["result"] == nil {
			t.Fatalf("%s: %s", protocol, m["error"])
		}
		if wishes := tool.Of(opened, func() *rpc.Wishes { return nil }); (wishes != nil) != want {
			t.Errorf("%s: the session's wishes are %v", protocol, wishes)
		}
	}
}
