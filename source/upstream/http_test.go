package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/tool"
	"helve/tooltest"
)

// official is a server of the official SDK with two tools.
func official() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "official", Version: "1"}, nil)
	text := func(t string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}
	}
	object := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}}`)
	s.AddTool(&sdk.Tool{Name: "echo", Description: "Says it again.", InputSchema: object}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Text string }
		json.Unmarshal(r.Params.Arguments, &in)
		return text(in.Text), nil
	})
	s.AddTool(&sdk.Tool{Name: "grow", InputSchema: object}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.AddTool(&sdk.Tool{Name: "grown", InputSchema: object}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text(""), nil })
		return text("grown"), nil
	})
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: object}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second): // not every transport tells it that nobody waits any more
			return text("waited"), nil
		}
	})
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: object}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Name?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string", "default": "Ann"}}}})
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprint(res.Action, res.Content)), nil
	})
	return s
}

func httpSource(t testing.TB, h http.Handler, change func(*Config)) *Source {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c := Config{Name: "srv", URL: srv.URL + "/mcp", StartTimeout: ample, Timeout: ample}
	if change != nil {
		change(&c)
	}
	s := newSource(t, c, Options{StateDir: t.TempDir()})
	s.calls.dialer.probe = ample // these servers answer what they do not know
	return s
}

func transports() map[string]http.Handler {
	s := official()
	get := func(*http.Request) *sdk.Server { return s }
	return map[string]http.Handler{
		"sessions":  sdk.NewStreamableHTTPHandler(get, nil),
		"json":      sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{JSONResponse: true}),
		"stateless": sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true}),
		"sse":       sdk.NewSSEHandler(get, nil),
		"old":       noDiscover(sdk.NewStreamableHTTPHandler(get, nil)),
	}
}

// noDiscover is a server that refuses what it does not know, in words of its own.
func noDiscover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "server/discover") {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		next.ServeHTTP(w, r)
	})
}

func TestEveryHTTPTransportListsAndCalls(t *testing.T) {
	for name, h := range transports() {
		t.Run(name, func(t *testing.T) {
			s := httpSource(t, h, nil)
			k := attached(t, s)
			res := run(t, k, &tool.Call{Name: "srv__echo", Args: json.RawMessage(`{"text":"hällo\n"}`)})
			if res.Err != nil || res.Text() != "hällo\n" {
				t.Errorf("%q, %v", res.Text(), res.Err)
			}
			a, _ := s.About(t.Context())
			t.Logf("%+v", a)
			if want := map[string]string{"sse": "sse"}[name]; want != "" && a.Transport != want {
				t.Errorf("transport %s", a.Transport)
			}
			if spec := k.View().Where(tool.From("srv"))[0]; spec.Kind != tool.Net {
				t.Errorf("kind %s", spec.Kind)
			}
		})
	}
}

func TestAnHTTPSourceKeepsThePromises(t *testing.T) {
	tooltest.CheckSource(t, httpSource(t, transports()["sessions"], nil))
}

func TestAStdioServerOfTheNewEraIsSpokenWithInIt(t *testing.T) {
	s := newSource(t, stdioConfig("sdk"), Options{})
	s.calls.dialer.probe = ample // it starts at its own pace
	k := attached(t, s)
	if res := say1(t, k, "new"); res.Err != nil || res.Text() != "new" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
	if a, err := s.About(t.Context()); err != nil || !a.Stateless() {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAChangedListOfAnHTTPServerIsFollowed(t *testing.T) {
	for _, name := range []string{"sessions", "old"} {
		s := httpSource(t, transports()[name], nil)
		k := attached(t, s)
		run(t, k, &tool.Call{Name: "grow"})
		soon(t, name+": the new tool is there", func() bool { return k.View().Has("mcp__srv__grown") })
	}
}

func TestAnHTTPCallEndsAtItsDeadline(t *testing.T) {
	for name, h := range transports() {
		s := httpSource(t, h, nil)
		k := attached(t, s)
		s.cfg.Timeout = 200 * time.Millisecond // of this call alone
		res := run(t, k, &tool.Call{Name: "wait"})
		s.cfg.Timeout = ample
		if res.Err == nil || res.Err.Code != tool.TimedOut {
			t.Errorf("%s: %v", name, res.Err)
		}
		if res = run(t, k, &tool.Call{Name: "echo", Args: json.RawMessage(`{"text":"still"}`)}); res.Text() != "still" {
			t.Errorf("%s: the connection is gone: %v", name, res.Err)
		}
		start := time.Now()
		s.Close()
		if d := time.Since(start); d > ample/2 {
			t.Errorf("%s: closing took %v", name, d)
		}
	}
}

func TestElicitationOverHTTPReachesTheClient(t *testing.T) {
	session := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`), Back: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"name":"Ann"}}`), nil
	}}
	defer session.Close()
	k := attached(t, httpSource(t, transports()["old"], nil))
	res := run(t, k, &tool.Call{Name: "ask", Session: session})
	if res.Text() != "acceptmap[name:Ann]" {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
}

// In the stateless protocol a server asks by its result, and the call is sent again with the answers.
func TestANeedOfTheNewEraComesBackAndIsAnswered(t *testing.T) {
	srv := sdk.NewServer(&sdk.Implementation{Name: "m", Version: "1"}, nil)
	srv.AddTool(&sdk.Tool{Name: "confirm", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Params.InputResponses == nil {
			return &sdk.CallToolResult{RequestState: "s1", InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}}}, nil
		}
		b, _ := json.Marshal(r.Params.InputResponses["q"])
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Params.RequestState + string(b)}}}, nil
	})
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return srv }, &sdk.StreamableHTTPOptions{Stateless: true})
	s := httpSource(t, h, nil)
	k := attached(t, s)
	if a, _ := s.About(t.Context()); !a.Stateless() {
		t.Fatalf("%+v", a)
	}
	c := &tool.Call{Name: "confirm"}
	res := run(t, k, c)
	if res.Need == nil || !strings.Contains(string(res.Need.Requests), "Sure?") {
		t.Fatalf("%+v, %v", res, res.Err)
	}
	c.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"q":{"action":"accept","content":{}}}`)}
	if res = run(t, k, c); !strings.HasPrefix(res.Text(), "s1{") {
		t.Errorf("%q, %v", res.Text(), res.Err)
	}
}

// R1.26: headers go to the configured server and to no other.
func TestHeadersStayWithTheirServer(t *testing.T) {
	var leaked atomic.Value
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(r.Header.Get("X-Key") + r.Header.Get("Authorization"))
	}))
	defer other.Close()
	var got atomic.Value
	next := transports()["sessions"]
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		got.Store(r.Header.Get("X-Key") + " " + r.Header.Get("Authorization"))
		next.ServeHTTP(w, r)
	})
	keys := map[string]string{"X-Key": "${env:MCP_TEST_KEY}", "Authorization": "Bearer t0k"}
	t.Setenv("MCP_TEST_KEY", "k1")
	attached(t, httpSource(t, h, func(c *Config) { c.Headers = keys }))
	if got.Load() != "k1 Bearer t0k" {
		t.Errorf("headers %q", got.Load())
	}
	s := httpSource(t, h, func(c *Config) { c.Headers, c.URL = keys, strings.Replace(c.URL, "/mcp", "/moved", 1) })
	if _, err := s.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("%v", err)
	}
	if leaked.Load() != nil {
		t.Errorf("the other server got %q", leaked.Load())
	}
}

func TestAnHTTPServerThatIsDeadMuteOrStrangeIsSaidSo(t *testing.T) {
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"404":  {func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) }, "404"},
		"500":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", 500) }, "500"},
		"401":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "helve mcp test srv"},
		"html": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "content type"},
		"mute": {func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, "did not answer within"},
		"junk": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{{{")
		}, "decode"},
	} {
		s := httpSource(t, c.h, func(c *Config) {
			if name == "mute" {
				c.StartTimeout = 2 * time.Second
			}
		})
		start := time.Now()
		_, err := s.Tools(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if d := time.Since(start); d > ample {
			t.Errorf("%s took %v", name, d)
		}
	}
}

// A token is kept in the state directory, private, renewed when its time is over, and bound to its address.
func TestTokensAreKeptAndRenewed(t *testing.T) {
	renewals := 0
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		if r.Form.Get("grant_type") != "refresh_token" || r.Form.Get("refresh_token") != "r1" || r.Form.Get("resource") != "https://resource.example/mcp" {
			w.WriteHeader(400)
			return
		}
		renewals++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"a2","token_type":"Bearer","refresh_token":"r2","expires_in":3600}`)
	}))
	t.Cleanup(issuer.Close)
	next := transports()["sessions"]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer a2" {
			w.WriteHeader(401)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	state := t.TempDir()
	kept := fmt.Sprintf(`{"url":%q,"client_id":"c","token_url":%q,"resource":"https://resource.example/mcp","token":{"access_token":"a1","token_type":"Bearer","refresh_token":"r1","expiry":"2020-01-01T00:00:00Z"}}`, srv.URL, issuer.URL)
	file := filepath.Join(state, "oauth-srv.json")
	os.WriteFile(file, []byte(kept), 0o600)
	s := newSource(t, Config{Name: "srv", URL: srv.URL}, Options{StateDir: state})
	if _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(file)
	if renewals != 1 || !strings.Contains(string(b), `"a2"`) || !strings.Contains(string(b), `"r2"`) {
		t.Errorf("%d renewals, %s", renewals, b)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	elsewhere := newSource(t, Config{Name: "srv", URL: srv.URL + "/other"}, Options{StateDir: state})
	if _, err := elsewhere.Tools(t.Context()); err == nil || !errors.Is(err, errLogin) {
		t.Errorf("a token was sent to an address that it is not for: %v", err)
	}
}

func TestAnAddressIsChecked(t *testing.T) {
	for _, c := range []Config{{}, {Name: "x"}, {Name: "x", Command: "a", URL: "http://b"}, {Name: "x", URL: "ftp://b"}, {Name: "x", URL: "nonsense"}, {Name: "x", Command: "a", Share: "often"}, {Name: "x", Command: "a", Type: "pigeon"}} {
		if _, err := New(c, Options{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// A server behind a URL that gives out session ids tells sessions apart by itself: each conversation whose client can be
// asked has one.
func TestASessionOfAServerBehindAURLIsOneConversations(t *testing.T) {
	s := httpSource(t, transports()["old"], nil)
	k := attached(t, s)
	before := s.State().Connections
	a, b := askable("ann", "a", elicits), askable("ann", "b", elicits)
	defer a.Close()
	defer b.Close()
	for _, p := range []*person{a, b, a} {
		if res := run(t, k, &tool.Call{Name: "ask", Session: p.Session}); res.Err != nil {
			t.Error(res.Err)
		}
	}
	if n := s.State().Connections - before; n != 2 {
		t.Errorf("%d connections for two conversations", n)
	}
	if a.count() != 2 || b.count() != 1 {
		t.Errorf("asked %d and %d times", a.count(), b.count())
	}
}
