package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"helve/internal/rpc"
	"helve/tool"
)

// A brittle server speaks the session protocol over HTTP; what becomes of a tools/call is the test's to say.
type brittle struct {
	mu      sync.Mutex
	calls   int      // tools/call that came
	seen    []string // other requests: GET with its Last-Event-ID, DELETE with its session
	session string
	call    func(w http.ResponseWriter, id json.RawMessage, n int)
	resume  func(w http.ResponseWriter, last string)
}

func (s *brittle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := rpc.ParseLoosely(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch last := r.Header.Get("Last-Event-ID"); {
	case r.Method == http.MethodDelete:
		s.seen = append(s.seen, "DELETE "+r.Header.Get("Mcp-Session-Id"))
	case r.Method == http.MethodGet && last != "":
		s.seen = append(s.seen, "GET "+last)
		s.resume(w, last)
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m == nil:
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", s.session)
		answerJSON(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
	case r.Header.Get("Mcp-Session-Id") != s.session:
		http.Error(w, "no such session", http.StatusNotFound)
	case m.Method == "tools/list":
		answerJSON(w, m.ID, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)
	case m.Method == "tools/call":
		s.calls++
		s.call(w, m.ID, s.calls)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		http.Error(w, "what?", http.StatusBadRequest)
	}
}

func answerJSON(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func text(id json.RawMessage, s string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id, s)
}

func events(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, strings.Join(lines, "\n")+"\n\n")
}

func said(t *testing.T, k *tool.Kit) string {
	t.Helper()
	return run(t, k, &tool.Call{Name: "mcp__srv__t", Args: json.RawMessage(`{}`)}).Text()
}

// A stream that breaks off is gone on with where the server can; the call itself is never sent a second time.
func TestABrokenStreamIsGoneOnWithAndNoCallIsRepeated(t *testing.T) {
	var id json.RawMessage
	for name, c := range map[string]struct {
		first  []string
		resume func(w http.ResponseWriter, last string)
		want   string
		seen   string
	}{
		"goes on":        {[]string{"id: 7", "retry: 1", "data:"}, func(w http.ResponseWriter, last string) { events(w, "id: 8", "data: "+text(id, "late")) }, "late", "GET 7"},
		"no ids":         {[]string{"data: {}"}, nil, "the stream ended before the answer", ""},
		"refuses":        {[]string{"id: 7", "retry: 1", "data:"}, func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusGone) }, "HTTP 410", "GET 7"},
		"brings nothing": {[]string{"id: 7", "retry: 1", "data:"}, func(w http.ResponseWriter, _ string) { events(w, "retry: 1") }, "the stream ended before the answer", "GET 7,GET 7,GET 7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &brittle{session: "s1", resume: c.resume}
			s.call = func(w http.ResponseWriter, to json.RawMessage, _ int) { id = to; events(w, c.first...) }
			kit := attached(t, httpSource(t, s, nil))
			if got := said(t, kit); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := strings.Join(s.seen, ","); s.calls != 1 || got != c.seen {
				t.Errorf("%d calls, then %q, want %q", s.calls, got, c.seen)
			}
		})
	}
}

// A session that the server has forgotten is begun again by the call that finds out: it did not run.
func TestASessionThatIsOverIsBegunAgain(t *testing.T) {
	s := &brittle{session: "s1"}
	s.call = func(w http.ResponseWriter, id json.RawMessage, _ int) {
		answerJSON(w, id, `{"content":[{"type":"text","text":"fine"}]}`)
	}
	kit := attached(t, httpSource(t, s, nil))
	s.mu.Lock()
	s.session = "s2"
	s.mu.Unlock()
	if got := said(t, kit); got != "fine" {
		t.Errorf("got %q", got)
	}
	if s.calls != 1 {
		t.Errorf("%d calls reached the server, want 1", s.calls)
	}
}

func TestASessionIsEndedWhereItIsNotNeededAnyMore(t *testing.T) {
	s := &brittle{session: "s1"}
	srv := httptest.NewServer(s)
	defer srv.Close()
	src := newSource(t, Config{Name: "srv", URL: srv.URL + "/mcp", StartTimeout: ample}, Options{StateDir: t.TempDir()})
	if _, err := src.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	src.Close()
	if got := strings.Join(s.seen, ","); got != "DELETE s1" {
		t.Errorf("%q", got)
	}
}

// The older transport says where messages go. Elsewhere would be another server's.
func TestTheOlderTransportPostsToItsOwnServerOnly(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		events(w, "event: endpoint", "data: http://127.0.0.1:1/steal")
	})
	s := httpSource(t, h, func(c *Config) { c.Type = "sse" })
	if _, err := s.Tools(context.Background()); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("%v", err)
	}
}
