package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"
)

// A server whose tokens others issue: who has none is told where to get one, and whose token it is decides about sessions and kits.
func TestTokensOfOthersAreVerifiedByTheHook(t *testing.T) {
	var seen []string
	who := tool.New(tool.Spec{Name: "who", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		return tool.NewResult(tool.Text(c.Session.Principal)), nil
	})
	srv := server.New(opener(registry(t, who), tool.KitOptions{}), server.Options{})
	ts := httptest.NewServer(srv.HTTP(server.HTTPOptions{Resource: "https://tools.example/mcp", Issuers: []string{"https://login.example"}, Profiles: []string{"p"},
		Verify: func(_ context.Context, token string) (string, error) {
			seen = append(seen, token)
			name, ok := strings.CutPrefix(token, "valid-")
			if !ok {
				return "", errors.New("unknown")
			}
			return name, nil
		}}))
	defer ts.Close()
	defer srv.Close()
	for _, auth := range []string{"", "Bearer forged", "Basic valid-ann", "Bearer"} {
		code, body, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), map[string]string{"Authorization": auth})
		if code != 401 || head.Get("WWW-Authenticate") != `Bearer resource_metadata="https://tools.example/.well-known/oauth-protected-resource"` || strings.Contains(body, "unknown") {
			t.Errorf("%q: %d %s %q", auth, code, body, head.Get("WWW-Authenticate"))
		}
	}
	if len(seen) != 1 || seen[0] != "forged" {
		t.Errorf("the hook saw %q", seen)
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/upstream"} {
		resp, err := http.Get(ts.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1000)
		n, _ := resp.Body.Read(b)
		resp.Body.Close()
		const want = `{"authorization_servers":["https://login.example"],"bearer_methods_supported":["header"],"resource":"https://tools.example/mcp"}`
		if got := strings.TrimSpace(string(b[:n])); resp.StatusCode != 200 || got != want || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %s", path, resp.Status, got)
		}
	}
	sessions := map[string]string{}
	for _, name := range []string{"ann", "bob"} {
		_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), map[string]string{"Authorization": "Bearer valid-" + name})
		sessions[name] = head.Get("Mcp-Session-Id")
	}
	for _, c := range []struct {
		token, session string
		code           int
		want           string
	}{{"valid-ann", "ann", 200, `"text":"ann"`}, {"valid-bob", "bob", 200, `"text":"bob"`}, {"valid-bob", "ann", 404, "no such session"}, {"forged", "ann", 401, "unauthorized"}} {
		code, body, _ := post(t, ts.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who"}}`),
			map[string]string{"Authorization": "Bearer " + c.token, "Mcp-Session-Id": sessions[c.session]})
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s in %s's session: %d %s", c.token, c.session, code, body)
		}
	}
}

// Replicas behind a load balancer: any request may reach any of them, in both protocols, and nothing of a session is asked for.
func TestReplicasServeAnyRequestWithoutSessions(t *testing.T) {
	one, _ := site(t, server.HTTPOptions{Stateless: true})
	two, _ := site(t, server.HTTPOptions{Stateless: true})
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	code, body, head := post(t, one.URL+"/mcp", strings.NewReader(initialize), nil)
	if code != 200 || head.Get("Mcp-Session-Id") != "" {
		t.Errorf("initialize: %d %s, session %q", code, body, head.Get("Mcp-Session-Id"))
	}
	for i, url := range []string{two.URL, one.URL, two.URL} {
		for name, head := range map[string]map[string]string{"session": nil, "session, with an id that nobody gave": {"Mcp-Session-Id": "x"},
			"stateless": {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}} {
			request := list
			if name == "stateless" {
				request = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + stateless(`{}`) + `}}`
			}
			if code, body, _ := post(t, url+"/mcp", strings.NewReader(request), head); code != 200 || !strings.Contains(body, `"echo"`) {
				t.Errorf("request %d, %s: %d %s", i, name, code, body)
			}
		}
	}
}
