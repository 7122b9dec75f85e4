package policy_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"helve/policy"
	"helve/tool"
)

// asked is a job as the door has it: with arguments, and the rule that it proposes.
func asked(s *tool.Spec, session *tool.Session, args, rule string, targets ...string) *tool.Job {
	j := job(s, targets...)
	j.Call = &tool.Call{Name: s.Name, Args: json.RawMessage(args), Session: session}
	j.Rule = rule
	return j
}

func always(rule string) tool.Answer { return tool.Answer{Yes: true, For: tool.Always, Rule: rule} }

// ⚑14, R1.18: exactly this, this tool, this server; once, this session, always.
func TestAGrantCoversWhatWasApprovedAndNoMore(t *testing.T) {
	digests := map[string]tool.Digest{"github": "one"}
	me := &tool.Session{ID: "1", Principal: "me"}
	you := &tool.Session{ID: "2", Principal: "you"}
	changed := *issue
	changed.Doc.Short = "does something else now"
	store := policy.Memory()
	grants := func(workspace string) *policy.Grants {
		return policy.NewGrants(policy.GrantOptions{Workspace: workspace, Store: store, Server: func(s string) tool.Digest { return digests[s] }})
	}
	here, there := grants("/here"), grants("/there")
	for _, c := range []struct {
		name     string
		approved *tool.Job
		rule     string
		covered  []*tool.Job
		not      []*tool.Job
	}{
		{"exactly this", asked(edit, me, `{"a":1}`, "", "src/a"), "", []*tool.Job{asked(edit, me, `{"a":1}`, "", "src/a")},
			[]*tool.Job{asked(edit, me, `{"a":2}`, "", "src/a"), asked(edit, me, `{"a":1}`, "", "src/b"), asked(edit, you, `{"a":1}`, "", "src/a"), asked(write, me, `{"a":1}`, "", "src/a")}},
		{"a rule on paths", asked(edit, me, `{}`, "Edit:src/*", "src/a"), "Edit:src/*", []*tool.Job{asked(edit, me, `{"x":2}`, "", "src/b")},
			[]*tool.Job{asked(edit, me, `{}`, "", "src/sub/b"), asked(edit, me, `{}`, "", "src/a", "lib/b"), asked(edit, me, `{}`, ""), asked(write, me, `{}`, "", "src/a"), asked(edit, you, `{}`, "", "src/a")}},
		{"a rule on words", asked(bash, me, `{}`, "Bash:go test *", "go test ./..."), "Bash:go test *", []*tool.Job{asked(bash, me, `{}`, "", "go test -v")},
			[]*tool.Job{asked(bash, me, `{}`, "", "go vet"), asked(bash, me, `{}`, "", "go test; rm x"), asked(bash, me, `{}`, "", "go test", "net|*")}},
		{"this tool", asked(issue, me, `{}`, ""), policy.WholeTool, []*tool.Job{asked(issue, me, `{"x":1}`, "")},
			[]*tool.Job{asked(&changed, me, `{}`, ""), asked(mcp("github", "delete"), me, `{}`, ""), asked(mcp("evil", "get_issue"), me, `{}`, ""), asked(issue, you, `{}`, "")}},
		{"this server", asked(issue, me, `{}`, ""), policy.WholeServer, []*tool.Job{asked(mcp("github", "delete"), me, `{}`, ""), asked(&changed, me, `{}`, "")},
			[]*tool.Job{asked(readFile, me, `{}`, ""), asked(issue, you, `{}`, "")}},
	} {
		store.Update(func([]policy.Grant) ([]policy.Grant, error) { return nil, nil })
		if granted(here, c.approved) {
			t.Errorf("%s: granted before anybody said so", c.name)
		}
		if err := here.Remember(c.approved, always(c.rule)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, j := range append(c.covered, c.approved) {
			if !granted(here, j) {
				t.Errorf("%s: asks again about %s %s %v", c.name, j.Spec.Origin, j.Call.Args, j.Effects)
			}
			if granted(there, j) {
				t.Errorf("%s: holds in another workspace", c.name)
			}
		}
		for _, j := range c.not {
			if granted(here, j) {
				t.Errorf("%s: covers %s %s %v of %s, too", c.name, j.Spec.Origin, j.Call.Args, j.Effects, j.Call.Session.Principal)
			}
		}
	}
	digests["github"] = "two" // the server's command changed
	if granted(here, asked(issue, me, `{}`, "")) {
		t.Error("the server runs another command now, and nobody is asked")
	}
}

func TestASessionsGrantsEndWithIt(t *testing.T) {
	g := policy.NewGrants(policy.GrantOptions{})
	s := &tool.Session{ID: "1"}
	j := asked(write, s, `{}`, "", "a")
	if err := g.Remember(j, tool.Answer{Yes: true, For: tool.ThisSession}); err != nil || !granted(g, j) {
		t.Errorf("%v", err)
	}
	if granted(g, asked(write, &tool.Session{ID: "2"}, `{}`, "", "a")) {
		t.Error("another session has it, too")
	}
	s.Close()
	if granted(g, j) {
		t.Error("it outlives its session")
	}
	if err := g.Remember(asked(write, nil, `{}`, "", "a"), tool.Answer{Yes: true, For: tool.ThisSession}); err == nil {
		t.Error("remembered in no session")
	}
}

// config-025: never wider than what the call itself proposes, never all that a shell can do.
func TestNothingWiderThanProposedIsRemembered(t *testing.T) {
	g := policy.NewGrants(policy.GrantOptions{Store: policy.Memory()})
	for _, c := range []struct {
		j    *tool.Job
		rule string
	}{
		{asked(bash, nil, `{}`, "Bash:git status", "git status"), "Bash:git *"},
		{asked(bash, nil, `{}`, "Bash:*", "git status"), "Bash:*"},
		{asked(bash, nil, `{}`, "", "git status"), policy.WholeTool},
		{asked(bash, nil, `{}`, "Bash:rm *", "git status"), "Bash:rm *"},
		{asked(edit, nil, `{}`, "Edit:**", "a"), "Edit:**"},
		{asked(edit, nil, `{}`, "", "a"), policy.WholeServer},
		{asked(issue, nil, `{}`, ""), policy.WholeServer}, // nobody knows what the server runs
	} {
		if err := g.Remember(c.j, always(c.rule)); err == nil {
			t.Errorf("%s of %v is remembered", c.rule, c.j.Effects)
		}
		if granted(g, c.j) {
			t.Errorf("%s of %v is granted", c.rule, c.j.Effects)
		}
	}
	if got := g.Offers(asked(edit, nil, `{}`, "Edit:src/*", "src/a")); !slices.Equal(got, []string{"Edit:src/*", policy.WholeTool}) {
		t.Errorf("offers %q", got)
	}
	if got := g.Offers(asked(bash, nil, `{}`, "", "x $(y)")); len(got) != 0 {
		t.Errorf("offers %q", got)
	}
}

type broken struct{}

func (broken) Load() ([]policy.Grant, error) { return nil, errors.New("unreadable") }
func (broken) Update(func([]policy.Grant) ([]policy.Grant, error)) error {
	return errors.New("unwritable")
}

func TestABrokenStoreGrantsNothing(t *testing.T) {
	g := policy.NewGrants(policy.GrantOptions{Store: broken{}})
	j := asked(write, nil, `{}`, "", "a")
	if err := g.Remember(j, always("")); err == nil || granted(g, j) {
		t.Errorf("%v", err)
	}
}

func granted(g *policy.Grants, j *tool.Job) bool {
	_, ok := g.Granted(j)
	return ok
}
