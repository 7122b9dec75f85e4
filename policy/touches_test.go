package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// goTool is a tool that the program added.
func goTool(name string, k tool.Kind, touches tool.Touches) *tool.Spec {
	origin := tool.Origin{Kind: tool.Go, Name: name}
	return &tool.Spec{Name: name, Kind: k, Touches: touches, ReadOnly: k == tool.Read, Origin: origin}
}

// Rules on paths, hosts and commands have no say about a tool that touches nothing; its kind, its name and its groups have.
func TestWhatTouchesNothingIsJudgedByKindAndName(t *testing.T) {
	greet := goTool("greet", tool.Read, tool.Nothing)
	careful := goTool("greet", tool.Read, tool.Unsaid)
	book := goTool("book", tool.Write, tool.Nothing)
	run := goTool("ring", tool.Exec, tool.Nothing)
	for _, c := range []struct {
		mode policy.Mode
		rule string
		spec *tool.Spec
		want tool.Decision
	}{
		{policy.AskFirst, "deny read:secrets/**", greet, tool.Allow},
		{policy.AskFirst, "deny read:secrets/**", careful, tool.Ask}, // it may read what the rule guards
		{policy.AskFirst, "ask read:**", greet, tool.Allow},
		{policy.AskFirst, "deny grep:**", greet, tool.Allow},
		{policy.AskFirst, "deny fetch:evil.com", greet, tool.Allow},
		{policy.AskFirst, "deny bash:rm *", greet, tool.Allow},
		{policy.AskFirst, "deny greet", greet, tool.Deny},
		{policy.AskFirst, "ask greet", greet, tool.Ask},
		{policy.AskFirst, "deny greet:secrets/**", greet, tool.Allow}, // it has no path to be among these
		{policy.AskFirst, "deny @read", greet, tool.Deny},
		{policy.AskFirst, "deny @write:vendor/**", book, tool.Ask},
		{policy.AskFirst, "deny write:**", book, tool.Ask},
		{policy.AskFirst, "allow book", book, tool.Allow},
		{policy.AskFirst, "deny @write", book, tool.Deny},
		{policy.AskFirst, "deny bash:rm *", run, tool.Ask},
		{policy.Plan, "allow book", book, tool.Deny},
		{policy.Plan, "allow ring", run, tool.Deny},
		{policy.Plan, "deny read:secrets/**", greet, tool.Allow},
		{policy.Auto, "deny write:vendor/**", book, tool.Allow},
	} {
		r := rules(t, policy.Options{Mode: c.mode}, layer("user", c.rule))
		if v := r.Judge(job(c.spec)); v.Decision != c.want {
			t.Errorf("mode %v, %s: %s: %v (%s, %s), want %v", c.mode, c.rule, c.spec.Name, v.Decision, v.Reason, v.Rule, c.want)
		}
	}
}

// What a job says it does is judged, whatever its tool said; and nobody believes another program's tool.
func TestNothingIsNoMoreThanItsWord(t *testing.T) {
	r := rules(t, policy.Options{Mode: policy.AskFirst}, layer("user", "deny read:secrets/**", "deny bash:rm *"))
	greet := goTool("greet", tool.Read, tool.Nothing)
	if v := r.Judge(job(greet, "secrets/key")); v.Decision != tool.Deny {
		t.Errorf("a job that reads secrets/key: %v (%s), want deny", v.Decision, v.Reason)
	}
	if v := r.Judge(job(goTool("ring", tool.Exec, tool.Nothing), "rm -r x")); v.Decision == tool.Allow {
		t.Errorf("a job that runs rm -r x: %v (%s)", v.Decision, v.Reason)
	}
	foreign := *issue
	foreign.Kind, foreign.Touches = tool.Read, tool.Nothing
	trusting := policy.Options{Mode: policy.AskFirst, Trusted: func(string) bool { return true }}
	r = rules(t, trusting, layer("user", "deny read:secrets/**"))
	if v := r.Judge(job(&foreign)); v.Decision != tool.Ask {
		t.Errorf("a server's tool that says it touches nothing: %v (%s), want ask", v.Decision, v.Reason)
	}
}
