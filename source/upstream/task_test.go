package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helve/tool"
)

// A fakeJob is the one task of the server that runs as tasks. What it does is the text of the call: done after two questions, failed,
// cancelled, ask, or for ever.
type fakeJob struct {
	kind  string
	asked int
	said  json.RawMessage
}

var job fakeJob

func (j *fakeJob) begin(r *request, kind string) {
	if !strings.Contains(string(r.Params.Meta.Capabilities), "/tasks") {
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32021,"message":"tasks only"}}`, r.ID)
		return
	}
	*j = fakeJob{kind: kind}
	answer(r.ID, `{"resultType":"task","taskId":"t-1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null,"pollIntervalMs":10}`)
}

// about answers what is asked about the task, and writes down what is done to it.
func (j *fakeJob) about(r *request, file string) {
	jot(file, r.Method)
	if r.Method == "tasks/update" {
		j.said = r.Params.Responses
	}
	if r.Method != "tasks/get" {
		answer(r.ID, `{"resultType":"complete"}`)
		return
	}
	j.asked++
	status := `"working","statusMessage":"at it"`
	switch {
	case j.kind == "failed":
		status = `"failed","error":{"code":-32050,"message":"it broke","data":{"n":1}}`
	case j.kind == "cancelled":
		status = `"cancelled"`
	case j.kind == "odd":
		status = `"completed","result":7`
	case j.kind == "ask" && (j.said == nil || j.asked < 4): // shown a moment longer than it is open
		status = `"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Sure?"}}}`
	case j.kind == "ask":
		b, _ := json.Marshal(string(j.said))
		status = `"completed","result":{"content":[{"type":"text","text":` + string(b) + `}]}`
	case j.kind == "done" && j.asked > 2:
		status = `"completed","result":{"content":[{"type":"text","text":"done"}]}`
	}
	answer(r.ID, `{"resultType":"complete","taskId":"t-1","status":`+status+`}`)
}

// A server that answers with a task is asked about it until it is over: its result is the call's, its failure too, with its code.
func TestATaskOfAServerIsWaitedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("tasks:"+file), Options{})
	k := attached(t, s)
	for kind, want := range map[string]string{"done": "done", "failed": "it broke", "cancelled": "cancelled the task", "odd": "no object"} {
		left := 0
		var heard []string
		res := run(t, k, &tool.Call{
			Name: "mcp__srv__echo", Args: json.RawMessage(fmt.Sprintf(`{"text":%q}`, kind)), Task: func() { left++ },
			Progress: func(p tool.Progress) { heard = append(heard, p.Message) },
		})
		if got := res.Text(); !strings.Contains(got, want) || left != 1 {
			t.Errorf("%s: %q, told %d times that it goes on", kind, got, left)
		}
		if kind == "done" && !strings.Contains(strings.Join(heard, " "), "at it") {
			t.Errorf("heard %q", heard)
		}
		if kind != "failed" {
			continue
		}
		if refusal, ok := res.Err.Details.(*RPCError); !ok || refusal.Code != -32050 {
			t.Errorf("%+v", res.Err)
		}
	}
}

// What a task asks is a Need, and its answers go back to the task; a question that is answered is not asked again.
func TestATaskOfAServerAsks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("tasks:"+file), Options{})
	k := attached(t, s)
	call := &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"ask"}`)}
	res, err := k.Call(t.Context(), call)
	if err != nil || res.Need == nil || !strings.Contains(string(res.Need.Requests), "Sure?") {
		t.Fatalf("%+v, %v", res, err)
	}
	call.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`{"q":{"action":"accept"}}`)}
	if res = run(t, k, call); res.Need != nil || !strings.Contains(res.Text(), `{"q":{"action":"accept"}}`) {
		t.Errorf("%+v", res)
	}
}

// A call that nobody waits for any more cancels its task.
func TestATaskThatNobodyWantsIsCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("tasks:"+file), Options{})
	k := attached(t, s)
	ctx, stop := context.WithCancel(t.Context())
	said := func(method string) bool {
		b, _ := os.ReadFile(file)
		return strings.Contains(string(b), method)
	}
	go func() {
		for !said("tasks/get") && t.Context().Err() == nil { // it is a task, and waited for
			time.Sleep(5 * time.Millisecond)
		}
		stop()
	}()
	k.Call(ctx, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"for ever"}`)})
	soon(t, "the task is cancelled", func() bool { return said("tasks/cancel") })
}

// A client that could have declared tasks and has not hears of the server what it would hear without us; one that speaks a protocol
// without them is served all the same.
func TestWhoCannotTakeATask(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("tasks:"+file), Options{})
	k := attached(t, s)
	for capabilities, want := range map[string]string{
		`{}`: "tasks only",
		`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`: "done",
	} {
		session := capableOf(capabilities)
		defer session.Close()
		res := run(t, k, &tool.Call{Name: "mcp__srv__echo", Args: json.RawMessage(`{"text":"done"}`), Session: session})
		if got := res.Text(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", capabilities, got)
		}
	}
}

// A server says how often it wants to be asked about a task, within bounds: nobody waits for an hour, and nobody asks
// all the time.
func TestAServerIsAskedAboutATaskAsOftenAsItWants(t *testing.T) {
	for ms, want := range map[float64]time.Duration{
		0: 10 * time.Second, -1: 10 * time.Second, 1: time.Second / 20, 700: 700 * time.Millisecond,
		9000: 9 * time.Second, 3_600_000: 10 * time.Second, 1e300: 10 * time.Second,
	} {
		if got := (&remoteTask{Poll: ms}).pollAt(); got != want {
			t.Errorf("%v ms: each %v, want %v", ms, got, want)
		}
	}
}
