package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/agent"
)

// After a cancellation in the middle of the calls the conversation can go on: every call has an answer.
func TestACancelledRunLeavesAWholeConversation(t *testing.T) {
	b := newBench(t)
	var log bytes.Buffer
	m := &scripted{replies: []any{calls("1", "look", `{"text":"a"}`, "2", "hang", `{}`, "3", "change", `{"text":"b"}`), says("later")}}
	ctx, cancel := context.WithCancel(t.Context())
	a := &agent.Agent{Model: m, Kit: b.kit, Log: &log, Listen: func(e agent.Event) {
		if c, ok := e.(agent.Calling); ok && c.Name == "hang" {
			cancel()
		}
	}}
	if _, err := a.Run(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if b.writes.Load() != 0 {
		t.Error("a call ran after the cancellation")
	}
	past, err := agent.Read(&log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.History, past.Messages); diff != "" {
		t.Errorf("log and history differ: %s", diff)
	}
	next := &agent.Agent{Model: &scripted{replies: []any{says("later")}}, Kit: b.kit}
	next.Resume(past)
	if out, err := next.Run(t.Context(), "go on"); err != nil || out.Text != "later" {
		t.Errorf("%+v, %v", out, err)
	}
	last := a.History[len(a.History)-1].(agent.Results)
	if len(last.Answers) != 3 || !last.Answers[2].Failed {
		t.Errorf("answers %+v", last.Answers)
	}
}

func TestALogThatEndsInTheMiddleCanBeResumed(t *testing.T) {
	b := newBench(t)
	var log bytes.Buffer
	m := &scripted{replies: []any{calls("1", "look", `{"text":"a"}`), says("done")}}
	if _, err := (&agent.Agent{Model: m, Kit: b.kit, Log: &log}).Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log.Bytes(), []byte("\n"))
	cut := bytes.Join(lines[:3], nil)     // start, user, assistant: no result
	cut = append(cut, `{"type":"resu`...) // and half a line
	past, err := agent.Read(bytes.NewReader(cut))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := past.Messages[len(past.Messages)-1].(agent.Results)
	if !ok || len(r.Answers) != 1 || !r.Answers[0].Failed || r.Answers[0].ID != "1" {
		t.Errorf("%+v", past.Messages)
	}
	if _, err := agent.Read(strings.NewReader("{\n{}\n")); err == nil {
		t.Error("a broken line in the middle was taken")
	}
}

func TestALoggedSessionRunsAgainWithoutAModel(t *testing.T) {
	script := []any{calls("1", "look", `{"text":"a"}`, "2", "change", `{"text":"b"}`), calls("3", "lok", `{}`), says("done")}
	run := func(m agent.Model, log io.Writer) []string {
		var events []string
		a := &agent.Agent{Model: m, Kit: newBench(t).kit, Log: log, Listen: func(e agent.Event) {
			if c, ok := e.(agent.Called); ok {
				events = append(events, c.ID+c.Name+c.Result.Text())
				return
			}
			events = append(events, fmt.Sprintf("%T %v", e, e))
		}}
		if _, err := a.Run(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		return events
	}
	var log bytes.Buffer
	want := run(&scripted{replies: script}, &log)
	past, err := agent.Read(&log)
	if err != nil {
		t.Fatal(err)
	}
	got := run(&agent.Replay{Log: past}, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALongConversationIsSummedUp(t *testing.T) {
	b := newBench(t)
	m := &scripted{replies: []any{
		calls("1", "look", `{"text":"a"}`), calls("2", "look", `{"text":"b"}`), calls("3", "look", `{"text":"c"}`),
		says("a sum"), says("done"),
	}}
	var log bytes.Buffer
	a := &agent.Agent{Model: m, Kit: b.kit, Compact: agent.Summarise(3), Log: &log, Limits: agent.Limits{CompactAt: 14}}
	m.replies[0].(*agent.Reply).Usage, m.replies[1].(*agent.Reply).Usage = agent.Usage{}, agent.Usage{}
	m.replies[3].(*agent.Reply).Usage = agent.Usage{}
	out, err := a.Run(t.Context(), "go")
	if err != nil || out.Text != "done" {
		t.Fatalf("%+v, %v", out, err)
	}
	sent := m.asked[len(m.asked)-1].Messages
	if first, ok := sent[0].(agent.User); !ok || !strings.Contains(first.Text, "a sum") {
		t.Errorf("first message %+v", sent[0])
	}
	if r, ok := sent[1].(agent.Assistant); !ok || len(r.Calls) != 1 {
		t.Errorf("an answer lost its call: %+v", sent[1])
	}
	past, err := agent.Read(&log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.History, past.Messages); diff != "" {
		t.Errorf("log and history differ: %s", diff)
	}
}

func TestTheSessionLogTellsWhatWasRepaired(t *testing.T) {
	var log bytes.Buffer
	m := &scripted{replies: []any{calls("1", "look", `{'text':"a",}`), says("done")}}
	if _, err := (&agent.Agent{Model: m, Kit: newBench(t).kit, Log: &log}).Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"repairs":["single quotes read as double quotes"`) {
		t.Error(log.String())
	}
}

func TestAnAgentWithoutAModelOrAKitSaysSo(t *testing.T) {
	for _, a := range []*agent.Agent{{}, {Model: &scripted{}}, {Kit: newBench(t).kit}} {
		if out, err := a.Run(t.Context(), "go"); err == nil || out == nil || !strings.Contains(err.Error(), "required") {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

// A log that is damaged is an error or a conversation, never a crash; what was read can be gone on with.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"type":"user","text":"go"}
{"type":"assistant","text":"x","calls":[{"id":"1","name":"look","args":"{}"}],"stop":"calls","usage":{"input":1,"output":2}}
{"type":"result","answer":{"id":"1","name":"look","parts":[{"text":"saw"}]}}
{"type":"compact","messages":[{"type":"user","text":"sum"},{"type":"result","answer":{"id":"2","name":"x"}}]}
`))
	f.Add([]byte(`{"type":"assistant"}` + "\n" + `{"type":"assistant","calls":[{"id":"","name":""},{"id":"","name":""}]}`))
	f.Fuzz(func(t *testing.T, log []byte) {
		past, err := agent.Read(bytes.NewReader(log))
		if err != nil {
			return
		}
		open := map[string]bool{}
		for _, m := range past.Messages {
			switch m := m.(type) {
			case agent.Assistant:
				for _, c := range m.Calls {
					open[c.ID] = true
				}
			case agent.Results:
				for _, a := range m.Answers {
					delete(open, a.ID)
				}
			}
		}
		if len(open) > 0 {
			t.Errorf("calls without an answer: %v in %q", open, log)
		}
		again := &agent.Replay{Log: past}
		for range past.Replies {
			if _, err := again.Answer(t.Context(), nil, func(agent.Delta) {}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
