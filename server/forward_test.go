package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// A fellow is a replica among servers of one process that reach each other.
type fellow struct {
	name   string
	others map[string]*server.Server
}

func (f *fellow) Name() string { return f.name }

func (f *fellow) Forward(ctx context.Context, replica string, request []byte, hear func([]byte)) ([]byte, error) {
	other := f.others[replica]
	if other == nil {
		return nil, server.ErrNoReplica
	}
	return other.Forwarded(ctx, request, hear), nil
}

// asks is a tool that can only wait for the answer to its question, as a server of the session protocol does.
func asks(ended chan error) tool.Tool {
	return tool.New(tool.Spec{Name: "asks", Kind: tool.Read}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 2, Message: "asking"})
		res, err := c.Session.Back(ctx, "elicitation/create", json.RawMessage(`{"message":"your name?","requestedSchema":{"type":"object","properties":{}}}`))
		c.Progress(tool.Progress{Done: 2, Total: 2, Message: "asked"})
		ended <- err
		if err != nil {
			return nil, err
		}
		return tool.Textf("it was told %s", res), nil
	})
}

// startReplicas are servers with one key, by name, and where each is.
func startReplicas(t *testing.T, ended chan error, names ...string) map[string]string {
	t.Helper()
	return startReplicasWith(t, func() []tool.Tool { return []tool.Tool{asks(ended), longTool(ended)} }, names...)
}

// startReplicasWith are the same, each with tools of its own.
func startReplicasWith(t *testing.T, tools func() []tool.Tool, names ...string) map[string]string {
	t.Helper()
	others, urls := map[string]*server.Server{}, map[string]string{}
	for _, name := range names {
		reg := registry(t, tools()...)
		o := server.Options{StateKey: []byte("one key"), Replicas: true, Forward: &fellow{name, others}}
		srv := server.New(opener(reg, tool.KitOptions{Policy: allowAll{}}), o)
		others[name] = srv
		ts := httptest.NewServer(srv.HTTP(server.HTTPOptions{Verify: func(_ context.Context, token string) (string, error) { return token, nil }}))
		t.Cleanup(func() { ts.CloseClientConnections(); srv.Close(); ts.Close() })
		urls[name] = ts.URL + "/mcp"
	}
	return urls
}

// longTool goes on until it is cancelled, and says whether it was.
func longTool(ended chan error) tool.Tool {
	return tool.New(tool.Spec{Name: "long", Kind: tool.Exec}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		select {
		case <-time.After(slow):
			ended <- errors.New("nobody cancelled it")
		case <-ctx.Done():
			ended <- nil
		}
		return tool.Textf("done"), nil
	})
}

// one sends a request of the stateless protocol and is its answer, and all that came.
func one(t *testing.T, url, who, method, name, params string) (result map[string]json.RawMessage, whole string) {
	t.Helper()
	const meta = `"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"helve/conversation":"c"}`
	head := map[string]string{"Authorization": "Bearer " + who, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	if name != "" {
		head["Mcp-Name"] = name
	}
	_, whole, _ = post(t, url, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta)), head)
	last := whole
	for line := range strings.Lines(whole) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			last = data
		}
	}
	var m struct{ Result map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(last), &m); err != nil {
		t.Fatalf("%s: %v", whole, err)
	}
	return m.Result, whole
}

// The answer to a call that waits at one replica comes to another one, which takes it there.
func TestACallThatWaitsAtOneReplicaIsAnsweredByWayOfAnother(t *testing.T) {
	ended := make(chan error, 4)
	urls := startReplicas(t, ended, "one", "other")
	const call = `"name":"asks","arguments":{},`
	res, whole := one(t, urls["one"], "ann", "tools/call", "asks", call)
	if res["requestState"] == nil {
		t.Fatalf("it does not ask: %s", whole)
	}
	answered := call + `"requestState":` + string(res["requestState"]) + `,"inputResponses":{"request":{"action":"accept","content":{}}},`

	// Another principal has nothing of it.
	if _, whole := one(t, urls["other"], "bob", "tools/call", "asks", answered); !strings.Contains(whole, "not one that was given out") {
		t.Errorf("another principal: %s", whole)
	}
	res, whole = one(t, urls["other"], "ann", "tools/call", "asks", answered)
	if !strings.Contains(string(res["content"]), "it was told") || !strings.Contains(whole, `"message":"asked"`) {
		t.Errorf("by way of the other: %s", whole)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, whole := one(t, urls["other"], "ann", "tools/call", "asks", answered); !strings.Contains(whole, "is over") {
		t.Errorf("a second time: %s", whole)
	}
}

func TestACallAtAReplicaThatIsGoneIsOver(t *testing.T) {
	ended := make(chan error, 4)
	urls := startReplicas(t, ended, "one", "other")
	const call = `"name":"asks","arguments":{},`
	res, _ := one(t, urls["one"], "ann", "tools/call", "asks", call)
	lonely := server.New(opener(registry(t, asks(ended)), tool.KitOptions{}),
		server.Options{StateKey: []byte("one key"), Replicas: true, Forward: &fellow{"third", nil}})
	ts := httptest.NewServer(lonely.HTTP(server.HTTPOptions{Verify: func(_ context.Context, token string) (string, error) { return token, nil }}))
	t.Cleanup(func() { lonely.Close(); ts.Close() })
	answered := call + `"requestState":` + string(res["requestState"]) + `,"inputResponses":{"request":{"action":"accept","content":{}}},`
	if _, whole := one(t, ts.URL+"/mcp", "ann", "tools/call", "asks", answered); !strings.Contains(whole, "is over") {
		t.Errorf("%s", whole)
	}
}

// A task is asked about, and cancelled, at whichever replica.
func TestATaskOfOneReplicaIsKnownAtAnother(t *testing.T) {
	ended := make(chan error, 4)
	urls := startReplicas(t, ended, "one", "other")
	res, whole := one(t, urls["one"], "ann", "tools/call", "long", `"name":"long","arguments":{},`)
	var id string
	if json.Unmarshal(res["taskId"], &id) != nil || !strings.HasSuffix(id, "-one") {
		t.Fatalf("no task: %s", whole)
	}
	about := fmt.Sprintf(`"taskId":%q,`, id)
	if res, whole := one(t, urls["other"], "ann", "tasks/get", id, about); string(res["status"]) != `"working"` {
		t.Errorf("at the other: %s", whole)
	}
	if _, whole := one(t, urls["other"], "bob", "tasks/get", id, about); !strings.Contains(whole, "there is no task") {
		t.Errorf("another principal: %s", whole)
	}
	one(t, urls["other"], "ann", "tasks/cancel", id, about)
	if res, whole := one(t, urls["one"], "ann", "tasks/get", id, about); string(res["status"]) != `"cancelled"` {
		t.Errorf("after it was cancelled: %s", whole)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"x-nowhere", "x-", "-", "x-*.>"} {
		if _, whole := one(t, urls["other"], "ann", "tasks/get", bad, fmt.Sprintf(`"taskId":%q,`, bad)); !strings.Contains(whole, "there is no task") {
			t.Errorf("%q: %s", bad, whole)
		}
	}
}

func TestWhatAReplicaSendsThatIsNoRequestIsRefused(t *testing.T) {
	srv := server.New(opener(registry(t), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	for _, body := range []string{"", "{", "[]", `{"principal":"ann"}`, `{"principal":"ann","method":"tools/call","id":1}`,
		`{"principal":"ann","method":"initialize","id":1,"params":"{}"}`, `{"method":"tools/call","id":1,"params":"{}"}`} {
		if got := string(srv.Forwarded(t.Context(), []byte(body), func([]byte) {})); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// Of what a client brings back from a replica with another clock a no is a person's still, and what has expired says so.
func TestReplicasWhoseClocksDifferUnderstandEachOther(t *testing.T) {
	told := 0
	ask := server.Approver{Approval: server.ApproveElicit, Unasked: func(*tool.Question) { told++ }}.Asker()
	at := func(ahead time.Duration) string {
		reg := registry(t, say("write", tool.Write))
		srv := server.New(opener(reg, tool.KitOptions{Ask: ask}), server.Options{
			StateKey: []byte("one key"),
			Replicas: true,
			Now:      func() time.Time { return time.Now().Add(ahead) },
		})
		ts := httptest.NewServer(srv.HTTP(server.HTTPOptions{Verify: func(_ context.Context, token string) (string, error) { return token, nil }}))
		t.Cleanup(func() { ts.CloseClientConnections(); srv.Close(); ts.Close() })
		return ts.URL + "/mcp"
	}
	const call = `"name":"write","arguments":{"text":"x"},`
	first, whole := one(t, at(0), "ann", "tools/call", "write", call)
	state := string(first["requestState"])
	if state == "" {
		t.Fatalf("it does not ask: %s", whole)
	}
	const no, yes = `{"action":"decline"}`, `{"action":"accept","content":{"decision":"once"}}`
	for _, c := range []struct {
		ahead        time.Duration
		answer, want string
	}{
		{-time.Hour, no, "declined"},
		{-time.Hour, yes, "write: x"},
		{5 * time.Minute, no, "declined"},
		{5 * time.Minute, yes, "write: x"},
		{24 * time.Hour, yes, "has expired: call again without it"},
	} {
		answered := call + `"requestState":` + state + `,"inputResponses":{"approval":` + c.answer + `},`
		_, whole := one(t, at(c.ahead), "ann", "tools/call", "write", answered)
		if !strings.Contains(whole, c.want) || strings.Contains(whole, "in its user's place") {
			t.Errorf("%v ahead, %s: %s", c.ahead, c.answer, whole)
		}
	}
	if told > 0 {
		t.Errorf("%d times nobody was asked", told)
	}
}

// knocks is a tool that wants something of the client twice over: its call is known only where it began, or anywhere.
func knocks(here bool) tool.Tool {
	waits := map[string]bool{} // one call at a time
	return tool.New(tool.Spec{Name: "knocks", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct {
		Why string `json:"why"`
	}) (*tool.Result, error) {
		if c.Resume == nil {
			waits["ticket"] = true
			asked := `{"name":{"method":"elicitation/create","params":{"message":"your name?","requestedSchema":{"type":"object","properties":{}}}}}`
			return &tool.Result{Need: &tool.Need{State: []byte("ticket"), Requests: json.RawMessage(asked), Here: here}}, nil
		}
		return tool.Textf("known: %v", waits[string(c.Resume.State)]), nil
	})
}

// What a call wants is brought to the replica that alone can go on with it; of any other call the replica that it came to
// goes on.
func TestTheAnswerToACallComesToTheReplicaThatHasWhatWaits(t *testing.T) {
	for here, want := range map[bool]string{true: "known: true", false: "known: false"} {
		urls := startReplicasWith(t, func() []tool.Tool { return []tool.Tool{knocks(here)} }, "one", "other")
		const call = `"name":"knocks","arguments":{"why":  "a < b"},` // in bytes that no encoder writes
		res, whole := one(t, urls["one"], "ann", "tools/call", "knocks", call)
		if res["requestState"] == nil {
			t.Fatalf("it does not ask: %s", whole)
		}
		answered := call + `"requestState":` + string(res["requestState"]) + `,"inputResponses":{"name":{"action":"accept","content":{}}},`
		if _, whole := one(t, urls["other"], "ann", "tools/call", "knocks", answered); !strings.Contains(whole, want) {
			t.Errorf("waits here %v: want %q in %s", here, want, whole)
		}
	}
}
