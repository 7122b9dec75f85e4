package app

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"helve/server/console"
)

// A proxied is a browser before a proxy with TLS, behind which helve serves.
type proxied struct {
	t      *testing.T
	client *http.Client
	origin string // of the proxy
	key    string // of the page
}

// ask sends a request, and returns the answer to one that is to be read on.
func (p *proxied) ask(method, path, body string, head map[string]string) *http.Response {
	p.t.Helper()
	q, err := http.NewRequestWithContext(p.t.Context(), method, p.origin+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodPost {
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Origin", p.origin)
	}
	q.Header.Set("X-Helve-Page", p.key)
	for k, v := range head {
		q.Header.Set(k, v)
	}
	res, err := p.client.Do(q)
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

// hear is ask for an answer that ends.
func (p *proxied) hear(method, path, body string, head map[string]string) (status int, said string, all http.Header) {
	p.t.Helper()
	res := p.ask(method, path, body, head)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b), res.Header
}

// Behind a proxy with TLS the page comes, a person logs in once, what happens is told as it happens, and clients work,
// whether the proxy keeps the Host of requests or gives them its own.
func TestTheConsoleWorksBehindAProxyWithTLS(t *testing.T) {
	for name, keeps := range map[string]bool{"keeps Host": true, "gives a Host of its own": false} {
		t.Run(name, func(t *testing.T) {
			var behind atomic.Pointer[url.URL]
			proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(behind.Load())
				if keeps {
					r.Out.Host = r.In.Host
				}
			}})
			t.Cleanup(proxy.Close)
			r := newVictim(t).put(userConfig, `{}`).running(t, "--console", "--public-url", proxy.URL)
			t.Cleanup(func() { r.stop() }) // before the proxy: open streams end
			to, err := url.Parse(strings.TrimSuffix(r.url, "/mcp"))
			if err != nil {
				t.Fatal(err)
			}
			behind.Store(to)
			p := &proxied{t: t, client: proxy.Client(), origin: proxy.URL}
			p.client.Jar, err = cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			p.visit(r)
		})
	}
}

// visit does what a person at the page does, and a client beside them.
func (p *proxied) visit(r *running) {
	t := p.t
	if status, said, _ := p.hear("GET", console.Base, "", nil); status != http.StatusOK || !strings.Contains(said, "<html") {
		t.Fatalf("the page: %d %.200s", status, said)
	}
	word, ok := strings.CutPrefix(r.link, p.origin+console.Base+"#token=")
	if !ok {
		t.Fatalf("the link is %s", r.link)
	}
	login := `{"token":"` + word + `"}`
	elsewhere := map[string]string{"Origin": "https://evil.example"}
	if status, said, _ := p.hear("POST", console.Base+"api/login", login, elsewhere); status != http.StatusForbidden {
		t.Errorf("from another page: %d %s", status, said)
	}
	status, said, head := p.hear("POST", console.Base+"api/login", login, nil)
	var in struct{ Key string }
	if err := json.Unmarshal([]byte(said), &in); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, said, err)
	}
	if c := head.Get("Set-Cookie"); !strings.Contains(c, "; Secure") || !strings.Contains(c, "; HttpOnly") {
		t.Errorf("the cookie is %s", c)
	}
	p.key = in.Key
	p.watch(r)
	before := *p.client
	p.client = &before
	p.client.Jar = nil
	name, _, _ := strings.Cut(head.Get("Set-Cookie"), "=")
	old := map[string]string{"Cookie": name + "=AAAAAAAAAAAAAAAAAAAAAAAAAA"}
	if status, said, _ := p.hear("GET", console.Base+"api/state", "", old); status != http.StatusUnauthorized {
		t.Errorf("with a cookie of another time: %d %.200s", status, said)
	}
}

// watch follows what happens while a client makes a call.
func (p *proxied) watch(r *running) {
	t := p.t
	status, said, _ := p.hear("GET", console.Base+"api/state", "", nil)
	var state struct{ Rev json.Number }
	if err := json.Unmarshal([]byte(said), &state); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, said, err)
	}
	events := p.ask("GET", console.Base+"api/events?since="+state.Rev.String(), "", nil) // before there is one
	defer events.Body.Close()
	if events.StatusCode != http.StatusOK || events.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("the stream: %s %v", events.Status, events.Header)
	}
	head := map[string]string{"Authorization": "Bearer " + r.token}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	status, said, all := p.hear("POST", "/mcp", hello, head)
	if status != http.StatusOK {
		t.Fatalf("a client: %d %s", status, said)
	}
	head["Mcp-Session-Id"] = all.Get("Mcp-Session-Id")
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ls","arguments":{}}}`
	if status, said, _ := p.hear("POST", "/mcp", call, head); status != http.StatusOK || !strings.Contains(said, "result") {
		t.Fatalf("a call: %d %s", status, said)
	}
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), `"ls"`) {
			return
		}
	}
	t.Errorf("the call is not told: %v", lines.Err())
}
