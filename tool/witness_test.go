package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"helve/engine/schema"
	"helve/tool"
)

// Another's tool never takes a name by which one of ours is known.
func TestAnAliasOfOursIsNoOneElsesName(t *testing.T) {
	ours := with(tool.Spec{Name: "read", Aliases: []string{"read_file", "cat"}, Kind: tool.Read}, done)
	var foreign []tool.Tool
	for _, name := range []string{"cat", "read_file", "other"} {
		foreign = append(foreign, with(tool.Spec{Name: name, Kind: tool.Read, Origin: tool.Origin{Kind: tool.Command, Name: name}}, done))
	}
	for _, tools := range [][]tool.Tool{append([]tool.Tool{ours}, foreign...), append(foreign[:3:3], ours)} {
		k := registry(t, tools...).Kit(tool.KitOptions{Policy: rules{judge: allow[*tool.Job]}})
		got := names(k.View())
		for _, name := range got {
			if name == "cat" || name == "read_file" {
				t.Errorf("%s is another's in %v", name, got)
			}
		}
		if len(got) != 4 || !k.View().Has("other") {
			t.Errorf("%v", got)
		}
	}
}

// An error that a tool returns without its name gets it wherever the error is shown, and what the tool says besides
// stays.
func TestAnErrorHasItsToolsNameWhereverItStands(t *testing.T) {
	nameless := tool.Errorf(tool.Execution, "no such thing")
	for _, c := range []struct {
		res           *tool.Result
		text, display string
	}{
		{&tool.Result{Err: nameless}, "x: no such thing", ""},
		{&tool.Result{Err: nameless, Display: tool.Summary(nameless.Error())}, "x: no such thing", "Error: x: no such thing."},
		{&tool.Result{Err: nameless, Parts: []tool.Part{tool.Text("its own words")}, Display: tool.Summary("own")}, "its own words", "own"},
	} {
		k := k2(t, tool.KitOptions{}, with(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
			return c.res, nil
		}))
		got := call(t, k, "x", `{}`)
		if !strings.Contains(got.Text(), c.text) || got.Err.Tool != "x" {
			t.Errorf("text %q, tool %q, want %q", got.Text(), got.Err.Tool, c.text)
		}
		if shown, _ := got.Display.(tool.Summary); c.display != "" && string(shown) != c.display {
			t.Errorf("display %q, want %q", shown, c.display)
		}
	}
}

// A host that ends while an approved call runs learns so.
func TestAHostThatEndsDuringAnApprovedCallIsTold(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	k := k2(t, tool.KitOptions{Policy: rules{judge: ask[*tool.Job]}, Ask: yes}, with(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
		stop()
		return tool.Textf("done"), nil
	}))
	if _, err := k.Call(ctx, &tool.Call{Name: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A client may send answers without the state of a round: a tool that needs no approval gets them, and what is asked
// about is asked about all the same.
func TestAnswersThatCameUnaskedReachAToolAndApproveNothing(t *testing.T) {
	login := func(kind tool.Kind) tool.Tool {
		return tool.New(tool.Spec{Name: "login", Kind: kind}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			if c.Resume == nil {
				return tool.Textf("nobody answered"), nil
			}
			return tool.Textf("%s", c.Resume.Answers), nil
		})
	}
	asked := 0
	o := tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		asked++
		if q.Job.Call.Resume != nil {
			t.Errorf("who approves is given %s", q.Job.Call.Resume.Answers)
		}
		return tool.Answer{Yes: true}, nil
	}}
	for kind, want := range map[tool.Kind]string{tool.Read: `"me"`, tool.Write: "nobody answered"} {
		res, err := k2(t, o, login(kind)).Call(t.Context(), &tool.Call{Name: "login", Resume: tool.Unasked(json.RawMessage(`"me"`))})
		if err != nil || res.Text() != want {
			t.Errorf("%v: %q, %v; want %q", kind, res.Text(), err, want)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// Only who answered is waited for: a round that comes back without an answer is asked about again, and no time of it
// counts.
func TestTheTimeOfARoundCountsWithItsAnswerAlone(t *testing.T) {
	k := k2(t, tool.KitOptions{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if q.Job.Call.Resume == nil {
			return tool.Answer{Need: &tool.Need{Requests: json.RawMessage(`1`)}}, nil
		}
		return tool.Answer{Yes: true}, nil
	}}, with(tool.Spec{Name: "wipe", Kind: tool.Write}, done))
	no := k2(t, tool.KitOptions{Ask: func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil }},
		with(tool.Spec{Name: "wipe", Kind: tool.Write}, done))
	first := call(t, k, "wipe", `{}`)
	if first.Need == nil {
		t.Fatal(first)
	}
	for _, c := range []struct {
		kit     *tool.Kit
		answers string
		want    time.Duration
	}{{k, `"yes"`, time.Hour}, {no, `"no"`, time.Hour}, {no, "", 0}} {
		r := &tool.Resume{State: first.Need.State, Took: time.Hour}
		if c.answers != "" {
			r.Answers = json.RawMessage(c.answers)
		}
		res, err := c.kit.Call(t.Context(), &tool.Call{Name: "wipe", Resume: r})
		if err != nil || res.Took != c.want {
			t.Errorf("answers %q: it took %v, %v; want %v", c.answers, res.Took, err, c.want)
		}
	}
}

// A call that goes on for long is heard all the time, not only at its beginning.
func TestProgressGoesOnAsLongAsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []float64
		k := k2(t, tool.KitOptions{}, tool.New(tool.Spec{Name: "slow", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			for i := range 50 {
				c.Progress(tool.Progress{Done: float64(i)})
				time.Sleep(time.Second)
			}
			return tool.Textf("done"), nil
		}))
		c := &tool.Call{Name: "slow", Progress: func(p tool.Progress) { got = append(got, p.Done) }}
		if _, err := k.Call(t.Context(), c); err != nil || len(got) != 50 {
			t.Errorf("%d reports of 50 that came a second apart, %v", len(got), err)
		}
	})
}

type square struct {
	Side int `json:"side"`
}

func (s square) Text() string { return strings.Repeat("x", s.Side) }

// What a tool's result reads like can be made of its data elsewhere, and of nothing that it would not bring.
func TestTheTextOfAResultIsMadeOfItsData(t *testing.T) {
	made := tool.Renders[square](with(tool.Spec{Name: "square", Kind: tool.Read}, func(context.Context) (*tool.Result, error) {
		return tool.Render(square{3}), nil
	}))
	res := call(t, open(t, made), "square", `{}`)
	text, err := made.(tool.Renderer).TextOf(res.Data)
	if err != nil || text != res.Text() || text != "xxx" {
		t.Errorf("%q of %s, %v; want %q", text, res.Data, err, res.Text())
	}
	if made.Spec().Output == nil {
		t.Error("it has no schema")
	}
	if text, err := made.(tool.Renderer).TextOf(json.RawMessage(`{"side":"long"}`)); err == nil || !strings.Contains(err.Error(), "data of square") {
		t.Errorf("%q, %v", text, err)
	}
}

// Who watches learns of each question that a job puts while it runs, and of the answer with its question.
func TestWhoWatchesIsToldOfLateQuestionsToo(t *testing.T) {
	var got []tool.Event
	o := tool.KitOptions{
		Policy: rules{judge: allow[*tool.Job]},
		Ask:    func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{Yes: true}, nil },
		Watch: func(_ context.Context, e tool.Event) {
			if e.Step == tool.Asked || e.Step == tool.Answered {
				got = append(got, e)
			}
		},
	}
	asks := tool.New(tool.Spec{Name: "asks", Kind: tool.Read}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		_, err := c.Ask(ctx, tool.Late{Title: "make it", Why: "it came to this"})
		return tool.Textf("done"), err
	})
	call(t, k2(t, o, asks), "asks", `{}`)
	if len(got) != 2 || got[0].Step != tool.Asked || got[1].Step != tool.Answered {
		t.Fatalf("%+v", got)
	}
	for _, e := range got {
		if e.Question == nil || !e.Question.Late || e.Job.Title != "make it" || e.Verdict.Reason != "it came to this" {
			t.Errorf("%v: %+v of %+v", e.Step, e.Question, e.Job)
		}
	}
	if !got[1].Answer.Yes {
		t.Error("the answer is not the one that was given")
	}
}

// A yes to certain calls that is remembered holds for these calls: the same job with others is asked about.
func TestAYesToCertainCallsIsRememberedForThese(t *testing.T) {
	asked, questions := "", 0
	remembered := &grants{}
	o := tool.KitOptions{
		Policy: rules{judge: func(j *tool.Job) tool.Verdict {
			if j.Spec.Name == "wipe" {
				return ask(j)
			}
			return allow(j)
		}},
		Grants: remembered,
		Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			questions++
			asked = string(q.Job.Call.Args)
			return tool.Answer{Yes: true, For: tool.Always}, nil
		},
	}
	texts := []string{"a", "b"}
	script := tool.New(tool.Spec{Name: "script", Kind: tool.Exec, Calls: true}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		var calls []*tool.Call
		for _, text := range texts {
			args, _ := json.Marshal(echoIn{text})
			calls = append(calls, &tool.Call{Name: "wipe", Args: args})
		}
		_, err := c.Ahead(ctx, tool.Ahead{Calls: calls, Job: "a script"})
		return tool.Textf("done"), err
	})
	wipe := tool.New(tool.Spec{Name: "wipe", Kind: tool.Write}, func(ctx context.Context, _ *tool.Call, _ echoIn) (*tool.Result, error) { return done(ctx) })
	k := k2(t, o, script, wipe)
	for _, c := range []struct {
		texts []string
		want  int
	}{{texts, 1}, {texts, 1}, {[]string{"a", "c"}, 2}} {
		texts = c.texts
		call(t, k, "script", `{}`)
		if questions != c.want {
			t.Errorf("%v: %d questions, want %d (the last about %s)", c.texts, questions, c.want, asked)
		}
	}
}

// grants remember jobs by their digest.
type grants struct{ known []tool.Digest }

func (g *grants) Granted(j *tool.Job) (string, bool) {
	for _, d := range g.known {
		if d == j.Digest(nil) {
			return "1", true
		}
	}
	return "", false
}

func (g *grants) Remember(j *tool.Job, _ tool.Answer) error {
	g.known = append(g.known, j.Digest(nil))
	return nil
}

// Whoever asks at the same time for what a kit offers is given the same list: it is made once.
func TestAllWhoAskAtOnceGetOneView(t *testing.T) {
	const askers = 8
	asked, goOn := make(chan bool, askers), make(chan bool)
	slow := rules{lists: func(*tool.Spec) tool.Verdict {
		asked <- true
		<-goOn
		return tool.Verdict{Decision: tool.Allow}
	}}
	k := registry(t, echo("echo")).Kit(tool.KitOptions{Policy: slow})
	views := make(chan *tool.View, askers)
	for range askers {
		go func() { views <- k.View() }()
	}
	<-asked // the first is at work, and the others find no list yet
	time.Sleep(time.Second / 20)
	close(goOn)
	first := <-views
	for range askers - 1 {
		if v := <-views; v != first {
			t.Fatal("there are two lists of the same tools")
		}
	}
}

// What became of the arguments is told where there is a text for the model, and a question has none.
func TestAQuestionHasNoWordsOfRepairs(t *testing.T) {
	m := schema.Mended{Args: []byte(`{}`), Notes: []string{`count: "10" read as 10`}, Ignored: []string{"odd"}}
	for _, c := range []struct {
		res  tool.Result
		want int
	}{
		{tool.Result{Need: &tool.Need{State: []byte("s")}}, 0},
		{tool.Result{Parts: []tool.Part{tool.Text("done")}}, 3},
		{tool.Result{Err: tool.Errorf(tool.Execution, "no")}, 2},
	} {
		c.res.Tell("x", m)
		if len(c.res.Parts) != c.want || len(c.res.Repairs) != 2 {
			t.Errorf("%+v: %d parts, want %d; notes %q", c.res, len(c.res.Parts), c.want, c.res.Repairs)
		}
	}
}
