package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

const withTasks = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// jobs are tools that go on for long: one until it is told to end, one that asks, one that fails by the protocol, and a program that
// says nothing of how long it takes.
func jobs(release <-chan struct{}) []tool.Tool {
	long := func(ctx context.Context, c *tool.Call, in sayIn) (*tool.Result, error) {
		if c.Task != nil {
			c.Task()
		}
		select {
		case <-release:
			return tool.Textf("done: %s", in.Text), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	asks := func(ctx context.Context, c *tool.Call, _ sayIn) (*tool.Result, error) {
		c.Task()
		a, err := c.Session.Back(ctx, "elicitation/create", json.RawMessage(`{"message":"Sure?"}`))
		return tool.Textf("answered: %s", a), err
	}
	breaks := func(ctx context.Context, c *tool.Call, _ sayIn) (*tool.Result, error) {
		c.Task()
		<-time.After(time.Millisecond)
		return nil, &server.Error{Code: -32603, Message: "it broke"}
	}
	program := func(context.Context, *tool.Call, sayIn) (*tool.Result, error) {
		<-release
		return tool.Textf("built"), nil
	}
	spec := func(name string, kind tool.Kind) tool.Spec {
		return tool.Spec{Name: name, Kind: kind, Doc: tool.Doc{Short: "Does."}}
	}
	return []tool.Tool{
		tool.New(spec("long", tool.Read), long), tool.New(spec("asks", tool.Read), asks),
		tool.New(spec("breaks", tool.Read), breaks), tool.New(spec("program", tool.Exec), program),
	}
}

// A taskClient speaks the stateless protocol.
type taskClient struct {
	*wire
	capabilities string
	id           int
}

// request is the result, or the error.
func (c *taskClient) request(method, params string) map[string]any {
	c.t.Helper()
	c.id++
	if params != "" {
		params += ","
	}
	c.say(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.id, method, params, stateless(c.capabilities))
	m := c.hear()
	var out map[string]any
	if err := json.Unmarshal(append(m["result"], m["error"]...), &out); err != nil {
		c.t.Fatalf("%s: %s", method, m)
	}
	return out
}

func (c *taskClient) call(name, args string) map[string]any {
	c.t.Helper()
	return c.request("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, name, args))
}

func (c *taskClient) about(method, id string) map[string]any {
	c.t.Helper()
	return c.request("tasks/"+method, fmt.Sprintf(`"taskId":%q`, id))
}

// until asks about a task until it has a status.
func (c *taskClient) until(id, status string) map[string]any {
	c.t.Helper()
	for {
		got := c.about("get", id)
		if got["status"] == status {
			return got
		}
		if s := got["status"]; s != "working" && s != "input_required" {
			c.t.Fatalf("%v, want %s", got, status)
		}
		time.Sleep(time.Millisecond)
	}
}

func tasked(t *testing.T, release <-chan struct{}) *taskClient {
	srv := server.New(opener(registry(t, jobs(release)...), tool.KitOptions{Policy: allowAll{}}), server.Options{})
	t.Cleanup(func() { srv.Close() })
	return &taskClient{wire: dial(t, srv), capabilities: withTasks}
}

// A call that goes on for long is answered with a task by a client that knows them, and its result is there when it is done; it is the
// result that a client without tasks waits for.
func TestALongCallBecomesATask(t *testing.T) {
	release := make(chan struct{})
	c := tasked(t, release)
	got := c.call("long", `{"text":"x"}`)
	id, _ := got["taskId"].(string)
	if got["resultType"] != "task" || got["status"] != "working" || id == "" || got["result"] != nil {
		t.Fatalf("%v", got)
	}
	if got := c.about("get", id); got["status"] != "working" || got["result"] != nil {
		t.Errorf("%v", got)
	}
	close(release)
	got = c.until(id, "completed")
	if b, _ := json.Marshal(got["result"]); !strings.Contains(string(b), "done: x") {
		t.Errorf("%s", b)
	}
	c.capabilities = `{}`
	if got := c.call("long", `{"text":"y"}`); got["resultType"] != "complete" || got["taskId"] != nil {
		t.Errorf("without tasks: %v", got)
	}
	for _, method := range []string{"get", "update", "cancel"} {
		if got := c.about(method, id); fmt.Sprint(got["code"]) != "-32021" {
			t.Errorf("tasks/%s without the extension: %v", method, got)
		}
	}
}

// A failure of the protocol is one; a cancelled task stays cancelled, and its tool is ended; one that nobody made is unknown.
func TestTasksEnd(t *testing.T) {
	c := tasked(t, nil)
	id := c.call("breaks", `{"text":""}`)["taskId"].(string)
	if got := c.until(id, "failed"); fmt.Sprint(got["error"]) != "map[code:-32603 message:it broke]" || got["result"] != nil {
		t.Errorf("%v", got)
	}
	id = c.call("long", `{"text":""}`)["taskId"].(string)
	for range 2 {
		if got := c.about("cancel", id); got["resultType"] != "complete" || got["taskId"] != nil {
			t.Errorf("%v", got)
		}
	}
	if got := c.about("get", id); got["status"] != "cancelled" {
		t.Errorf("%v", got)
	}
	if got := c.about("get", "nobody's"); fmt.Sprint(got["code"]) != "-32602" {
		t.Errorf("%v", got)
	}
}

// What a task asks is answered by tasks/update; answers to nothing are left out, and malformed ones refused.
func TestATaskAsksAndIsAnswered(t *testing.T) {
	c := tasked(t, nil)
	id := c.call("asks", `{"text":""}`)["taskId"].(string)
	got := c.until(id, "input_required")
	requests, _ := got["inputRequests"].(map[string]any)
	if len(requests) != 1 {
		t.Fatalf("%v", got)
	}
	update := func(responses string) map[string]any {
		return c.request("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":%s`, id, responses))
	}
	if got := update(`{"unheard of":{"action":"accept"}}`); got["resultType"] != "complete" {
		t.Errorf("%v", got)
	}
	if got := update(`{"x":7}`); fmt.Sprint(got["code"]) != "-32602" {
		t.Errorf("%v", got)
	}
	for key := range requests {
		update(`{"` + key + `":{"action":"accept"}}`)
		update(`{"` + key + `":{"action":"decline"}}`) // twice: the first counts
	}
	b, _ := json.Marshal(c.until(id, "completed")["result"])
	if !strings.Contains(string(b), `accept`) {
		t.Errorf("%s", b)
	}
}

// A program that still runs after a moment becomes a task without saying so itself.
func TestAProgramBecomesATask(t *testing.T) {
	release := make(chan struct{})
	c := tasked(t, release)
	over := sync.OnceFunc(func() { close(release) })
	defer over()
	begin := time.Now()
	got := c.call("program", `{"text":""}`)
	if got["resultType"] != "task" || time.Since(begin) < time.Second {
		t.Fatalf("%v after %v", got, time.Since(begin))
	}
	over()
	c.until(got["taskId"].(string), "completed")
}

// Tasks are bounded: beyond that a call is answered when it is over. An end of the server ends them all.
func TestTasksAreBounded(t *testing.T) {
	release := make(chan struct{})
	c := tasked(t, release)
	for i := range 256 {
		if got := c.call("long", `{"text":""}`); got["resultType"] != "task" {
			t.Fatalf("%d: %v", i, got)
		}
	}
	time.AfterFunc(10*time.Millisecond, func() { close(release) })
	if got := c.call("long", `{"text":""}`); got["resultType"] != "complete" {
		t.Errorf("%v", got)
	}
}

// A call that asks again and again is given up, and the client reads what it says that it did until then: of a call that
// it waits for as of a task.
func TestACallThatIsGivenUpSaysWhatItDid(t *testing.T) {
	asked := 0
	endless := tool.New(tool.Spec{Name: "endless", Kind: tool.Read, Doc: tool.Doc{Short: "Asks."}},
		func(_ context.Context, c *tool.Call, _ sayIn) (*tool.Result, error) {
			asked++
			if c.Task != nil {
				c.Task()
			}
			requests := json.RawMessage(`{"q":{"method":"elicitation/create","params":{"message":"Sure?"}}}`)
			return &tool.Result{Need: &tool.Need{Requests: requests, SoFar: fmt.Sprintf("Changed: f%d.txt", asked)}}, nil
		})
	srv := server.New(opener(registry(t, endless), tool.KitOptions{Policy: allowAll{}}), server.Options{})
	t.Cleanup(func() { srv.Close() })

	w := dial(t, srv)
	w.initialize(`{"elicitation":{}}`)
	w.say(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"endless","arguments":{"text":"x"}}}`)
	m := w.hear()
	for string(m["id"]) != `"call"` {
		w.say(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, m["id"])
		m = w.hear()
	}
	text := string(m["result"])
	if !strings.Contains(text, "is not done") || !strings.Contains(text, fmt.Sprintf("Changed: f%d.txt", asked)) {
		t.Errorf("after %d questions: %s", asked, text)
	}

	asked = 0
	c := &taskClient{wire: dial(t, srv), capabilities: withTasks}
	id, _ := c.call("endless", `{"text":"x"}`)["taskId"].(string)
	got := c.about("get", id)
	for got["status"] == "working" || got["status"] == "input_required" {
		c.request("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{"q":{"action":"accept"}}`, id))
		got = c.about("get", id)
	}
	b, _ := json.Marshal(got)
	if !strings.Contains(string(b), "is not done") || !strings.Contains(string(b), fmt.Sprintf("Changed: f%d.txt", asked)) {
		t.Errorf("the task: %s", b)
	}

	w = dial(t, srv) // one that cannot be asked at all
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless","arguments":{"text":"x"}}}`)
	if text := string(w.hear()["result"]); !strings.Contains(text, "could not be asked") || !strings.Contains(text, "Changed: f") {
		t.Errorf("a client that cannot be asked: %s", text)
	}
}
