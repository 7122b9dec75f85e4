package agent_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helve/agent"
	"helve/policy"
	"helve/tool"
)

// A paper has files in memory, whose tools put and get work in drafts, too. peek is a server's, and sees the disk.
type paper struct {
	disk    map[string]string
	asked   []*tool.Question
	yes     bool
	none    error // why no draft can be had
	commits int
	drafts  int
	kit     *tool.Kit
}

// A page is a draft of it.
type page struct {
	p     *paper
	layer map[string]string
	seen  bool
	over  bool
}

type putIn struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (in putIn) String() string         { return "put " + in.Name }
func (in putIn) Effects() []tool.Effect { return []tool.Effect{{Kind: tool.Write, Target: in.Name}} }

type getIn struct {
	Name string `json:"name"`
}

func (in getIn) Effects() []tool.Effect { return []tool.Effect{{Kind: tool.Read, Target: in.Name}} }

func ownName(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }

func putTool(files map[string]string, seen func()) tool.Tool {
	s := tool.Spec{Name: "put", Kind: tool.Write, Origin: ownName("put")}
	return tool.Plan(s, func(_ context.Context, _ *tool.Call, in putIn) (*tool.Job, error) {
		return &tool.Job{Review: seen, Run: func(context.Context) (*tool.Result, error) {
			if in.Text == "" {
				return nil, errors.New("nothing to put")
			}
			files[in.Name] = in.Text
			return tool.Textf("put %s", in.Name), nil
		}}, nil
	})
}

func getTool(files func(string) string) tool.Tool {
	s := tool.Spec{Name: "get", Kind: tool.Read, Origin: ownName("get")}
	return tool.New(s, func(_ context.Context, _ *tool.Call, in getIn) (*tool.Result, error) {
		return tool.Textf("%s has %s", in.Name, files(in.Name)), nil
	})
}

func (d *page) at(name string) string {
	if text, ok := d.layer[name]; ok {
		return text
	}
	return d.p.disk[name]
}

func (d *page) In(t tool.Tool) tool.Tool {
	switch t.Spec().Name {
	case "put":
		return putTool(d.layer, func() { d.seen = true })
	case "get":
		return getTool(d.at)
	}
	return nil
}

func (d *page) Changed() (bool, error) { return len(d.layer) > 0, nil }

func (d *page) Drop() error {
	d.over = true
	return nil
}

func (d *page) Commit(ctx context.Context, c *tool.Call, about string) (*agent.CommittedDraft, error) {
	shown := fmt.Sprint(about, d.layer)
	if d.seen {
		late := tool.Late{Title: "make it", Why: "it was drafted", Parent: c.Parent, Preview: tool.Summary(shown)}
		a, err := c.Ask(ctx, late)
		if err != nil {
			return nil, err
		}
		if !a.Yes {
			return &agent.CommittedDraft{Refused: tool.Errorf(tool.Permission, "the person declined"), Proposed: shown}, nil
		}
	}
	d.p.commits++
	maps.Copy(d.p.disk, d.layer)
	var made []map[string]string
	for name := range d.layer {
		made = append(made, map[string]string{"path": name})
	}
	return &agent.CommittedDraft{Meta: map[string]any{"undo": c.Parent, "changes": made}, Notes: []string{"noted"}}, nil
}

// run has a model make the calls of one reply, then end; it is the answers that the model reads.
func (p *paper) run(t *testing.T, list ...string) (answers []string, events []agent.Event) {
	t.Helper()
	p.disk = map[string]string{"a": "old"}
	peek := tool.Spec{Name: "peek", Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: "s", Name: "peek"}}
	net := tool.Spec{Name: "send", Kind: tool.Net, Origin: ownName("send")}
	var reg tool.Registry
	err := reg.Add(
		putTool(p.disk, nil),
		getTool(func(name string) string { return p.disk[name] }),
		tool.New(peek, func(_ context.Context, _ *tool.Call, in getIn) (*tool.Result, error) {
			return tool.Textf("%s is %s on disk", in.Name, p.disk[in.Name]), nil
		}),
		tool.New(net, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("sent"), nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	p.kit = reg.Kit(tool.KitOptions{Policy: policy.Review, Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		p.asked = append(p.asked, q)
		return tool.Answer{Yes: p.yes || !q.Late}, nil
	}})
	m := &scripted{replies: []any{calls(list...), says("done")}}
	a := &agent.Agent{Model: m, Kit: p.kit, Listen: func(e agent.Event) { events = append(events, e) }}
	a.Draft = func(context.Context, *tool.Call) (agent.Draft, error) {
		if p.none != nil {
			return nil, p.none
		}
		p.drafts++
		return &page{p: p, layer: map[string]string{}}, nil
	}
	if _, err := a.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	last := m.asked[len(m.asked)-1].Messages
	r, _ := last[len(last)-1].(agent.Results)
	for _, x := range r.Answers {
		var parts []string
		for _, part := range x.Parts {
			parts = append(parts, fmt.Sprint(part))
		}
		word := "ok"
		if x.Failed {
			word = "failed"
		}
		answers = append(answers, x.ID+" "+word+": "+strings.Join(parts, "|"))
	}
	return answers, events
}

// has tells of each answer whether all of the words are in it.
func has(t *testing.T, answers []string, want ...[]string) {
	t.Helper()
	if len(answers) != len(want) {
		t.Fatalf("%d answers, want %d: %q", len(answers), len(want), answers)
	}
	for i, words := range want {
		for _, w := range words {
			no, not := strings.CutPrefix(w, "!")
			if strings.Contains(answers[i], no) == not {
				t.Errorf("%q, want %q", answers[i], w)
			}
		}
	}
}

// undone is what takes back what calls did.
func undone(events []agent.Event) (out []string) {
	for _, e := range events {
		if c, ok := e.(agent.Called); ok && agent.Undoes(c.Result) != "" {
			out = append(out, agent.Undoes(c.Result))
		}
	}
	return out
}

const putA, putB, getA = `{"name":"a","text":"new"}`, `{"name":"b","text":"two"}`, `{"name":"a"}`

func TestTheCallsOfAReplyAreOneQuestion(t *testing.T) {
	p := &paper{yes: true}
	got, events := p.run(t, "1", "put", putA, "2", "get", getA, "3", "put", putB, "4", "put", `{"name":"c","text":""}`)
	has(t, got,
		[]string{"1 ok", "put a", "[committed: "},
		[]string{"2 ok", "a has new", "!committed", "!on disk"},
		[]string{"3 ok", "put b", "[committed: ", "noted"},
		[]string{"4 failed", "nothing to put", "!committed"})
	if len(p.asked) != 1 || !p.asked[0].Late || !p.asked[0].Deferred || p.commits != 1 || p.drafts != 1 {
		t.Fatalf("asked %d times, %d commits of %d drafts", len(p.asked), p.commits, p.drafts)
	}
	shown := p.asked[0].Preview.String()
	for _, want := range []string{"The model made 2 calls", `put {"name":"a"`, "map[a:new b:two]"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %q", want, shown)
		}
	}
	if p.disk["a"] != "new" || p.disk["b"] != "two" {
		t.Errorf("on disk: %v", p.disk)
	}
	var undo []string
	order := ""
	for _, e := range events {
		if c, ok := e.(agent.Called); ok {
			order += c.ID
			undo = append(undo, agent.Undoes(c.Result))
		}
	}
	if order != "1234" || undo[2] == "" || undo[0] != "" || p.asked[0].Job.Call.Parent != undo[2] || p.asked[0].Job.Call.ID != "3" {
		t.Errorf("told in the order %s, undone by %q", order, undo)
	}
}

func TestWhatAPersonDeclinesOfAReplyIsDroppedAndTold(t *testing.T) {
	p := &paper{}
	got, _ := p.run(t, "1", "put", putA, "2", "get", getA, "3", "put", putB, "4", "send", `{}`)
	has(t, got,
		[]string{"1 failed", "drafted and dropped", "declined", "!put a", "!The difference"},
		[]string{"2 ok", "a has new", "dropped: it is not what is on disk"},
		[]string{"3 failed", "drafted and dropped", "declined", "The difference that was not made"},
		[]string{"4 ok", "sent", "[done elsewhere"})
	if len(p.asked) != 2 || p.commits != 0 || p.disk["a"] != "old" || p.disk["b"] != "" {
		t.Errorf("asked %d times, on disk %v", len(p.asked), p.disk)
	}
}

// What a server works on must be on disk: what was drafted before is asked about with it, and without a yes nothing that
// counts on it is done.
func TestAServersCallFindsOnDiskWhatAReplyChangedBefore(t *testing.T) {
	list := []string{"1", "put", putA, "2", "peek", getA, "3", "put", putB, "4", "get", getA}
	p := &paper{yes: true}
	got, events := p.run(t, list...)
	if undo := undone(events); len(undo) != 1 || undo[0] != p.asked[0].Job.Call.Parent {
		t.Errorf("undone by %q", undo)
	}
	has(t, got,
		[]string{"1 ok", "[committed: "},
		[]string{"2 ok", "a is new on disk"},
		[]string{"3 ok", "[committed: "},
		[]string{"4 ok", "a has new", "!dropped"})
	late := slices.DeleteFunc(slices.Clone(p.asked), func(q *tool.Question) bool { return !q.Late })
	if len(late) != 2 || !strings.Contains(late[0].Preview.String(), "It goes on with a call that has to find the changes on disk") {
		t.Fatalf("%d questions about drafts", len(late))
	}
	if late[0].Job.Call.Parent != late[1].Job.Call.Parent {
		t.Error("the two commits are not one undo")
	}
	p = &paper{}
	got, events = p.run(t, list...)
	has(t, got,
		[]string{"1 failed", "drafted and dropped", "declined"},
		[]string{"2 failed", "not run: what calls before it changed was not made"},
		[]string{"3 failed", "not run"},
		[]string{"4 failed", "not run"})
	if p.disk["a"] != "old" || len(p.asked) != 1 {
		t.Errorf("on disk %v, asked %d times", p.disk, len(p.asked))
	}
	ended := 0
	for _, e := range events {
		if _, ok := e.(agent.Called); ok {
			ended++
		}
	}
	if ended != 4 {
		t.Errorf("%d calls ended", ended)
	}
}

// One call that may change something, and a place where nothing can be held back: each call is asked about by itself.
func TestWhereThereIsNoDraftEachCallIsAsked(t *testing.T) {
	p := &paper{yes: true}
	got, _ := p.run(t, "1", "get", getA, "2", "put", putA)
	has(t, got, []string{"1 ok"}, []string{"2 ok", "put a", "!committed"})
	if p.drafts != 0 || len(p.asked) != 1 || p.asked[0].Late {
		t.Errorf("%d drafts, asked %d times", p.drafts, len(p.asked))
	}
	p = &paper{yes: true, none: errors.New("no layer")}
	got, _ = p.run(t, "1", "put", putA, "2", "put", putB)
	has(t, got, []string{"1 ok", "!committed"}, []string{"2 ok", "!committed"})
	if len(p.asked) != 2 || p.disk["b"] != "two" {
		t.Errorf("asked %d times, on disk %v", len(p.asked), p.disk)
	}
}
