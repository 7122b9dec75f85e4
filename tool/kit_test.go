package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"helve/policy"
	"helve/tool"
)

type echoIn struct {
	Text string `json:"text" jsonschema:"description=What to say"`
}

func (in echoIn) String() string { return "echo " + in.Text }

var _ tool.Stringer = echoIn{}

func echo(name string) tool.Tool {
	return tool.New(tool.Spec{Name: name, Kind: tool.Read, Doc: tool.Doc{Short: "Says it again."}},
		func(_ context.Context, _ *tool.Call, in echoIn) (*tool.Result, error) {
			return tool.NewResult(tool.Text(in.Text)).WithSummary("said"), nil
		})
}

// with is a tool of any kind that runs f.
func with(s tool.Spec, f func(context.Context) (*tool.Result, error)) tool.Tool {
	return tool.New(s, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) { return f(ctx) })
}

func done(context.Context) (*tool.Result, error) { return tool.Textf("done"), nil }

func registry(t testing.TB, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	r := &tool.Registry{}
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

func call(t testing.TB, k *tool.Kit, name, args string) *tool.Result {
	t.Helper()
	res, err := k.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return res
}

func wantCode(t testing.TB, res *tool.Result, code tool.Code) {
	t.Helper()
	if res.Err == nil || res.Err.Code != code {
		t.Errorf("error = %v, want %s", res.Err, code)
	}
}

// rules is a policy of two functions.
type rules struct {
	lists func(*tool.Spec) tool.Verdict
	judge func(*tool.Job) tool.Verdict
}

func (r rules) Lists(s *tool.Spec) tool.Verdict {
	if r.lists == nil {
		return allow(s)
	}
	return r.lists(s)
}

func (r rules) Judge(j *tool.Job) tool.Verdict {
	if r.judge == nil {
		return allow(j)
	}
	return r.judge(j)
}

func allow[T any](T) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func ask[T any](T) tool.Verdict   { return tool.Verdict{Decision: tool.Ask, Reason: "asked about"} }

// R2.3: invoke is validate, parse, execute.
func TestACallGoesThroughTheDoor(t *testing.T) {
	k := registry(t, echo("echo")).Kit(tool.KitOptions{})
	res := call(t, k, "echo", `{"text":"hello"}`)
	if res.Err != nil || res.Text() != "hello" || res.Show() != "said" {
		t.Errorf("result = %q, %q, %v", res.Text(), res.Show(), res.Err)
	}
	if res.Job == nil || res.Job.Title != "echo hello" || res.Verdict.Decision != tool.Allow {
		t.Errorf("job %+v, verdict %+v: those around the call do not see what was decided", res.Job, res.Verdict)
	}
}

func TestZeroOptionsGiveReadOnlyToolsAndNobodyToAsk(t *testing.T) {
	k := registry(t, echo("echo"), with(tool.Spec{Name: "wipe", Kind: tool.Write}, done)).Kit(tool.KitOptions{})
	if got := names(k.View()); !slices.Equal(got, []string{"echo"}) {
		t.Errorf("offered %q, want echo alone", got)
	}
	res := call(t, k, "wipe", `{}`)
	wantCode(t, res, tool.UnknownTool)
	if want := "Error: tool 'wipe' is disabled."; !strings.HasPrefix(res.Text(), want) {
		t.Errorf("the model reads %q, want %q", res.Text(), want)
	}
	k = k2(t, tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}}, with(tool.Spec{Name: "wipe", Kind: tool.Write}, done))
	wantCode(t, call(t, k, "wipe", `{}`), tool.Permission)
}

func k2(t testing.TB, o tool.KitOptions, tools ...tool.Tool) *tool.Kit {
	return registry(t, tools...).Kit(o)
}

func names(v *tool.View) []string {
	var out []string
	for _, s := range v.Specs() {
		out = append(out, v.Name(s))
	}
	return out
}

// A category is a word for lists: it opens nothing and hides nothing.
func TestACategoryGivesNoRights(t *testing.T) {
	task := with(tool.Spec{Name: "task", Kind: tool.Net, Category: "task"}, done)
	for name, p := range map[string]tool.Policy{"none": nil, "ask": policy.AskFirst, "plan": policy.Plan, "auto": policy.Auto} {
		wantCode(t, call(t, k2(t, tool.KitOptions{Policy: p, Grants: forgetful{}}, task), "task", `{}`), tool.Permission)
		if p == policy.Plan {
			continue
		}
		if got := names(k2(t, tool.KitOptions{Policy: p, Ask: yes}, task).View()); !slices.Equal(got, []string{"task"}) {
			t.Errorf("policy %s: offered %q", name, got)
		}
	}
}

// forgetful are grants that remember nothing.
type forgetful struct{}

func (forgetful) Granted(*tool.Job) (string, bool)      { return "", false }
func (forgetful) Remember(*tool.Job, tool.Answer) error { return nil }

// What a tool merely remembers is nobody's business but its own, if it says so as an effect. Of another's tool that is only its word.
func TestStateOfAToolIsAnEffectOfItsOwn(t *testing.T) {
	keeps := func(s tool.Spec, effects ...tool.Effect) tool.Tool {
		return tool.Plan(s, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			return &tool.Job{Effects: effects, Run: done}, nil
		})
	}
	notes := tool.Effect{Kind: tool.State, Target: "notes"}
	own := tool.Spec{Name: "note", Kind: tool.Write}
	other := tool.Spec{Name: "note", Kind: tool.Write, Origin: tool.Origin{Kind: tool.MCP, Server: "s", Name: "note"}}
	for name, p := range map[string]tool.Policy{"none": nil, "ask": policy.AskFirst, "auto": policy.Auto} {
		kit := func(x tool.Tool) *tool.Kit { return k2(t, tool.KitOptions{Policy: p, Grants: forgetful{}}, x) }
		if res := call(t, kit(keeps(own, notes)), "note", `{}`); res.Err != nil {
			t.Errorf("policy %s: %v", name, res.Err)
		}
		wantCode(t, call(t, kit(keeps(own, notes, tool.Effect{Kind: tool.Net, Target: "example.com"})), "note", `{}`), tool.Permission)
		wantCode(t, call(t, kit(keeps(own, tool.Effect{Kind: tool.State, Target: tool.AnyTarget}, tool.Effect{Kind: tool.Write, Target: tool.AnyTarget})), "note", `{}`), tool.Permission)
		wantCode(t, call(t, kit(keeps(other, notes)), "note", `{}`), tool.Permission)
	}
	if _, err := tool.Raw(tool.Spec{Name: "note", Kind: tool.State}, nil); err == nil {
		t.Error("a tool is of kind state")
	}
	if k, err := tool.ParseKind("state"); err == nil {
		t.Errorf("state is a kind of tools: %v", k)
	}
	b, err := json.Marshal(notes)
	var back tool.Effect
	if err != nil || string(b) != `{"kind":"state","target":"notes"}` || json.Unmarshal(b, &back) != nil || back != notes {
		t.Errorf("%s, %v, back %+v", b, err, back)
	}
}

func TestAPanicAnywhereBecomesAResult(t *testing.T) {
	boom := func() { panic("boom") }
	for name, c := range map[string]struct {
		tool tool.Tool
		o    tool.KitOptions
	}{
		"run": {with(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context) (*tool.Result, error) { boom(); return nil, nil }), tool.KitOptions{}},
		"prepare": {tool.Plan(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			boom()
			return nil, nil
		}), tool.KitOptions{}},
		"preview": {tool.Plan(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			return &tool.Job{Run: done, Preview: func(context.Context) (tool.Display, error) { boom(); return nil, nil }}, nil
		}), tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}, Ask: yes}},
		"judge": {echoless("x"), tool.KitOptions{Policy: rules{judge: func(*tool.Job) tool.Verdict { boom(); return tool.Verdict{} }}}},
		"asker": {echoless("x"), tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}, Ask: func(context.Context, *tool.Question) (tool.Answer, error) {
			boom()
			return tool.Answer{}, nil
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen *tool.Result
			c.o.Around = append(c.o.Around, func(next tool.Caller) tool.Caller {
				return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
					res, err := next(ctx, c)
					seen = res
					return res, err
				}
			})
			res := call(t, k2(t, c.o, c.tool), "x", `{}`)
			wantCode(t, res, tool.Unknown)
			if !strings.Contains(res.Text(), "boom") || seen != res {
				t.Errorf("the model reads %q; around it was seen %v", res.Text(), seen)
			}
		})
	}
}

func echoless(name string) tool.Tool { return with(tool.Spec{Name: name, Kind: tool.Read}, done) }

func yes(context.Context, *tool.Question) (tool.Answer, error) {
	return tool.Answer{Yes: true}, nil
}

func TestAPolicyThatPanicsListsNothing(t *testing.T) {
	k := k2(t, tool.KitOptions{Policy: rules{lists: func(*tool.Spec) tool.Verdict { panic("boom") }}}, echo("echo"))
	if k.View().Len() != 0 {
		t.Error("a tool is offered although its policy cannot say so")
	}
}

// R4.14, R3.13: the words of the seeds.
func TestUnknownAndSwitchedOffToolsSaySo(t *testing.T) {
	off := rules{lists: func(s *tool.Spec) tool.Verdict {
		if s.Name == "grep" {
			return tool.Verdict{Off: true, Reason: "tools.grep is false", Rule: "grep", Layer: "project"}
		}
		return allow(s)
	}}
	k := k2(t, tool.KitOptions{Policy: off}, echo("grep"), echo("read"), echo("search_files"))
	for in, want := range map[string]string{
		"nope":        "Error: Tool 'nope' not found.\nAvailable: read, search_files.",
		"search_fils": "Error: Tool 'search_fils' not found.\nDid you mean search_files?",
		"grep":        "Error: tool 'grep' is disabled.\ntools.grep is false (rule grep, project layer)",
		"GREP":        "Error: tool 'grep' is disabled.\ntools.grep is false (rule grep, project layer)",
		"":            "Error: Tool '' not found.\nAvailable: read, search_files.",
		"a\x1b[31mb":  "Error: Tool 'a?[31mb' not found.\nAvailable: read, search_files.",
	} {
		res := call(t, k, in, `{}`)
		wantCode(t, res, tool.UnknownTool)
		if res.Text() != want {
			t.Errorf("%q: the model reads %q, want %q", in, res.Text(), want)
		}
	}
	if res := call(t, k, strings.Repeat("读", 500), `{}`); len(res.Text()) > 500 {
		t.Errorf("a long name is repeated in full: %d bytes", len(res.Text()))
	}
}

func TestEverySpellingFindsItsTool(t *testing.T) {
	builtin := tool.New(tool.Spec{Name: "read", Aliases: []string{"read_file"}, Kind: tool.Read, Origin: tool.Origin{Kind: tool.Builtin, Name: "read"}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			return tool.Textf("builtin"), nil
		})
	remote := with(tool.Spec{Name: "list_dir", Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: "fs", Name: "list_dir"}}, done)
	other := with(tool.Spec{Name: "list_dir", Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: "ftp", Name: "list_dir"}}, done)
	k := k2(t, tool.KitOptions{Policy: rules{}}, builtin, remote, other)
	for spelling, want := range map[string]string{
		"read": "read", "Read": "read", "read_file": "read", "ReadFile": "read", "functions.read": "read", "default_api:read": "read",
		"mcp__fs__list_dir": "mcp__fs__list_dir", "mcp__fs/list_dir": "mcp__fs__list_dir", "fs__list_dir": "mcp__fs__list_dir", "fs.list_dir": "mcp__fs__list_dir",
		"mcp_fs_list_dir": "mcp__fs__list_dir", "fs/list_dir": "mcp__fs__list_dir", "FS.List_Dir": "mcp__fs__list_dir", "ftp.list_dir": "mcp__ftp__list_dir",
	} {
		res := call(t, k, spelling, `{}`)
		if res.Err != nil || res.Job.Call.Name != want {
			t.Errorf("%s: %v, want %s", spelling, res.Err, want)
		}
	}
	res := call(t, k, "list_dir", `{}`)
	if want := "Error: Tool 'list_dir' is ambiguous.\nSay which one: mcp__fs__list_dir, mcp__ftp__list_dir."; res.Text() != want {
		t.Errorf("the model reads %q, want %q", res.Text(), want)
	}
}

// A tool that is switched off must not be answered for by another that looks like it.
func TestASwitchedOffToolIsNotReplacedByALookalike(t *testing.T) {
	off := rules{lists: func(s *tool.Spec) tool.Verdict {
		return tool.Verdict{Decision: map[bool]tool.Decision{true: tool.Allow}[s.Origin.Kind == tool.MCP], Off: true}
	}}
	k := k2(t, tool.KitOptions{Policy: off, Names: tool.PlainNames}, echoless("read"),
		with(tool.Spec{Name: "read", Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: "evil", Name: "read"}}, done))
	wantCode(t, call(t, k, "read", `{}`), tool.UnknownTool)
	if got := names(k.View()); !slices.Equal(got, []string{"evil__read"}) {
		t.Errorf("offered %q", got)
	}
}

func TestNothingIsReadBeforeThePolicyHasJudged(t *testing.T) {
	var read atomic.Bool
	secret := tool.Plan(tool.Spec{Name: "peek", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
		look := func(context.Context) (*tool.Result, error) { read.Store(true); return tool.Textf("s3cret"), nil }
		return &tool.Job{Effects: []tool.Effect{{Kind: tool.Read, Target: ".env"}}, Run: look,
			Preview: func(ctx context.Context) (tool.Display, error) { look(ctx); return tool.Summary("s3cret"), nil }}, nil
	})
	deny := rules{judge: func(j *tool.Job) tool.Verdict {
		return tool.Verdict{Reason: "secrets stay secret", Rule: "deny read:**/.env", Layer: "user"}
	}}
	res := call(t, k2(t, tool.KitOptions{Policy: deny, Ask: yes}, secret), "peek", `{}`)
	wantCode(t, res, tool.Permission)
	if read.Load() || !strings.Contains(res.Text(), "rule deny read:**/.env, user layer") {
		t.Errorf("read %v; the model reads %q", read.Load(), res.Text())
	}
}

// A tool cannot pass its job off as another's.
func TestAJobCannotClaimAnotherSpec(t *testing.T) {
	k := k2(t, tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}}, liar{})
	wantCode(t, call(t, k, "liar", `{}`), tool.Permission)
}

type liar struct{}

func (liar) Spec() *tool.Spec {
	return &tool.Spec{Name: "liar", Kind: tool.Exec, Origin: tool.Origin{Kind: tool.Go, Name: "liar"}}
}

func (liar) Prepare(_ context.Context, c *tool.Call) (*tool.Job, error) {
	return &tool.Job{Spec: &tool.Spec{Name: "read", Kind: tool.Read}, Call: c, Run: done}, nil
}

// R4.15: permission and confirmation are stages of one pipeline.
func TestAskRunsOnlyAfterAYes(t *testing.T) {
	var asked []string
	answer := tool.Answer{}
	k := k2(t, tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		asked = append(asked, q.Job.Title+": "+q.Preview.String())
		return answer, nil
	}}, tool.Plan(tool.Spec{Name: "wipe", Kind: tool.Write}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
		return &tool.Job{Title: "wipe it", Run: done, Preview: func(context.Context) (tool.Display, error) { return tool.Summary("all of it"), nil }}, nil
	}))
	res := call(t, k, "wipe", `{}`)
	wantCode(t, res, tool.Permission)
	if !strings.Contains(res.Text(), "Do not retry") {
		t.Errorf("the model reads %q", res.Text())
	}
	answer = tool.Answer{Note: "not on a Friday"}
	if res = call(t, k, "wipe", `{}`); !strings.Contains(res.Text(), "not on a Friday") {
		t.Errorf("the model reads %q", res.Text())
	}
	answer = tool.Answer{Yes: true}
	if res = call(t, k, "wipe", `{}`); res.Err != nil {
		t.Error(res.Err)
	}
	if want := []string{"wipe it: all of it", "wipe it: all of it", "wipe it: all of it"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

func TestAFailedAskStopsTheHost(t *testing.T) {
	gone := errors.New("terminal gone")
	k := k2(t, tool.KitOptions{Ask: func(context.Context, *tool.Question) (tool.Answer, error) {
		return tool.Answer{}, gone
	}}, with(tool.Spec{Name: "wipe", Kind: tool.Write}, done))
	if _, err := k.Call(t.Context(), &tool.Call{Name: "wipe"}); !errors.Is(err, gone) {
		t.Errorf("error = %v", err)
	}
}

// Two rounds with nothing held in memory between them; a change of the world in between asks again.
func TestAnApprovalSurvivesARoundOnlyIfTheJobIsTheSame(t *testing.T) {
	for _, meddle := range []bool{false, true} {
		world := "one"
		edit := tool.Plan(tool.Spec{Name: "edit", Kind: tool.Write}, func(context.Context, *tool.Call, echoIn) (*tool.Job, error) {
			return &tool.Job{Run: done, Preview: func(context.Context) (tool.Display, error) { return tool.Summary(world), nil }}, nil
		})
		k := k2(t, tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			if r := q.Job.Call.Resume; r != nil {
				return tool.Answer{Yes: string(r.Answers) == `"yes"`}, nil
			}
			return tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`{"q":1}`)}}, nil
		}, Around: []func(tool.Caller) tool.Caller{callTool}}, edit)
		c := &tool.Call{Name: "call_tool", Args: json.RawMessage(`{"name":"edit","arguments":{"text":"x"}}`)}
		res, err := k.Call(t.Context(), c)
		if err != nil || res.Need == nil || res.Err != nil {
			t.Fatal(res, err)
		}
		if meddle {
			world = "two"
		}
		c.Resume = &tool.Resume{State: res.Need.State, Answers: json.RawMessage(`"yes"`)}
		res, err = k.Call(t.Context(), c)
		if err != nil || (res.Need != nil) != meddle {
			t.Errorf("meddled %v: need %v, %v, %v", meddle, res.Need, res.Err, err)
		}
	}
}

// callTool is a whole meta-tool: the real call goes through the door once.
func callTool(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		var in struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"arguments"`
		}
		if c.Name != "call_tool" {
			return next(ctx, c)
		}
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return tool.Fail(err), nil
		}
		c.Name, c.Args = in.Name, in.Args
		return next(ctx, c)
	}
}

// A tool that wants input after it was approved is not approved a second time, and gets its own state back.
func TestAToolsOwnNeedComesBackToIt(t *testing.T) {
	asked := 0
	login := tool.New(tool.Spec{Name: "login", Kind: tool.Net}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		if c.Resume == nil {
			return &tool.Result{Need: &tool.Need{State: []byte("upstream"), Requests: json.RawMessage(`{"user":"?"}`)}}, nil
		}
		return tool.NewResult(tool.Text(string(c.Resume.State) + string(c.Resume.Answers) + c.Resume.Took.String())), nil
	})
	k := k2(t, tool.KitOptions{Ask: func(context.Context, *tool.Question) (tool.Answer, error) {
		asked++
		return tool.Answer{Yes: true}, nil
	}}, login)
	first := call(t, k, "login", `{}`)
	if first.Need == nil {
		t.Fatal(first)
	}
	res, err := k.Call(t.Context(), &tool.Call{Name: "login", Resume: &tool.Resume{State: first.Need.State, Answers: json.RawMessage(`"me"`), Took: time.Minute}})
	if err != nil || res.Text() != `upstream"me"1m0s` || asked != 1 {
		t.Errorf("%q, asked %d times, %v", res.Text(), asked, err)
	}
}

func TestStatefulToolsNeedASession(t *testing.T) {
	s := tool.Spec{Name: "jobs", Kind: tool.Read, Stateful: true}
	k := k2(t, tool.KitOptions{}, with(s, done))
	wantCode(t, call(t, k, "jobs", `{}`), tool.UnknownTool)
	res, err := k.Call(t.Context(), &tool.Call{Name: "jobs", Session: &tool.Session{}})
	if err != nil || res.Err != nil {
		t.Error(res, err)
	}
	if n := k2(t, tool.KitOptions{Stateless: true}, with(s, done)).View().Len(); n != 0 {
		t.Error("offered where there are no sessions")
	}
}

func TestADoneContextIsTheHostsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k := k2(t, tool.KitOptions{}, with(tool.Spec{Name: "wait", Kind: tool.Read}, func(ctx context.Context) (*tool.Result, error) {
		cancel() // while it runs
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	res, err := k.Call(ctx, &tool.Call{Name: "wait"})
	if !errors.Is(err, context.Canceled) || res == nil || res.Err.Code != tool.Cancelled {
		t.Errorf("%v, %v", res, err)
	}
	if res, err := k.Call(ctx, &tool.Call{Name: "wait"}); res != nil || err == nil {
		t.Errorf("a call under a done context: %v, %v", res, err)
	}
}

func TestProgressNeverBlocksAndStopsWithTheCall(t *testing.T) {
	synctest.Test(t, progressStops) // where no time passes, however long a thousand reports take
}

func progressStops(t *testing.T) {
	var mu sync.Mutex
	var got []string
	k := k2(t, tool.KitOptions{}, tool.New(tool.Spec{Name: "busy", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		for i := range 1000 {
			c.Progress(tool.Progress{Done: float64(i), Message: fmt.Sprint(i)})
		}
		return tool.Textf("done"), nil
	}))
	_, err := k.Call(t.Context(), &tool.Call{Name: "busy", Progress: func(p tool.Progress) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, p.Message)
	}})
	mu.Lock()
	n := len(got)
	mu.Unlock()
	if err != nil || n > 4 {
		t.Errorf("%d reports of a call that took no time, %v", n, err)
	}
	if last := got[n-1]; last != "999" {
		t.Errorf("the last report before the answer is %s, want 999: how far the call came", last)
	}
	time.Sleep(time.Minute) // nothing else is delivered later
	mu.Lock()
	defer mu.Unlock()
	if len(got) != n {
		t.Errorf("%d reports after the call had returned", len(got)-n)
	}
}
