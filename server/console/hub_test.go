package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/tool"
)

// soon is far above what anything here takes.
const soon = time.Minute

// until waits for f to be true.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, soon)
		}
	}
}

type workIn struct {
	What string `json:"what,omitempty"`
}

// A bench is a hub around a kit with the tools free (kind Read), work and preview (kind Write).
type bench struct {
	*Hub
	kit  *tool.Kit
	work func(context.Context, *tool.Call) (*tool.Result, error)
	diff tool.Display
	gone sync.WaitGroup
}

func newBench(t testing.TB, h *Hub, next tool.Asker, grants tool.Grants) *bench {
	t.Helper()
	b := &bench{Hub: h, diff: tool.Diff{Path: "a.go", Unified: "-old\n+new\n"}}
	b.work = func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Textf("done"), nil }
	run := func(c *tool.Call) func(context.Context) (*tool.Result, error) {
		return func(ctx context.Context) (*tool.Result, error) { return b.work(ctx, c) }
	}
	plan := func(_ context.Context, c *tool.Call, in workIn) (*tool.Job, error) {
		return &tool.Job{
			Title:   "work on " + in.What,
			Effects: []tool.Effect{{Kind: tool.Write, Target: in.What}},
			Rule:    "work:*",
			Preview: func(context.Context) (tool.Display, error) { return b.diff, nil },
			Run:     run(c),
		}, nil
	}
	free := func(_ context.Context, c *tool.Call, in workIn) (*tool.Job, error) {
		return &tool.Job{Title: "look at " + in.What, Effects: []tool.Effect{}, Run: run(c)}, nil
	}
	r := &tool.Registry{}
	err := r.Add(tool.Plan(tool.Spec{Name: "free", Kind: tool.Read}, free), tool.Plan(tool.Spec{Name: "work", Kind: tool.Write}, plan))
	if err != nil {
		t.Fatal(err)
	}
	b.kit = r.Kit(tool.KitOptions{
		Around: []func(tool.Caller) tool.Caller{h.Around},
		Watch:  h.Watch,
		Ask:    h.Asker(next),
		Grants: grants,
	})
	t.Cleanup(b.gone.Wait)
	return b
}

func args(what string) json.RawMessage {
	b, err := json.Marshal(workIn{what})
	if err != nil {
		panic(err)
	}
	return b
}

// An ending is what a call came to.
type ending struct {
	res *tool.Result
	err error
}

// start calls a tool in the background.
func (b *bench) start(ctx context.Context, c *tool.Call) <-chan ending {
	out := make(chan ending, 1)
	b.gone.Go(func() {
		res, err := b.kit.Call(ctx, c)
		out <- ending{res, err}
	})
	return out
}

// question is the only one that waits, when it does.
func (b *bench) question(t *testing.T) questionView {
	t.Helper()
	until(t, "a question", func() bool { return len(b.state().Questions) == 1 })
	return b.state().Questions[0]
}

func (b *bench) last() call {
	calls := b.state().Calls
	return calls[len(calls)-1]
}

func end(t *testing.T, c <-chan ending) ending {
	t.Helper()
	select {
	case e := <-c:
		return e
	case <-time.After(soon):
		t.Fatal("the call does not end")
	}
	return ending{}
}

// Every end of a call is what the page says of it.
func TestACallIsShownAsItIs(t *testing.T) {
	bad := errors.New("out of paper")
	for _, c := range []struct {
		name, tool, args string
		work             error
		next             tool.Asker
		want             call
	}{
		{"it runs", "free", `{"what":"a"}`, nil, nil,
			call{Name: "free", Source: "go", Kind: "read", Title: "look at a", State: Done, Verdict: "allow", By: "mode", Out: 4}},
		{"it fails", "free", `{"what":"a"}`, bad, nil,
			call{Name: "free", Source: "go", Kind: "read", Title: "look at a", State: Failed, Verdict: "allow", By: "mode",
				Error: "execution_error", Message: "Tool execution failed: out of paper"}},
		{"its arguments are wrong", "free", `{"what":[[]]}`, nil, nil,
			call{Name: "free", Source: "go", Kind: "read", State: Failed, Error: "validation_error"}},
		{"there is no such tool", "nothing", `{}`, nil, nil,
			call{Name: "nothing", State: Failed, Verdict: "deny", Why: "no tool has this name", Error: "unknown_tool",
				Message: "Error: Tool 'nothing' not found."}},
		{"somebody else says yes", "work", `{"what":"a"}`, nil, answering(tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByPerson, Via: "terminal"}}),
			call{Name: "work", Source: "go", Kind: "write", Title: "work on a", State: Done, Verdict: "ask", By: "person (terminal)", Out: 4}},
		{"somebody else says no", "work", `{"what":"a"}`, nil, answering(tool.Answer{By: tool.Approver{Kind: tool.ByPerson}}),
			call{Name: "work", Source: "go", Kind: "write", Title: "work on a", State: Refused, Verdict: "ask", By: "person", Error: "permission_error"}},
	} {
		b := newBench(t, &Hub{}, c.next, nil)
		b.work = func(context.Context, *tool.Call) (*tool.Result, error) {
			if c.work != nil {
				return nil, c.work
			}
			return tool.Textf("done"), nil
		}
		if _, err := b.kit.Call(t.Context(), &tool.Call{Name: c.tool, Args: json.RawMessage(c.args)}); err != nil {
			t.Fatal(err)
		}
		got := b.last()
		if got.N != 1 || got.In != len(c.args) || got.Time.IsZero() || got.Rev == 0 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.want.Message == "" {
			got.Message = ""
		}
		if c.want.Why == "" {
			got.Why = ""
		}
		if c.want.Error == "validation_error" || c.want.Error == "unknown_tool" || c.want.State == Failed {
			got.Out = 0
		}
		if c.want.State == Refused {
			got.Out = 0
		}
		got.N, got.Rev, got.In, got.Took, got.Waited, got.Time, got.Effects = 0, 0, 0, 0, 0, time.Time{}, nil
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", c.name, got, c.want)
		}
	}
}

func answering(a tool.Answer) tool.Asker {
	return func(context.Context, *tool.Question) (tool.Answer, error) { return a, nil }
}

func TestTheStateChangesWhileACallGoesOn(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	began, goOn := make(chan bool), make(chan bool)
	b.work = func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 2, Message: "half"})
		began <- true
		<-goOn
		return tool.Textf("done"), nil
	}
	done := b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")})
	q := b.question(t)
	if got := b.last(); got.State != Asking || q.Call != got.N {
		t.Errorf("%+v, question %+v", got, q)
	}
	if err := b.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); err != nil {
		t.Fatal(err)
	}
	<-began
	if got := b.last(); got.State != Running || got.By != "console (page)" {
		t.Errorf("%+v", got)
	}
	close(goOn)
	if e := end(t, done); e.err != nil || e.res.Text() != "done" || e.res.Approver.Kind != tool.ByConsole {
		t.Errorf("%+v", e)
	}
	if got := b.last(); got.State != Done || got.Waited <= 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnAnswerIsWhatTheCallHears(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  reply
		wrong  error  // of the answer
		text   string // of the result
		called string // what was to be remembered
	}{
		{"yes", reply{Yes: true}, nil, "done", ""},
		{"yes with words", reply{Yes: true, Note: "quick"}, nil, "done\nquick", ""},
		{"no with words", reply{Note: "use b"}, nil, "Error: work: declined.\nThe person says: use b", ""},
		{"for the session", reply{Yes: true, For: "session"}, nil, "done", "1 work:*"},
		{"for always", reply{Yes: true, For: "always", Rule: 1}, nil, "done", "2 tool:*"},
		{"another digest", reply{Digest: "x", Yes: true}, ErrChanged, "", ""},
		{"a rule that was not offered", reply{Yes: true, For: "always", Rule: 2}, errAny, "", ""},
		{"a rule below all", reply{Yes: true, For: "always", Rule: -1}, errAny, "", ""},
		{"for as long as nobody knows", reply{Yes: true, For: "ever"}, errAny, "", ""},
		{"another question", reply{ID: "x", Yes: true}, ErrGone, "", ""},
	} {
		h := &Hub{Offers: func(*tool.Job) []string { return []string{"work:*", "tool:*"} }}
		g := &noted{}
		b := newBench(t, h, nil, g)
		ctx, stop := context.WithCancel(t.Context())
		done := b.start(ctx, &tool.Call{Name: "work", Args: args("a"), Session: &tool.Session{ID: "s"}})
		q := b.question(t)
		r := c.reply
		if r.ID == "" {
			r.ID = q.ID
		}
		if r.Digest == "" {
			r.Digest = q.Digest
		}
		err := b.answer(r)
		if c.wrong != nil {
			if err == nil || c.wrong != errAny && !errors.Is(err, c.wrong) {
				t.Errorf("%s: %v, want %v", c.name, err, c.wrong)
			}
			if len(b.state().Questions) != 1 {
				t.Errorf("%s: the question is gone", c.name)
			}
			stop()
			if e := end(t, done); !errors.Is(e.err, context.Canceled) {
				t.Errorf("%s: %+v", c.name, e)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(b.state().Questions) != 0 { // before its call goes on
			t.Errorf("%s: the question is still there", c.name)
		}
		if again := b.answer(r); !errors.Is(again, ErrGone) {
			t.Errorf("%s: a second answer: %v", c.name, again)
		}
		e := end(t, done)
		if e.err != nil || e.res.Text() != c.text || g.what != c.called {
			t.Errorf("%s: %q %v, remembered %q; want %q, %q", c.name, e.res.Text(), e.err, g.what, c.text, c.called)
		}
		stop()
	}
}

var errAny = errors.New("any")

// noted are grants that note what they were to remember.
type noted struct{ what string }

func (*noted) Granted(*tool.Job) (string, bool) { return "", false }
func (n *noted) Remember(_ *tool.Job, a tool.Answer) error {
	n.what = fmt.Sprint(int(a.For), " ", a.Rule)
	return nil
}

// Who answers sees which client asks, by its name, with nothing hidden in that.
func TestAQuestionSaysWhoAsks(t *testing.T) {
	for name, want := range map[string]string{"claude-code": "claude-code", "": "", "a\u202eb\n": "a\\u202eb\\n"} {
		b := newBench(t, &Hub{}, nil, nil)
		done := b.start(t.Context(), &tool.Call{Name: "work", Args: args("a"), Session: &tool.Session{ID: "s", Client: name}})
		q := b.question(t)
		if q.Client != want || q.Session != "s" {
			t.Errorf("asked by %q in %q, want %q", q.Client, q.Session, want)
		}
		if err := b.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); err != nil {
			t.Error(err)
		}
		end(t, done)
	}
}

func TestWhatIsNotShownIsNotApproved(t *testing.T) {
	b := newBench(t, &Hub{Offers: func(*tool.Job) []string { return []string{"work:*"} }}, nil, nil)
	long := "+" + strings.Repeat("x", maxShown) + "\n+the end\n"
	b.diff = tool.Diff{Unified: long}
	done := b.start(t.Context(), &tool.Call{Name: "work", Args: args("a"), Session: &tool.Session{ID: "s"}})
	q := b.question(t)
	if q.Cut != len(long)-maxShown || q.ForSession || q.Always != nil || strings.Contains(q.Preview, "the end") {
		t.Errorf("cut %d, session %v, always %q", q.Cut, q.ForSession, q.Always)
	}
	yes := reply{ID: q.ID, Digest: q.Digest, Yes: true}
	if err := b.answer(yes); !errors.Is(err, ErrUnseen) {
		t.Errorf("a yes to half of it: %v", err)
	}
	for _, span := range []string{"session", "always"} {
		if err := b.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true, For: span}); err == nil {
			t.Errorf("a yes for %s", span)
		}
	}
	whole, err := b.showAll(q.ID)
	if err != nil || whole.Preview != long {
		t.Errorf("%d bytes, %v", len(whole.Preview), err)
	}
	if err := b.answer(yes); err != nil {
		t.Error(err)
	}
	end(t, done)

	b.diff = tool.Diff{Unified: strings.Repeat("+x\n", maxWhole/3)}
	ctx, stop := context.WithCancel(t.Context())
	done = b.start(ctx, &tool.Call{Name: "work", Args: args("b")})
	q = b.question(t)
	if _, err := b.showAll(q.ID); err == nil || !q.TooLong {
		t.Errorf("it is shown: %v", err)
	}
	if err := b.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); !errors.Is(err, ErrUnseen) {
		t.Errorf("a yes: %v", err)
	}
	if err := b.answer(reply{ID: q.ID, Digest: q.Digest}); err != nil {
		t.Errorf("a no: %v", err)
	}
	end(t, done)
	stop()
}

func TestWhoIsAsked(t *testing.T) {
	elsewhere := answering(tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByPerson, Via: "elicitation"}})
	t.Run("the client, where no page is open", func(t *testing.T) {
		b := newBench(t, &Hub{}, elsewhere, nil)
		e := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")}))
		if e.res.Approver.Via != "elicitation" {
			t.Errorf("%+v", e.res.Approver)
		}
	})
	t.Run("the page, where one is open", func(t *testing.T) {
		b := newBench(t, &Hub{}, elsewhere, nil)
		p, err := b.open(0)
		if err != nil {
			t.Fatal(err)
		}
		defer b.leave(p)
		done := b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")})
		q := b.question(t)
		if err := b.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); err != nil {
			t.Fatal(err)
		}
		if e := end(t, done); e.res.Approver.Kind != tool.ByConsole {
			t.Errorf("%+v", e.res.Approver)
		}
	})
	t.Run("the client, where the page does not answer", func(t *testing.T) {
		b := newBench(t, &Hub{Wait: time.Millisecond}, elsewhere, nil)
		p, err := b.open(0)
		if err != nil {
			t.Fatal(err)
		}
		defer b.leave(p)
		e := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")}))
		if e.res.Approver.Via != "elicitation" || len(b.state().Questions) != 0 {
			t.Errorf("%+v", e.res.Approver)
		}
	})
	t.Run("no client that would say yes by itself, where the page does not answer", func(t *testing.T) {
		b := newBench(t, &Hub{Wait: time.Millisecond}, answering(tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByClient}}), nil)
		p, err := b.open(0)
		if err != nil {
			t.Fatal(err)
		}
		defer b.leave(p)
		e := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")}))
		if e.res.Err == nil || !strings.Contains(e.res.Text(), "nobody answered at the console") {
			t.Errorf("%q %+v", e.res.Text(), e.res.Approver)
		}
	})
	t.Run("the client alone, in its second round", func(t *testing.T) {
		b := newBench(t, &Hub{}, answeringInRounds, nil)
		s := &tool.Session{ID: "s"}
		first := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a"), Session: s}))
		if first.res.Need == nil || b.last().State != WithClient {
			t.Fatalf("%+v, %+v", first.res, b.last())
		}
		p, err := b.open(0)
		if err != nil {
			t.Fatal(err)
		}
		defer b.leave(p)
		resume := &tool.Resume{State: first.res.Need.State, Answers: json.RawMessage(`{}`)}
		e := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a"), Session: s, Resume: resume}))
		if e.res.Err != nil || b.last().State != Done || len(b.state().Calls) != 1 {
			t.Errorf("%+v, %+v", e.res, b.state().Calls)
		}
	})
	t.Run("nobody", func(t *testing.T) {
		b := newBench(t, &Hub{Wait: time.Millisecond}, nil, nil)
		e := end(t, b.start(t.Context(), &tool.Call{Name: "work", Args: args("a")}))
		if e.res.Err == nil || !strings.Contains(e.res.Text(), "nobody was asked") || e.res.Approver.Kind != "" {
			t.Errorf("%q %+v", e.res.Text(), e.res.Approver)
		}
	})
}

func answeringInRounds(_ context.Context, q *tool.Question) (tool.Answer, error) {
	if q.Job.Call.Resume == nil {
		return tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{}`)}}, nil
	}
	return tool.Answer{Yes: true}, nil
}

func TestACallCanBeCancelled(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	b.work = func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	done := b.start(t.Context(), &tool.Call{Name: "free"})
	until(t, "it runs", func() bool { return b.Stop(1) })
	e := end(t, done)
	if e.err != nil || e.res.Err == nil || e.res.Err.Code != tool.Cancelled || !strings.Contains(e.res.Text(), "at the console") {
		t.Errorf("%+v", e)
	}
	if got := b.last(); got.State != Stopped || b.Stop(1) || b.Stop(2) {
		t.Errorf("%+v", got)
	}
}

// A page that hears of changes knows in the end what the hub knows, or is told that it does not.
func TestAPageKnowsWhatTheHubKnows(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	state := b.state()
	p, err := b.open(state.Rev)
	if err != nil {
		t.Fatal(err)
	}
	defer b.leave(p)
	known, lost := map[uint64]call{}, 0
	hear := func() {
		n := b.news(p)
		if n.Behind {
			for _, c := range b.state().Calls {
				known[c.N] = c
			}
		}
		for _, c := range n.Calls {
			known[c.N] = c
		}
		lost += n.Lost
	}
	const rounds, each = 8, 200
	for range rounds {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range each / 4 {
					if _, err := b.kit.Call(t.Context(), &tool.Call{Name: "free", Args: args("a")}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		hear()
	}
	if len(known) != rounds*each || lost != 0 {
		t.Errorf("%d calls known, %d lost, want %d and none", len(known), lost, rounds*each)
	}
	for _, c := range known {
		if c.State != Done {
			t.Errorf("call %d: %s", c.N, c.State)
		}
	}
	// More than are kept between two messages.
	for range maxCalls + 10 {
		if _, err := b.kit.Call(t.Context(), &tool.Call{Name: "free"}); err != nil {
			t.Fatal(err)
		}
	}
	hear()
	if lost != 10 || len(known) != rounds*each+maxCalls {
		t.Errorf("%d lost, %d known", lost, len(known))
	}
	if n := len(b.state().Calls); n != maxCalls {
		t.Errorf("%d are kept", n)
	}
}

func TestOnlySoManyPagesAndQuestions(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	var pages []*page
	for range maxPages {
		p, err := b.open(0)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	if _, err := b.open(0); !errors.Is(err, ErrTooManyPages) {
		t.Errorf("one more: %v", err)
	}
	for _, p := range pages {
		b.leave(p)
	}
	ctx, stop := context.WithCancel(t.Context())
	var waiting []<-chan ending
	for range maxQuestions {
		waiting = append(waiting, b.start(ctx, &tool.Call{Name: "work"}))
	}
	until(t, "all wait", func() bool { return len(b.state().Questions) == maxQuestions })
	e := end(t, b.start(ctx, &tool.Call{Name: "work"}))
	if e.res.Err == nil || !strings.Contains(e.res.Text(), "wait at the console already") {
		t.Errorf("%q", e.res.Text())
	}
	stop()
	for _, w := range waiting {
		if e := end(t, w); !errors.Is(e.err, context.Canceled) {
			t.Fatalf("%+v", e)
		}
	}
	if n := len(b.state().Questions); n != 0 {
		t.Errorf("%d questions are left", n)
	}
}

// What is kept is bounded, and is no part of something larger.
func TestWhatIsKeptIsBounded(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	long := strings.Repeat("é\x00<b>", 100<<10)
	b.work = func(context.Context, *tool.Call) (*tool.Result, error) {
		return tool.NewResult(tool.Text(long), tool.Image{Data: []byte(long)}), nil
	}
	if _, err := b.kit.Call(t.Context(), &tool.Call{Name: "free", Args: args(long)}); err != nil {
		t.Fatal(err)
	}
	d, ok := b.detail(1)
	if !ok || len(d.Args) > maxText+3 || len(d.Result) > maxText+3 || len(d.Title) > maxTitle+3 || d.Out < 2*len(long) {
		t.Errorf("%v: %d, %d, %d bytes, out %d", ok, len(d.Args), len(d.Result), len(d.Title), d.Out)
	}
	if !slices.ContainsFunc(b.state().Calls, func(c call) bool { return strings.HasSuffix(c.Title, "…") }) {
		t.Error("nothing says that the title was cut")
	}
	b.NoArgs = true
	if _, err := b.kit.Call(t.Context(), &tool.Call{Name: "free", Args: args("secret")}); err != nil {
		t.Fatal(err)
	}
	if d, _ := b.detail(2); d.Args != "" || d.Result != "" || d.Kept {
		t.Errorf("%+v", d)
	}
}

func BenchmarkCall(b *testing.B) {
	plain := newBench(b, &Hub{}, nil, nil)
	spec := []byte(`{"what":"internal/config/load.go"}`)
	run := func(b *testing.B, k *tool.Kit) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := k.Call(b.Context(), &tool.Call{Name: "free", Args: spec}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("without", func(b *testing.B) {
		r := &tool.Registry{}
		free := func(context.Context, *tool.Call, workIn) (*tool.Job, error) {
			return &tool.Job{Title: "look", Effects: []tool.Effect{}, Run: func(context.Context) (*tool.Result, error) {
				return tool.Textf("done"), nil
			}}, nil
		}
		if err := r.Add(tool.Plan(tool.Spec{Name: "free", Kind: tool.Read}, free)); err != nil {
			b.Fatal(err)
		}
		around := func(next tool.Caller) tool.Caller { return next }
		run(b, r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{around}}))
	})
	b.Run("nobody watches", func(b *testing.B) { run(b, plain.kit) })
	for _, pages := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d pages are open", pages), func(b *testing.B) {
			stop := make(chan bool)
			var wg sync.WaitGroup
			for range pages {
				p, err := plain.open(0)
				if err != nil {
					b.Fatal(err)
				}
				defer plain.leave(p)
				wg.Go(func() { follow(b, plain.Hub, p, stop) })
			}
			run(b, plain.kit)
			close(stop)
			wg.Wait()
		})
	}
}

// follow is what the handler does for an open page.
func follow(b *testing.B, h *Hub, p *page, stop chan bool) {
	for {
		select {
		case <-stop:
			return
		case <-p.news:
			encoded, err := json.Marshal(h.news(p))
			if err != nil || len(encoded) == 0 {
				b.Error(err)
			}
			time.Sleep(pageEvery)
		}
	}
}

// mostHub bounds a hub that is full of the longest calls, in bytes.
const mostHub = 8 << 20

func TestAFullHubIsSmall(t *testing.T) {
	b := newBench(t, &Hub{}, nil, nil)
	b.work = func(context.Context, *tool.Call) (*tool.Result, error) {
		return tool.NewResult(tool.Text(strings.Repeat("x", 1<<20))), nil
	}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for range maxCalls {
		if _, err := b.kit.Call(t.Context(), &tool.Call{Name: "free", Args: args(strings.Repeat("y", 64<<10))}); err != nil {
			t.Fatal(err)
		}
	}
	grown := int64(held()) - int64(before)
	t.Logf("%.1f MiB", float64(grown)/(1<<20))
	if grown > mostHub {
		t.Errorf("%d bytes, at most %d", grown, mostHub)
	}
	runtime.KeepAlive(b)
}

// A question of another program is one of those that wait: a yes holds once, and what is not shown gets none.
func TestAQuestionOfAnotherProgramIsAnsweredAtThePage(t *testing.T) {
	h := &Hub{}
	ask := func(ctx context.Context, o Outside) chan string {
		out := make(chan string, 1)
		go func() {
			yes, err := h.Outside(ctx, o)
			out <- fmt.Sprint(yes, err)
		}()
		return out
	}
	waits := func(n int) []questionView {
		until(t, "questions", func() bool { return len(h.state().Questions) == n })
		return h.state().Questions
	}
	first := Outside{Client: "codex", Tool: "Bash", Title: "Bash cat .env\nx", Why: "a secret", Where: "in /w", Text: "in /w\n$ cat .env"}
	said := ask(t.Context(), first)
	q := waits(1)[0]
	if !q.Outside || q.Kind != "exec" || q.Source != "codex" || strings.Contains(q.Title, "\n") || q.Preview != first.Text || q.ForSession || q.Always != nil {
		t.Errorf("%+v", q)
	}
	if err := h.answer(reply{ID: q.ID, Digest: "other", Yes: true}); !errors.Is(err, ErrChanged) {
		t.Errorf("about something else: %v", err)
	}
	for _, span := range []string{"session", "always"} {
		if err := h.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true, For: span}); err == nil {
			t.Errorf("it was approved for %s", span)
		}
	}
	if err := h.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); err != nil {
		t.Fatal(err)
	}
	if got := <-said; got != "true <nil>" {
		t.Errorf("the answer is %s", got)
	}
	first.Text = "" // too long
	said = ask(t.Context(), first)
	q = waits(1)[0]
	if err := h.answer(reply{ID: q.ID, Digest: q.Digest, Yes: true}); !errors.Is(err, ErrUnseen) {
		t.Errorf("a yes to what is not shown: %v", err)
	}
	if err := h.answer(reply{ID: q.ID, Digest: q.Digest}); err != nil {
		t.Fatal(err)
	}
	if got := <-said; got != "false <nil>" {
		t.Errorf("the answer is %s", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	said = ask(ctx, first)
	waits(1)
	stop() // it was answered elsewhere
	if got := <-said; got != "false context canceled" {
		t.Errorf("the answer is %s", got)
	}
	waits(0)
}
