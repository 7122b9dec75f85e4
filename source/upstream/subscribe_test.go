package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/internal/rpc"
	"helve/tool"
)

// watched is the official server with a resource that changes when its tool is called.
func watched() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "watched", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	for _, uri := range []string{"test://a", "test://b"} {
		s.AddResource(&sdk.Resource{URI: uri, Name: uri}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, Text: "x"}}}, nil
		})
	}
	s.AddTool(&sdk.Tool{Name: "change", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, uri := range []string{"test://a", "test://b"} {
			s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
		return &sdk.CallToolResult{}, nil
	})
	return s
}

// Whoever follows a resource hears of its changes, whichever protocol the server speaks, and of no other; no longer when they let go.
func TestResourcesAreFollowedInBothEras(t *testing.T) {
	server := watched()
	plain := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	for name, h := range map[string]http.Handler{rpc.Session: plain, rpc.Stateless: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(h)
			t.Cleanup(srv.Close)
			told := make(chan string, 100)
			s := newSource(t, Config{Name: "srv", URL: srv.URL}, Options{Notify: func(_ string, _ *tool.Session, method string, params json.RawMessage) {
				if method == "notifications/resources/updated" {
					told <- string(params)
				}
			}})
			s.calls.dialer.probe = ample
			k := attached(t, s)
			if a, _ := s.About(t.Context()); a.Protocol != name {
				t.Fatalf("protocol %s", a.Protocol)
			}
			ask := func(method, uri string) {
				t.Helper()
				if _, err := s.Request(t.Context(), nil, method, json.RawMessage(fmt.Sprintf(`{"uri":%q}`, uri))); err != nil {
					t.Fatal(err)
				}
			}
			ask("resources/subscribe", "test://a")
			ask("resources/subscribe", "test://a")
			run(t, k, &tool.Call{Name: "change"})
			select {
			case p := <-told:
				if !strings.Contains(p, "test://a") {
					t.Errorf("told of %s", p)
				}
			case <-time.After(ample):
				t.Fatal("nobody is told")
			}
			ask("resources/subscribe", "test://b")
			run(t, k, &tool.Call{Name: "change"})
			seen := <-told + <-told
			if !strings.Contains(seen, "test://a") || !strings.Contains(seen, "test://b") {
				t.Errorf("told of %s", seen)
			}
			ask("resources/unsubscribe", "test://a")
			ask("resources/unsubscribe", "test://b")
			run(t, k, &tool.Call{Name: "change"})
			select {
			case p := <-told:
				t.Errorf("told of %s after letting go", p)
			case <-time.After(300 * time.Millisecond):
			}
		})
	}
	s := httpSource(t, plain, nil)
	if _, err := s.Request(t.Context(), nil, "resources/subscribe", json.RawMessage(`{}`)); err == nil {
		t.Error("a subscription to nothing is accepted")
	}
}

// A server that refuses the version at first, and names it among those that it speaks, is asked once more.
func TestARefusedVersionThatIsNamedIsAskedForAgain(t *testing.T) {
	refused := 0
	next := transports()["stateless"]
	s := httpSource(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "server/discover") && refused == 0 {
			refused++
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}`)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		next.ServeHTTP(w, r)
	}), nil)
	attached(t, s)
	if a, _ := s.About(t.Context()); refused != 1 || a.Protocol != rpc.Stateless {
		t.Errorf("refused %d times, protocol %s", refused, a.Protocol)
	}
}

// A tool of a server behind a URL whose schema wants arguments in headers that cannot be is left out; the others stay (SEP-2243).
func TestToolsWithImpossibleHeadersAreLeftOut(t *testing.T) {
	property := func(kind, header string) string { return fmt.Sprintf(`{"type":%q,"x-mcp-header":%s}`, kind, header) }
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":` + property("string", `"Region"`) + `}}`:                                          true,
		`{"type":"object","properties":{"o":{"type":"object","properties":{"a":` + property("integer", `"In-Deep_1"`) + `}}}}`: true,
		`{"type":"object","properties":{"a":` + property("string", `""`) + `}}`:                                                false,
		`{"type":"object","properties":{"a":` + property("string", `7`) + `}}`:                                                 false,
		`{"type":"object","properties":{"a":` + property("object", `"A"`) + `}}`:                                               false,
		`{"type":"object","properties":{"a":` + property("number", `"A"`) + `}}`:                                               false,
		`{"type":"object","properties":{"a":` + property("string", `"A B"`) + `}}`:                                             false,
		`{"type":"object","properties":{"a":` + property("string", `"A:B"`) + `}}`:                                             false,
		`{"type":"object","properties":{"a":` + property("string", `"A\r\nEvil: 1"`) + `}}`:                                    false,
		`{"type":"object","properties":{"a":` + property("string", `"Région"`) + `}}`:                                          false,
		`{"type":"object","properties":{"a":` + property("string", `"My"`) + `,"b":` + property("string", `"my"`) + `}}`:       false,
	} {
		l := &listing{Tools: []json.RawMessage{json.RawMessage(`{"name":"x","inputSchema":` + schema + `}`), json.RawMessage(echoTool)}, At: time.Now()}
		s := newSource(t, Config{Name: "srv", URL: "http://127.0.0.1:1"}, Options{})
		if got := len(s.lists.common.tools(l)) == 2; got != want || (len(s.Findings()) == 0) != want {
			t.Errorf("%s: kept %v, want %v; %v", schema, got, want, s.Findings())
		}
		if got := len(newSource(t, stdioConfig("good"), Options{}).lists.common.tools(l)); got != 2 {
			t.Errorf("%s: a program has no headers, and yet %d tools", schema, got)
		}
	}
}
