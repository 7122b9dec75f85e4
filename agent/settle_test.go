package agent_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"helve/agent"
	"helve/tool"
)

// logOf is a log up to the point at which a process was killed.
func logOf(lines ...string) *bytes.Buffer {
	return bytes.NewBufferString(strings.Join(lines, "\n") + "\n")
}

// What became of a call that was under way is told as far as the log alone knows it.
func TestAnInterruptedCallIsToldAsWhatBecameOfIt(t *testing.T) {
	const (
		start   = `{"type":"start","version":1,"watched":true}`
		blind   = `{"type":"start","version":1}`
		former  = `{"type":"start"}`
		prompt  = `{"type":"user","text":"go"}`
		reply   = `{"type":"assistant","calls":[{"id":"c","name":"bash","args":"{}"}],"stop":"calls"}`
		calling = `{"type":"calling","call":"c","tool":"bash"}`
		looking = `{"type":"calling","call":"c","tool":"read","reads":true}`
	)
	began := func(began string) string { return `{"type":"began","call":"c","began":` + began + `}` }
	for _, c := range []struct {
		want  agent.State
		lines []string
	}{
		{agent.NotBegun, []string{start, prompt, reply}},
		{agent.NotBegun, []string{start, prompt, reply, calling}},
		{agent.Unknown, []string{blind, prompt, reply, calling}},
		{agent.Unknown, []string{former, prompt, reply}},
		{agent.Dropped, []string{blind, prompt, reply, looking}},
		{agent.Dropped, []string{start, prompt, reply, calling, began(`{"kinds":["read"],"own":true}`)}},
		{agent.Dropped, []string{start, prompt, reply, calling, began(`{"kinds":["exec","read"],"own":true,"reads":true}`)}},
		{agent.Unknown, []string{start, prompt, reply, calling, began(`{"kinds":["exec"],"own":true,"held":true}`)}},
		{agent.Unknown, []string{start, prompt, reply, calling, began(`{"kinds":["read"]}`)}},
		{agent.Unknown, []string{start, prompt, reply, calling, began(`{"kinds":["net"],"own":true}`)}},
		{agent.Finished, []string{start, prompt, reply, calling, `{"type":"result","answer":{"id":"c","name":"bash"},"tool":"bash"}`}},
	} {
		log, err := agent.Read(logOf(c.lines...))
		if err != nil {
			t.Fatal(err)
		}
		made := log.Said[1].Calls[0]
		if made.State != c.want {
			t.Errorf("%s: got %s, want %s", c.lines[len(c.lines)-1], made.State, c.want)
		}
		if (made.State == agent.Finished) != (len(log.Interrupted) == 0) {
			t.Errorf("interrupted: %+v", log.Interrupted)
		}
	}
}

// How an interrupted call was settled is written down: the next run does not settle it anew.
func TestHowAnInterruptedCallWasSettledStays(t *testing.T) {
	b := newBench(t)
	var whole bytes.Buffer
	m := &scripted{replies: []any{calls("1", "change", `{"text":"a"}`), says("done")}}
	a := &agent.Agent{Model: m, Kit: b.kit, Log: &whole, Watched: true}
	if _, err := a.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(whole.String(), "\n")
	log := bytes.NewBufferString(strings.Join(lines[:4], "")) // start, user, assistant, calling
	past, err := agent.ReadOpen(bytes.NewReader(log.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	past.Settle(func(c *agent.Interrupted) agent.Fate {
		if c.Tool != "change" || c.ID != "1" {
			t.Errorf("asked about %+v", c)
		}
		return agent.Fate{State: agent.Committed, Undo: "k3v9"}
	})
	next := &agent.Agent{Model: &scripted{replies: []any{says("later")}}, Kit: b.kit, Log: log}
	next.Resume(past)
	if _, err := next.Run(t.Context(), "go on"); err != nil {
		t.Fatal(err)
	}
	again, err := agent.Read(log)
	if err != nil {
		t.Fatal(err)
	}
	made := again.Said[1].Calls[0]
	if len(again.Interrupted) != 0 || made.State != agent.Committed || made.Undo != "k3v9" || made.Failed {
		t.Errorf("interrupted %+v, call %+v", again.Interrupted, made)
	}
	if b.writes.Load() != 1 {
		t.Errorf("the call ran %d times", b.writes.Load())
	}
}

// Watch notes what a call was about to do before it does it.
func TestTheLogTellsWhatACallIsAboutToDo(t *testing.T) {
	var log bytes.Buffer
	a := &agent.Agent{Log: &log, Watched: true}
	var seen string
	var reg tool.Registry
	err := reg.Add(tool.New(tool.Spec{Name: "look", Kind: tool.Write, Origin: tool.Origin{Kind: tool.Builtin, Name: "look"}},
		func(_ context.Context, _ *tool.Call, in textIn) (*tool.Result, error) {
			seen = log.String()
			return tool.Textf("saw %s", in.Text), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	a.Kit = reg.Kit(tool.KitOptions{Watch: a.Watch, Policy: allow{}})
	a.Model = &scripted{replies: []any{calls("7", "look", `{"text":"a"}`), says("done")}}
	if _, err := a.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(seen, `"began":{`) || !strings.Contains(seen, `"kinds":["write"],"own":true`) || !strings.Contains(seen, `"call":"7"`) {
		t.Errorf("when the call ran, the log was %s", seen)
	}
}
