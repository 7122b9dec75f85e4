package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/internal/testing/corpus"
	"helve/server"
	"helve/tool"
)

const token = "a-token-of-the-test"

// site is a server on a loopback port, with its handler's limits.
func site(t *testing.T, o server.HTTPOptions) (*httptest.Server, *server.Server) {
	t.Helper()
	srv := server.New(opener(registry(t, say("echo", tool.Read), say("write", tool.Write)), tool.KitOptions{Ask: server.Asker(server.ApproveElicit)}), server.Options{StateKey: []byte("k")})
	ts := httptest.NewUnstartedServer(nil)
	if o.Token == "" {
		o.Token = token
	}
	o.Hosts = []string{ts.Listener.Addr().String()}
	ts.Config.Handler = srv.HTTP(o)
	ts.Config.MaxHeaderBytes = server.MaxHeader
	ts.Config.ReadHeaderTimeout = o.BodyTime // 0: none
	ts.Start()
	t.Cleanup(func() { ts.CloseClientConnections(); srv.Close(); ts.Close() })
	return ts, srv
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends one message, with headers over the usual ones; "" removes one.
func post(t *testing.T, url string, body io.Reader, head map[string]string) (int, string, http.Header) {
	t.Helper()
	q, err := http.NewRequest("POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range head {
		switch {
		case k == "Host":
			q.Host = v
		case v == "":
			q.Header.Del(k)
		default:
			q.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header
}

func TestTheOfficialClientSpeaksHTTPInBothEras(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		ts, _ := site(t, server.HTTPOptions{Stateless: stateless})
		for _, version := range []string{"", "2025-11-25"} {
			c := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{})
			s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{}}},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatalf("stateless %v, version %q: %v", stateless, version, err)
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
			if err != nil || text(res) != "echo: x" {
				t.Errorf("stateless %v, version %q: %v, %v", stateless, version, res, err)
			}
			s.Close()
		}
	}
}

type bearer struct{}

func (bearer) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(q)
}

// The corpus's attacks over HTTP, each by its id.
func TestAttacksOverHTTP(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{MaxBody: 1 << 20, MaxSessions: 20})
	host := strings.TrimPrefix(ts.URL, "http://")
	hasty, _ := site(t, server.HTTPOptions{BodyTime: 300 * time.Millisecond})
	with := func(k, v string) func(*testing.T) (int, string) {
		return func(t *testing.T) (int, string) {
			code, body, _ := post(t, ts.URL+"/mcp", strings.NewReader(initialize), map[string]string{k: v})
			return code, body
		}
	}
	send := func(body string, head map[string]string) func(*testing.T) (int, string) {
		return func(t *testing.T) (int, string) {
			code, text, _ := post(t, ts.URL+"/mcp", strings.NewReader(body), head)
			return code, text
		}
	}
	raw := func(request string) func(*testing.T) (int, string) {
		return func(t *testing.T) (int, string) { return rawHTTP(t, host, request) }
	}
	auth := "Authorization: Bearer " + token + "\r\n"
	tests := map[string]struct {
		do   func(*testing.T) (int, string)
		want int
	}{
		"http-002": {with("Host", "127.0.0.1.evil.example"), 403},
		"http-004": {raw("POST /mcp HTTP/1.0\r\n" + auth + "Content-Length: 0\r\n\r\n"), 403},
		"http-006": {with("Origin", "https://evil.example"), 403},
		"http-007": {with("Origin", "null"), 403},
		"http-008": {with("Origin", "http://localhost.evil.example"), 403},
		"http-009": {with("Origin", "http://localhost:1"), 403},
		"http-010": {with("Content-Type", "text/plain"), 415},
		"http-011": {raw("OPTIONS /mcp HTTP/1.1\r\nHost: " + host + "\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Private-Network: true\r\n\r\n"), 403},
		"http-014": {raw("POST /mcp?token=" + token + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"), 401},
		"http-015": {send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Mcp-Session-Id": "guessed"}), 404},
		"http-017": {raw("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "Content-Type: application/json\r\nMcp-Session-Id: a\r\nX: y\r\nContent-Length: 46\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), 404},
		"http-018": {raw("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n" + auth + fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", 8+2<<20) + `{"x":"` + strings.Repeat("a", 2<<20) + `"}`), 413},
		"http-019": {slowly(strings.TrimPrefix(hasty.URL, "http://"), auth), 408},
		"http-020": {raw("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "X-Big: " + strings.Repeat("h", 1<<20) + "\r\nContent-Length: 2\r\n\r\n{}"), 431},
		"http-022": {send("["+strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 20_000)+`{}]`, nil), 400},
		"http-023": {send(`{"jsonrpc":"2.0","Method":"tools/call"}`, nil), 400},
		"http-025": {send(strings.Repeat(`{"a":`, 100_000), nil), 400},
		"http-026": {manySessions(ts.URL), 503},
		"http-031": {raw("POST /../../etc/passwd HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "\r\n"), 404},
		"http-032": {with("Mcp-Protocol-Version", "1999-01-01"), 400},
		"http-034": {raw("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n" + auth + "Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
		"http-033": {raw("GET /mcp HTTP/1.1\r\nHost: " + host + "\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), 403},
	}
	elsewhere := map[string]string{"http-016": "TestASessionBelongsToItsToken", "http-030": "cmd/helve/testdata/serve.txtar"}
	for _, c := range corpus.Attacks("http") {
		x, ok := tests[c.ID]
		if !ok {
			if elsewhere[c.ID] == "" {
				t.Errorf("%s is not tested: %s", c.ID, c.Why)
			}
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			if code, body := x.do(t); code != x.want {
				t.Errorf("%s: %d %.200s, want %d", c.Why, code, body, x.want)
			}
		})
	}
}

// Of two tokens nobody can say which one a proxy before us looked at.
func TestTwoTokensAreNone(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{})
	host := strings.TrimPrefix(ts.URL, "http://")
	right, wrong := "Authorization: Bearer "+token+"\r\n", "Authorization: Bearer wrong\r\n"
	for heads, want := range map[string]int{right: 200, right + wrong: 401, wrong + right: 401, right + right: 401} {
		request := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, heads, len(initialize), initialize)
		if code, body := rawHTTP(t, host, request); code != want {
			t.Errorf("%q: %d %.200s, want %d", heads, code, body, want)
		}
	}
}

// rawHTTP writes a request as it is and reads the status.
func rawHTTP(t *testing.T, host, request string) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(slow))
	io.WriteString(c, request) // the server may have answered already
	return status(c)
}

func status(c io.Reader) (int, string) {
	b := make([]byte, 4096)
	n, _ := c.Read(b)
	code := 0
	fmt.Sscanf(strings.TrimLeft(strings.TrimPrefix(string(b[:n]), "HTTP/1."), "01"), "%d", &code) // 0: no answer
	return code, string(b[:n])
}

func slowly(host, auth string) func(*testing.T) (int, string) {
	return func(t *testing.T) (int, string) {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(slow))
		io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: "+host+"\r\n"+auth+"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		return status(c) // nothing more is sent: the server must not wait for ever
	}
}

func manySessions(url string) func(*testing.T) (int, string) {
	return func(t *testing.T) (int, string) {
		code, body := 0, ""
		for range 40 {
			code, body, _ = post(t, url+"/mcp", strings.NewReader(initialize), nil)
		}
		return code, body
	}
}

func TestASessionBelongsToItsToken(t *testing.T) {
	ts, _ := site(t, server.HTTPOptions{Profiles: []string{"other"}, Verify: func(_ context.Context, tok string) (string, error) {
		if tok == "second" {
			return "second", nil
		}
		return "", errors.New("unknown")
	}})
	_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	id := head.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session")
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for _, c := range []struct {
		path, auth string
		want       int
	}{{"/mcp", "Bearer " + token, 200}, {"/mcp", "Bearer second", 404}, {"/mcp/p/other", "Bearer " + token, 404}, {"/mcp/p/none", "Bearer " + token, 404},
		{"/mcp", "Bearer wrong", 401}, {"/mcp", "", 401}, {"/mcp", "Basic " + token, 401}} {
		code, body, _ := post(t, ts.URL+c.path, strings.NewReader(list), map[string]string{"Mcp-Session-Id": id, "Authorization": c.auth})
		if code != c.want {
			t.Errorf("%s %s: %d %.100s, want %d", c.path, c.auth, code, body, c.want)
		}
	}
}

// Two replicas with one key: the second round of an approval may reach the other one.
func TestReplicasUnderstandEachOthersRounds(t *testing.T) {
	one, _ := site(t, server.HTTPOptions{Stateless: true})
	two, _ := site(t, server.HTTPOptions{Stateless: true})
	head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "write"}
	body := func(more string) io.Reader {
		return strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}` + more + `,` + stateless(`{"elicitation":{}}`) + `}}`)
	}
	_, first, _ := post(t, one.URL+"/mcp", body(""), head)
	_, rest, _ := strings.Cut(first, `"requestState":"`)
	state, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal(first)
	}
	code, second, _ := post(t, two.URL+"/mcp", body(`,"requestState":"`+state+`","inputResponses":{"approval":{"action":"accept","content":{"decision":"once"}}}`), head)
	if code != 200 || !strings.Contains(second, "write: x") {
		t.Errorf("%d %s", code, second)
	}
}

func TestADrainingServerSaysSoAndEndsItsStreams(t *testing.T) {
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	h := srv.HTTP(server.HTTPOptions{})
	ts := httptest.NewServer(h)
	defer ts.Close()
	defer srv.Close()
	_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	q, _ := http.NewRequest("GET", ts.URL+"/mcp", nil)
	q.Header.Set("Accept", "text/event-stream")
	q.Header.Set("Mcp-Session-Id", head.Get("Mcp-Session-Id"))
	resp, err := http.DefaultClient.Do(q)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	h.Drain()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // it ends
		t.Error(err)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/mcp": 503} {
		r, err := http.Get(ts.URL + path)
		if err != nil || r.StatusCode != want {
			t.Errorf("%s: %v, %v, want %d", path, r.Status, err, want)
		}
	}
}

func TestACallEndsWithItsClientsConnection(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	hang := tool.New(tool.Spec{Name: "hang", Kind: tool.Read}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	srv := server.New(opener(registry(t, hang), tool.KitOptions{}), server.Options{})
	ts := httptest.NewServer(srv.HTTP(server.HTTPOptions{}))
	defer ts.Close()
	defer srv.Close()
	_, _, head := post(t, ts.URL+"/mcp", strings.NewReader(initialize), nil)
	ctx, stop := context.WithCancel(t.Context())
	q, _ := http.NewRequestWithContext(ctx, "POST", ts.URL+"/mcp", bytes.NewReader([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}`)))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Mcp-Session-Id", head.Get("Mcp-Session-Id"))
	go http.DefaultClient.Do(q)
	<-started
	stop()
	select {
	case <-ended:
	case <-time.After(slow):
		t.Error("the call goes on")
	}
}
