package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// Mode review lets run what can be held back, and nothing else that mode ask would ask about.
func TestReviewLetsRunWhatCanBeHeldBack(t *testing.T) {
	line := func(held bool, gap string, mentions ...string) *tool.Job {
		j := job(bash, "build it")
		j.Line = &tool.CommandLine{
			Text:     "build it",
			Decision: tool.Ask,
			Held:     held,
			Gap:      gap,
			Mentions: mentions,
		}
		return j
	}
	with := func(j *tool.Job, effects ...tool.Effect) *tool.Job {
		j.Effects = append(j.Effects, effects...)
		return j
	}
	r := rules(t, policy.Options{Mode: policy.Review})
	for _, c := range []struct {
		j    *tool.Job
		want tool.Decision
	}{
		{line(true, ""), tool.Allow},
		{line(false, ""), tool.Ask},
		{line(false, "it runs in the background"), tool.Ask},
		{line(true, "", "svc/.env"), tool.Ask},
		{with(line(true, ""), tool.Effect{Kind: tool.Write, Target: "out.txt"}), tool.Allow},
		{with(line(true, ""), tool.Effect{Kind: tool.Write, Target: "/tmp/out"}), tool.Ask},
		{with(line(true, ""), tool.Effect{Kind: tool.Write, Target: "*"}), tool.Allow},
		{with(line(false, "nothing holds it back"), tool.Effect{Kind: tool.Write, Target: "*"}), tool.Ask},
		{with(line(true, ""), tool.Effect{Kind: tool.Net, Target: "*"}), tool.Ask},
		{with(line(true, ""), tool.Effect{Kind: tool.Read, Target: ".env"}), tool.Ask},
		{with(line(true, ""), tool.Effect{Kind: tool.Write, Target: ".helve/config.json"}), tool.Deny},
		{job(write, "a.go"), tool.Ask},
		{job(edit, "a.go"), tool.Ask},
		{job(read, "a.go"), tool.Allow},
		{job(issue), tool.Ask},
	} {
		wantJudged(t, r, c.j, c.want)
		if v := r.Judge(c.j); v.Review != (c.j.Line != nil && c.want == tool.Allow) {
			t.Errorf("%+v: review is %v", c.j.Effects, v.Review)
		}
	}
	// What a rule allows needs no look.
	if v := rules(t, policy.Options{Mode: policy.Review}, layer("user", "allow bash")).Judge(line(true, "")); v.Decision != tool.Allow || v.Review {
		t.Errorf("%+v", v)
	}
}

// A question about what would change is one about nothing where nothing would, but for a rule or a word that asks, a
// secret, and what no preview of ours shows.
func TestOnlyTheModesOwnQuestionNeedsAChange(t *testing.T) {
	for _, c := range []struct {
		mode policy.Mode
		rule string
		j    *tool.Job
		want bool
	}{
		{policy.Review, "", job(write, "write|a.go"), true},
		{policy.Review, "", job(write, "write|a.go", "write|.vscode/tasks.json"), true},
		{policy.Auto, "", job(write, "write|.vscode/tasks.json"), true},
		{policy.AskFirst, "", job(write, "write|a.go"), false},
		{policy.Review, "", job(write, "write|a.go", "write|.env"), false},
		{policy.Review, "", job(write, "write|a.go", "net|go.dev"), false},
		{policy.Review, "write:*.go", job(write, "write|a.go"), false},
		{policy.Review, "write", job(write, "write|a.go", "write|b.go"), false},
	} {
		var layers []policy.Layer
		if c.rule != "" {
			layers = []policy.Layer{{Rules: []policy.Rule{{Decision: tool.Ask, Text: c.rule}}}}
		}
		v := rules(t, policy.Options{Mode: c.mode, Own: own}, layers...).Judge(c.j)
		if v.Decision != tool.Ask || v.IfChanged != c.want {
			t.Errorf("mode %s, rule %q, %v: %+v", c.mode, c.rule, c.j.Effects, v)
		}
	}
}
