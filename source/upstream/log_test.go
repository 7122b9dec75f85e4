package upstream

import (
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
