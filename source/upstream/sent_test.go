package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"helve/internal/testing/loopback"
)

// A restarted server is one that ends and comes back where it was.
type restarted struct {
	t    *testing.T
	addr string
	srv  *http.Server
}

func (r *restarted) begin(h http.Handler) {
	r.t.Helper()
	l, err := loopback.Again(func() (net.Listener, error) { return net.Listen("tcp", r.addr) })
	if err != nil {
		r.t.Fatal(err)
	}
	r.addr, r.srv = l.Addr().String(), &http.Server{Handler: h}
	go r.srv.Serve(l) // ends with it
}

// A fine server answers each call, and knows one session.
func fine(session string) *brittle {
	s := &brittle{session: session}
	s.call = func(w http.ResponseWriter, id json.RawMessage, _ int) {
		answerJSON(w, id, `{"content":[{"type":"text","text":"fine"}]}`)
	}
	return s
}

// A call that comes while its server is started again is made when that is there: over the session that it has then.
func TestACallWaitsForAServerBehindAURLThatIsStartedAgain(t *testing.T) {
	r := &restarted{t: t, addr: loopback.Addr()}
	r.begin(fine("s1"))
	at := &http.Transport{}
	defer at.CloseIdleConnections()
	k := attached(t, newSource(t, Config{Name: "srv", URL: "http://" + r.addr + "/mcp", StartTimeout: ample, Timeout: ample}, Options{HTTP: at}))
	r.srv.Close()
	at.CloseIdleConnections() // what is sent over one that ended may have been read
	refused := sync.OnceFunc(func() { r.begin(fine("s2")) })
	dial := (&net.Dialer{}).DialContext
	at.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil { // it was seen to be away: now it comes
			refused()
		}
		return c, err
	}
	if got := said(t, k); got != "fine" {
		t.Errorf("while it is started again: %s", got)
	}
	r.srv.Close()
}

// One that stays away is told of, and that the call was not carried out.
func TestAServerBehindAURLThatStaysAwayIsToldOf(t *testing.T) {
	r := &restarted{t: t, addr: loopback.Addr()}
	r.begin(fine("s1"))
	at := &http.Transport{}
	k := attached(t, newSource(t, Config{Name: "srv", URL: "http://" + r.addr + "/mcp", StartTimeout: ample, Timeout: ample}, Options{HTTP: at}))
	r.srv.Close()
	at.CloseIdleConnections() // what is sent over one that ended may have been read
	got := said(t, k)
	for _, want := range []string{"takes no calls now", "was not carried out"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\ndoes not say: %s", got, want)
		}
	}
}

// What a server, or somebody before it, refuses in a way that says so is made again; what may have run never is, and
// says so.
func TestOnlyWhatCannotHaveRunIsMadeAgain(t *testing.T) {
	const mayHave, not = "may have been carried out", "was not carried out"
	status := func(code int, head ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(head); i += 2 {
				w.Header().Set(head[i], head[i+1])
			}
			http.Error(w, "no", code)
		}
	}
	ends := func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack() // it can be: it is HTTP/1
		c.Close()
	}
	for name, c := range map[string]struct {
		first http.HandlerFunc // what the first call meets
		want  string
		calls int
	}{
		"503, soon":           {status(503, "Retry-After", "0"), "fine", 2},
		"429, soon":           {status(429, "Retry-After", "1"), "fine", 2},
		"503, late":           {status(503, "Retry-After", "60"), not, 1},
		"503":                 {status(503), mayHave, 1},
		"502":                 {status(502), mayHave, 1},
		"500":                 {status(500), mayHave, 1},
		"413":                 {status(413), not, 1},
		"unknown session":     {status(404), "fine", 2},
		"the same, in words":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); fmt.Fprint(w, noSession) }, "fine", 2},
		"other bad request":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); fmt.Fprint(w, badRequest) }, "Bad Request: what?", 1},
		"ends when it has it": {ends, mayHave, 1},
		"breaks off":          {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") }, mayHave, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			next := fine("s1")
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(b)))
				if strings.Contains(string(b), `"tools/call"`) && calls.Add(1) == 1 {
					c.first(w, r)
					return
				}
				next.ServeHTTP(w, r)
			})
			srv := httptest.NewServer(h)
			defer srv.Close()
			k := attached(t, newSource(t, Config{Name: "srv", URL: srv.URL + "/mcp", StartTimeout: ample, Timeout: ample}, Options{}))
			if got := said(t, k); !strings.Contains(got, c.want) {
				t.Errorf("the client hears %q, want %q", got, c.want)
			}
			if n := int(calls.Load()); n != c.calls {
				t.Errorf("%d calls reached it, want %d", n, c.calls)
			}
		})
	}
}

const (
	noSession  = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`
	badRequest = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: what?"},"id":null}`
)

// A handshake does nothing: a server that was there is tried again where somebody before it says that it is away.
func TestAHandshakeIsMadeAgainWhileTheServerIsStarted(t *testing.T) {
	r := &restarted{t: t, addr: loopback.Addr()}
	r.begin(fine("s1"))
	at := &http.Transport{}
	k := attached(t, newSource(t, Config{Name: "srv", URL: "http://" + r.addr + "/mcp", StartTimeout: ample, Timeout: ample}, Options{HTTP: at}))
	r.srv.Close()
	at.CloseIdleConnections() // what is sent over one that ended may have been read
	var asked atomic.Int32
	next := fine("s2")
	r.begin(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Mcp-Session-Id") == "" && asked.Add(1) <= 3 { // of who begins anew
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, q)
	}))
	defer r.srv.Close()
	if got := said(t, k); got != "fine" {
		t.Errorf("%s", got)
	}
}
