package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helve/agent"
	"helve/engine/dialect"
	"helve/tool"
)

// scripted is a model that says what it is told to, and keeps what it was asked.
type scripted struct {
	replies []any // *agent.Reply or error
	asked   []*agent.Request
}

func (m *scripted) Name() string             { return "scripted/test" }
func (m *scripted) Dialect() dialect.Dialect { return dialect.OpenAI }

func (m *scripted) Answer(ctx context.Context, r *agent.Request, delta func(agent.Delta)) (*agent.Reply, error) {
	if len(m.asked) >= len(m.replies) {
		return nil, errors.New("the script is over")
	}
	own := *r
	own.Messages = append([]agent.Message(nil), r.Messages...)
	m.asked = append(m.asked, &own)
	switch v := m.replies[len(m.asked)-1].(type) {
	case error:
		delta(agent.Delta{Text: "half an ans"})
		return nil, v
	case *agent.Reply:
		delta(agent.Delta{Text: v.Text})
		return v, nil
	}
	return nil, nil
}

func says(text string) *agent.Reply {
	return &agent.Reply{Assistant: agent.Assistant{Text: text}, Stop: agent.Done, Usage: agent.Usage{Input: 10, Output: 5}}
}

func calls(list ...string) *agent.Reply {
	r := &agent.Reply{Stop: agent.Calls, Usage: agent.Usage{Input: 10, Output: 5}}
	for i := 0; i < len(list); i += 3 {
		r.Calls = append(r.Calls, agent.Call{ID: list[i], Name: list[i+1], Args: list[i+2]})
	}
	return r
}

// bench is a kit whose tools say how they were run.
type bench struct {
	kit           *tool.Kit
	now, most     atomic.Int32 // calls of look running, and at most
	looks, writes atomic.Int32
	mu            sync.Mutex
	order         []string
	meet          chan struct{} // nil: look returns at once; else it waits until two are there
}

type textIn struct {
	Text string `json:"text"`
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{}
	var reg tool.Registry
	err := reg.Add(
		tool.New(tool.Spec{Name: "look", Kind: tool.Read}, func(ctx context.Context, _ *tool.Call, in textIn) (*tool.Result, error) {
			b.looks.Add(1)
			n := b.now.Add(1)
			for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
			}
			defer b.now.Add(-1)
			if b.meet != nil {
				select {
				case b.meet <- struct{}{}:
				case <-b.meet:
				case <-ctx.Done():
				}
			}
			return tool.Textf("saw %s", in.Text), nil
		}),
		tool.New(tool.Spec{Name: "change", Kind: tool.Write}, func(_ context.Context, _ *tool.Call, in textIn) (*tool.Result, error) {
			b.writes.Add(1)
			if n := b.now.Load(); n > 0 {
				return nil, fmt.Errorf("%d others are running", n)
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.order = append(b.order, in.Text)
			return tool.Textf("changed %s", in.Text), nil
		}),
		tool.New(tool.Spec{Name: "fail", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in textIn) (*tool.Result, error) {
			b.looks.Add(1)
			return nil, errors.New("always")
		}),
		tool.New(tool.Spec{Name: "hang", Kind: tool.Read, Serial: true}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	yes := func(context.Context, *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: true}, nil
	}
	b.kit = reg.Kit(tool.KitOptions{Ask: yes})
	return b
}

// answers are the texts of the last results that the model was sent.
func answers(m *scripted) []string {
	var out []string
	last := m.asked[len(m.asked)-1].Messages
	r, _ := last[len(last)-1].(agent.Results)
	for _, a := range r.Answers {
		var parts []string
		for _, p := range a.Parts {
			parts = append(parts, string(p.(dialect.Text)))
		}
		out = append(out, a.ID+": "+strings.Join(parts, "|"))
	}
	return out
}

func TestReadsRunSideBySideAndChangesAlone(t *testing.T) {
	b := newBench(t)
	b.meet = make(chan struct{})
	m := &scripted{replies: []any{
		calls("1", "look", `{"text":"a"}`, "2", "look", `{"text":"b"}`, "3", "change", `{"text":"c"}`, "4", "change", `{"text":"d"}`, "5", "look", `{"text":"e"}`, "6", "look", `{"text":"f"}`),
		says("done"),
	}}
	a := &agent.Agent{Model: m, Kit: b.kit}
	out, err := a.Run(t.Context(), "go")
	if err != nil || out.Stop != agent.Done || out.Text != "done" || out.Turns != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	if b.most.Load() != 2 {
		t.Errorf("%d reads ran side by side, want 2", b.most.Load())
	}
	if diff := cmp.Diff([]string{"1: saw a", "2: saw b", "3: changed c", "4: changed d", "5: saw e", "6: saw f"}, answers(m)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c", "d"}, b.order); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheModelDoesWrongGoesToTheModel(t *testing.T) {
	b := newBench(t)
	m := &scripted{replies: []any{
		calls("1", "lok", `{"text":"a"}`, "2", "look", `{"text":`, "3", "look", `{}`, "4", "look", `{"text":"x`),
		says("sorry"),
	}}
	out, err := (&agent.Agent{Model: m, Kit: b.kit}).Run(t.Context(), "go")
	if err != nil || out.Stop != agent.Done {
		t.Fatalf("%+v, %v", out, err)
	}
	got := answers(m)
	for i, want := range []string{"Error: Tool 'lok' not found.\nDid you mean look?", "Error: Failed to parse tool arguments as JSON.", "text: required, but missing", "Error: Failed to parse tool arguments as JSON."} {
		if !strings.Contains(got[i], want) {
			t.Errorf("answer %d: %q, want %q", i, got[i], want)
		}
	}
	if b.looks.Load() != 0 {
		t.Errorf("%d calls ran", b.looks.Load())
	}
}

func TestTwoCallsWithOneIDAreToldApart(t *testing.T) {
	b := newBench(t)
	m := &scripted{replies: []any{calls("x", "look", `{"text":"a"}`, "x", "look", `{"text":"b"}`, "", "look", `{"text":"c"}`), says("done")}}
	if _, err := (&agent.Agent{Model: m, Kit: b.kit}).Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x: saw a", "x_2: saw b", "call_1: saw c"}, answers(m)); diff != "" {
		t.Error(diff)
	}
	said := m.asked[1].Messages[1].(agent.Assistant)
	for i, want := range []string{"x", "x_2", "call_1"} {
		if said.Calls[i].ID != want {
			t.Errorf("call %d has the id %q, want %q", i, said.Calls[i].ID, want)
		}
	}
}

func TestACallThatWasCutOffIsNotRun(t *testing.T) {
	b := newBench(t)
	cut := calls("1", "look", `{"text":"a"}`, "2", "change", `{"text":"rm"}`)
	cut.Stop = agent.Length
	m := &scripted{replies: []any{cut, says("done")}}
	if _, err := (&agent.Agent{Model: m, Kit: b.kit}).Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if got := answers(m); b.writes.Load() != 0 || !strings.Contains(got[1], "cut off") || got[0] != "1: saw a" {
		t.Errorf("%q, %d writes", got, b.writes.Load())
	}
}

func TestAnAnswerThatBreaksOffIsAskedForAgainAndNothingRunsTwice(t *testing.T) {
	b := newBench(t)
	m := &scripted{replies: []any{
		calls("1", "change", `{"text":"a"}`),
		agent.Broken(io.ErrUnexpectedEOF), &agent.Transient{Err: errors.New("busy"), After: time.Millisecond},
		says("done"),
	}}
	var again int
	a := &agent.Agent{Model: m, Kit: b.kit, Limits: agent.Limits{Backoff: time.Millisecond}, Listen: func(e agent.Event) {
		if _, ok := e.(agent.Again); ok {
			again++
		}
	}}
	out, err := a.Run(t.Context(), "go")
	if err != nil || out.Text != "done" || again != 2 || b.writes.Load() != 1 {
		t.Errorf("%+v, %v, asked again %d times, %d writes", out, err, again, b.writes.Load())
	}
	m = &scripted{replies: []any{agent.Broken(nil), agent.Broken(nil)}}
	_, err = (&agent.Agent{Model: m, Kit: b.kit, Limits: agent.Limits{Backoff: time.Millisecond, Retries: 1}}).Run(t.Context(), "go")
	if !errors.Is(err, agent.ErrBroken) {
		t.Errorf("got %v, want ErrBroken", err)
	}
	m = &scripted{replies: []any{errors.New("wrong key"), says("no")}}
	if _, err = (&agent.Agent{Model: m, Kit: b.kit}).Run(t.Context(), "go"); err == nil || len(m.asked) != 1 {
		t.Errorf("an error that will not go away: %v after %d requests", err, len(m.asked))
	}
}

// A busy server is waited for when a conversation is summed up, too.
func TestACompactionIsAskedForAgain(t *testing.T) {
	long := says("first")
	long.Usage.Input = 1000
	m := &scripted{replies: []any{
		long,
		&agent.Transient{Err: errors.New("busy"), After: time.Millisecond}, says("the sum"),
		says("second"),
	}}
	var again, compacted int
	a := &agent.Agent{Model: m, Kit: newBench(t).kit, Compact: agent.Summarise(1), Listen: func(e agent.Event) {
		switch e.(type) {
		case agent.Again:
			again++
		case agent.Compacted:
			compacted++
		}
	}}
	a.Limits = agent.Limits{CompactAt: 500, Backoff: time.Millisecond}
	for _, prompt := range []string{"one", "two"} {
		if _, err := a.Run(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
	}
	if again != 1 || compacted != 1 {
		t.Errorf("asked again %d times, summed up %d times; want each once", again, compacted)
	}
}

// What a call reports on the way reaches the listener under the call's id.
func TestACallsProgressIsTold(t *testing.T) {
	var reg tool.Registry
	count := func(_ context.Context, c *tool.Call, in textIn) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 2, Message: in.Text})
		return tool.Textf("done"), nil
	}
	if err := reg.Add(tool.New(tool.Spec{Name: "count", Kind: tool.Read}, count)); err != nil {
		t.Fatal(err)
	}
	m := &scripted{replies: []any{calls("7", "count", `{"text":"half"}`), says("over")}}
	var told []agent.Progress
	a := &agent.Agent{Model: m, Kit: reg.Kit(tool.KitOptions{}), Listen: func(e agent.Event) {
		if p, ok := e.(agent.Progress); ok {
			told = append(told, p)
		}
	}}
	if _, err := a.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	want := []agent.Progress{{ID: "7", Progress: tool.Progress{Done: 1, Total: 2, Message: "half"}}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

func TestTheSameFailingCallEndsTheRun(t *testing.T) {
	b := newBench(t)
	m := &scripted{}
	for i := range 50 {
		m.replies = append(m.replies, calls(fmt.Sprint(i), "fail", `{"text":"a"}`))
	}
	out, err := (&agent.Agent{Model: m, Kit: b.kit}).Run(t.Context(), "go")
	if err != nil || out.Stop != agent.Repeated || out.Turns != 3 || b.looks.Load() != 3 {
		t.Errorf("%+v, %v, the call ran %d times", out, err, b.looks.Load())
	}
	if want := `the call fail {"text":"a"} failed 3 times in the same way: `; !strings.HasPrefix(out.Reason, want) {
		t.Errorf("the reason is %q", out.Reason)
	}
	last := m.asked[2].Messages
	if told := fmt.Sprint(last[len(last)-1]); !strings.Contains(told, "failed 2 times in the same way") {
		t.Errorf("before the third time the model is told %s", told)
	}
}

// Calls of one answer are one try, other arguments are another call, and what changed something is a new start.
func TestTryingAgainIsNoLoop(t *testing.T) {
	fails := func(text string) []string { return []string{"", "fail", `{"text":"` + text + `"}`} }
	a, changes := fails("a"), []string{"", "change", `{"text":"x"}`}
	for name, answers := range map[string][][]string{
		"three calls of one answer":  {slices.Concat(a, a, a), a},
		"something changed between":  {a, a, changes, a, a},
		"other arguments each time":  {fails("1"), fails("2"), fails("3"), fails("4")},
		"changed beside the failure": {a, slices.Concat(a, changes), a, a},
	} {
		m := &scripted{}
		for _, one := range answers {
			m.replies = append(m.replies, calls(one...))
		}
		m.replies = append(m.replies, says("done"))
		out, err := (&agent.Agent{Model: m, Kit: newBench(t).kit}).Run(t.Context(), "go")
		if err != nil || out.Stop != agent.Done {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}

// Words that were cut off by their length go on, and are one answer; who never ends is stopped.
func TestAnAnswerThatWasCutOffGoesOn(t *testing.T) {
	cut := func(text string) *agent.Reply {
		r := says(text)
		r.Stop = agent.Length
		return r
	}
	var log bytes.Buffer
	m := &scripted{replies: []any{cut("one, t"), cut("wo, th"), says("ree")}}
	ag := &agent.Agent{Model: m, Kit: newBench(t).kit, Log: &log}
	out, err := ag.Run(t.Context(), "count")
	if err != nil || out.Stop != agent.Done || out.Text != "one, two, three" || out.Turns != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	past, err := agent.Read(&log)
	if err != nil || past.Turns() != 1 {
		t.Errorf("%d prompts, %v", past.Turns(), err)
	}
	if d := cmp.Diff(ag.History, past.Messages); d != "" {
		t.Errorf("what is read again is another conversation, -want +got:\n%s", d)
	}

	m = &scripted{}
	for range 50 {
		m.replies = append(m.replies, cut("x"))
	}
	out, err = (&agent.Agent{Model: m, Kit: newBench(t).kit}).Run(t.Context(), "go")
	if err != nil || out.Stop != agent.Length || out.Turns != 9 || out.Text != strings.Repeat("x", 9) {
		t.Errorf("%+v, %v", out, err)
	}

	m = &scripted{replies: []any{cut("I look"), calls("1", "look", `{"text":"a"}`), says("seen")}}
	out, err = (&agent.Agent{Model: m, Kit: newBench(t).kit}).Run(t.Context(), "go")
	if err != nil || out.Text != "seen" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestLimitsEndARun(t *testing.T) {
	endless := func() *scripted {
		m := &scripted{}
		for i := range 300 {
			m.replies = append(m.replies, calls("1", "look", fmt.Sprintf(`{"text":"%d"}`, i)))
		}
		return m
	}
	for _, c := range []struct {
		limits agent.Limits
		stop   agent.Stop
		turns  int
	}{
		{agent.Limits{}, agent.Turns, 100},
		{agent.Limits{Turns: 3}, agent.Turns, 3},
		{agent.Limits{Tokens: 45}, agent.Tokens, 3},
	} {
		out, err := (&agent.Agent{Model: endless(), Kit: newBench(t).kit, Limits: c.limits}).Run(t.Context(), "go")
		if err != nil || out.Stop != c.stop || out.Turns != c.turns {
			t.Errorf("%+v: %+v, %v", c.limits, out, err)
		}
	}
	m := &scripted{replies: []any{calls("1", "hang", `{}`), says("no")}}
	out, err := (&agent.Agent{Model: m, Kit: newBench(t).kit, Limits: agent.Limits{Time: 20 * time.Millisecond}}).Run(t.Context(), "go")
	if err != nil || out.Stop != agent.Time {
		t.Errorf("time: %+v, %v", out, err)
	}
}

func TestASubAgentAnswersOnceWithItsOwnKit(t *testing.T) {
	b := newBench(t)
	inner := &scripted{replies: []any{calls("1", "look", `{"text":"deep"}`, "2", "change", `{"text":"no"}`), says("found")}}
	var reg tool.Registry
	if err := reg.Add(agent.Sub(agent.SubOptions{Model: inner, Kit: readOnly(t, b)})); err != nil {
		t.Fatal(err)
	}
	m := &scripted{replies: []any{calls("1", "task", `{"description":"search","prompt":"find it"}`), says("done")}}
	if _, err := (&agent.Agent{Model: m, Kit: reg.Kit(tool.KitOptions{})}).Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1: found"}, answers(m)); diff != "" {
		t.Error(diff)
	}
	if got := answers(inner); got[0] != "1: saw deep" || !strings.Contains(got[1], "not allowed here") || b.writes.Load() != 0 {
		t.Errorf("the sub-agent read %q", got)
	}
	if len(inner.asked[0].Tools.Declarations) != 3 {
		t.Errorf("it was offered %d tools, want 3", len(inner.asked[0].Tools.Declarations))
	}
}

func readOnly(t *testing.T, b *bench) *tool.Kit {
	t.Helper()
	var reg tool.Registry
	for _, s := range b.kit.View().Specs() {
		tl, _ := b.kit.View().Get(s.Name)
		if err := reg.Add(tl); err != nil {
			t.Fatal(err)
		}
	}
	return reg.Kit(tool.KitOptions{Policy: agent.Only(open{}, func(s *tool.Spec) bool { return s.ReadOnly })})
}

// open allows everything.
type open struct{}

func (open) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (open) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

func TestAFailedApprovalStopsTheHost(t *testing.T) {
	b := newBench(t)
	gone := errors.New("the terminal is gone")
	var reg tool.Registry
	tl, _ := b.kit.View().Get("change")
	if err := reg.Add(tl); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Ask: func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, gone }})
	m := &scripted{replies: []any{calls("1", "change", `{"text":"a"}`), says("no")}}
	if _, err := (&agent.Agent{Model: m, Kit: kit}).Run(t.Context(), "go"); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
}

// endless calls one cheap tool for ever, to measure the loop itself.
type endless struct{ n int }

func (*endless) Name() string             { return "endless/test" }
func (*endless) Dialect() dialect.Dialect { return dialect.OpenAI }
func (e *endless) Answer(context.Context, *agent.Request, func(agent.Delta)) (*agent.Reply, error) {
	e.n++
	return calls("1", "look", fmt.Sprintf(`{"text":"%d"}`, e.n)), nil
}

// BenchmarkTurn is the loop beside the model: declare, run one call, keep and log.
func BenchmarkTurn(b *testing.B) {
	var reg tool.Registry
	look := tool.New(tool.Spec{Name: "look", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in textIn) (*tool.Result, error) {
		return tool.Textf("saw %s", in.Text), nil
	})
	if err := reg.Add(look); err != nil {
		b.Fatal(err)
	}
	for i := range 199 {
		s := *look.Spec()
		s.Name, s.Origin = fmt.Sprintf("look_%d", i), tool.Origin{}
		t, err := tool.Raw(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := reg.Add(t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	a := &agent.Agent{Model: &endless{}, Kit: reg.Kit(tool.KitOptions{}), Log: io.Discard, Limits: agent.Limits{Turns: 1}}
	for b.Loop() {
		a.History = nil
		if _, err := a.Run(b.Context(), "go"); err != nil {
			b.Fatal(err)
		}
	}
}
