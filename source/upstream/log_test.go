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

// talkative is a server of the stateless protocol that logs so often as its tool is told to, as long as the request wishes for that.
func talkative(t *testing.T, wished *[]string) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	h := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m := rpc.ParseLoosely(body)
		if m == nil || !m.Request() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		switch m.Method {
		case "server/discover":
			answerJSON(w, m.ID, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case "tools/list":
			answerJSON(w, m.ID, `{"tools":[`+echoTool+`]}`)
		case "tools/call":
			var in struct {
				Arguments struct{ Text string }
				Meta      map[string]json.RawMessage `json:"_meta"`
			}
			json.Unmarshal(m.Params, &in)
			mu.Lock()
			*wished = append(*wished, string(in.Meta[rpc.MetaLogLevel]))
			mu.Unlock()
			w.Header().Set("Content-Type", "text/event-stream")
			n := 0
			fmt.Sscan(in.Arguments.Text, &n)
			for i := range n {
				if in.Meta[rpc.MetaLogLevel] != nil {
					fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"%d\"}}\n\n", i)
				}
			}
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", m.ID)
		default:
			answerJSON(w, m.ID, `{}`)
		}
	}
	ts := httptest.NewServer(http.HandlerFunc(h))
	t.Cleanup(ts.Close)
	return ts
}

// A server of the stateless protocol logs only for requests that wish so: a client of the session protocol, which says once what it
// wants, or nothing, is not left without. What a server says is bounded.
func TestLogMessagesReachClientsOfTheSessionProtocol(t *testing.T) {
	var wished []string
	ts := talkative(t, &wished)
	var mu sync.Mutex
	var heard []string
	s := newSource(t, Config{Name: "srv", URL: ts.URL, StartTimeout: ample, Timeout: ample}, Options{
		Notify: func(_ string, _ *tool.Session, method string, params json.RawMessage) {
			if method == rpc.NoticeMessage {
				mu.Lock()
				heard = append(heard, string(params))
				mu.Unlock()
			}
		},
	})
	k := attached(t, s)
	wishes := &rpc.Wishes{}
	session := &tool.Session{Principal: "local"}
	tool.Of(session, func() *rpc.Wishes { return wishes })
	defer session.Close()
	call := func(session *tool.Session, n int, meta string) int {
		t.Helper()
		mu.Lock()
		heard = nil
		mu.Unlock()
		c := &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(fmt.Sprintf(`{"text":"%d"}`, n)), Session: session}
		if meta != "" {
			c.Meta = json.RawMessage(meta)
		}
		if res := run(t, k, c); res.Err != nil {
			t.Fatal(res.Err)
		}
		mu.Lock()
		defer mu.Unlock()
		return len(heard)
	}
	if n := call(session, 3, ""); n != 3 {
		t.Errorf("%d of 3 messages came", n)
	}
	wishes.SetLevel("error")
	call(session, 1, "")
	call(nil, 1, "")
	call(nil, 1, `{"io.modelcontextprotocol/logLevel":"debug"}`)
	if got := strings.Join(wished, " "); got != `"info" "error"  "debug"` {
		t.Errorf("wished for: %s", got)
	}
	if n := call(session, 1000, ""); n > 2*maxTalk {
		t.Errorf("%d messages came in a moment", n)
	}
	mu.Lock()
	heard = nil
	mu.Unlock()
	soon(t, "a word about what was left out", func() bool {
		call(session, 1, "")
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(heard, " "), "log messages were left out")
	})
}

// A levelled server speaks the session protocol and notes which levels it is told, and the calls between.
type levelled struct {
	mu      sync.Mutex
	noted   []string
	session int  // a client of another one is told that there is none
	refuses bool // to be told
}

func (l *levelled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := rpc.ParseLoosely(body)
	if m == nil || !m.Request() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := fmt.Sprint("s", l.session)
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", now)
		answerJSON(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s"}}`)
	case m.Method == "server/discover":
		http.Error(w, "what?", http.StatusBadRequest)
	case r.Header.Get("Mcp-Session-Id") != now:
		http.Error(w, "no such session", http.StatusNotFound)
	case m.Method == "tools/list":
		answerJSON(w, m.ID, `{"tools":[`+echoTool+`]}`)
	case m.Method == rpc.MethodSetLevel && l.refuses:
		l.noted = append(l.noted, "refused")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, m.ID)
	case m.Method == rpc.MethodSetLevel:
		l.noted = append(l.noted, string(m.Params))
		answerJSON(w, m.ID, `{}`)
	case m.Method == "tools/call":
		l.noted = append(l.noted, "call")
		answerJSON(w, m.ID, `{"content":[{"type":"text","text":"said"}]}`)
	default:
		answerJSON(w, m.ID, `{}`)
	}
}

// took is what the server noted since it was looked at last.
func (l *levelled) took() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := strings.Join(l.noted, " ")
	l.noted = nil
	return out
}

// atLevels is a kit of a levelled server, and makes sessions with the wishes of their clients.
func atLevels(t *testing.T, l *levelled) (*tool.Kit, func(capabilities string) (*tool.Session, *rpc.Wishes)) {
	t.Helper()
	ts := httptest.NewServer(l)
	t.Cleanup(ts.Close)
	s := newSource(t, Config{Name: "srv", URL: ts.URL, StartTimeout: ample, Timeout: ample}, Options{})
	return attached(t, s), func(capabilities string) (*tool.Session, *rpc.Wishes) {
		wishes := &rpc.Wishes{}
		session := &tool.Session{Principal: "local"}
		if capabilities != "" {
			session.Capabilities = json.RawMessage(capabilities)
			session.Back = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
		}
		tool.Of(session, func() *rpc.Wishes { return wishes })
		t.Cleanup(func() { session.Close() })
		return session, wishes
	}
}

func echoes(t *testing.T, k *tool.Kit, session *tool.Session) {
	t.Helper()
	res := run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"x"}`), Session: session})
	if res.Err != nil {
		t.Fatal(res.Err)
	}
}

func TestAServerIsToldTheLevelThatAClientAskedForBeforeItsCall(t *testing.T) {
	l := &levelled{}
	kit, client := atLevels(t, l)
	session, wishes := client(`{"elicitation":{}}`)
	steps := []struct{ level, want string }{
		{"", "call"}, // nobody asked: the server logs as it likes
		{"info", `{"level":"info"} call`},
		{"info", "call"},
		{"debug", `{"level":"debug"} call`},
		{"error", `{"level":"error"} call`},
	}
	for _, step := range steps {
		if step.level != "" {
			wishes.SetLevel(step.level)
		}
		echoes(t, kit, session)
		if got := l.took(); got != step.want {
			t.Errorf("at level %q the server heard %q, want %q", step.level, got, step.want)
		}
	}
}

func TestAServerThatStartsAnewIsToldTheLevelAgain(t *testing.T) {
	l := &levelled{}
	kit, client := atLevels(t, l)
	session, wishes := client(`{"elicitation":{}}`)
	wishes.SetLevel("debug")
	echoes(t, kit, session)
	l.took()
	l.mu.Lock()
	l.session++
	l.mu.Unlock()
	soon(t, "a call of the new session", func() bool {
		res := run(t, kit, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{}`), Session: session})
		return res.Err == nil
	})
	if got := l.took(); got != `{"level":"debug"} call` {
		t.Errorf("the server heard %q", got)
	}
}

func TestClientsThatShareAServerHaveItLogWhatAnyOfThemAskedFor(t *testing.T) {
	l := &levelled{}
	kit, client := atLevels(t, l)
	one, loud := client("")
	other, quiet := client("")
	loud.SetLevel("debug")
	quiet.SetLevel("error")
	for _, s := range []*tool.Session{other, one, other, one} {
		echoes(t, kit, s)
	}
	if got, want := l.took(), `{"level":"error"} call {"level":"debug"} call call call`; got != want {
		t.Errorf("the server heard %q, want %q", got, want)
	}
}

func TestAServerThatRefusesALevelIsNotToldWithEachCall(t *testing.T) {
	l := &levelled{refuses: true}
	kit, client := atLevels(t, l)
	session, wishes := client(`{"elicitation":{}}`)
	wishes.SetLevel("debug")
	echoes(t, kit, session)
	echoes(t, kit, session)
	if got := l.took(); got != "refused call call" {
		t.Errorf("the server heard %q", got)
	}
}
