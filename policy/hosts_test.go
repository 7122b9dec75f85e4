package policy_test

import (
	"slices"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A rule on a host means it in every form in which a call may name it.
func TestARuleOnAHostMeansItInEveryForm(t *testing.T) {
	for rule, hosts := range map[string]map[string]bool{
		"deny fetch:10.0.0.1":            {"10.0.0.1": true, "10.0.0.1:8080": true, "10.0.0.2": false, "10.0.0.10": false},
		"deny fetch:10.0.0.1:8080":       {"10.0.0.1": false, "10.0.0.1:8080": true},
		"deny fetch:2001:db8::1":         {"[2001:db8::1]": true, "[2001:db8::1]:8080": true, "[2001:db8::2]": false},
		"deny fetch:[2001:DB8:0::1]":     {"[2001:db8::1]": true, "[2001:db8::2]": false},
		"deny fetch:Example.COM.":        {"example.com": true, "example.com:8080": true, "www.example.com": false, "notexample.com": false},
		"deny fetch:https://example.com": {"example.com": true, "example.org": false},
		"deny fetch:*.example.com":       {"www.example.com": true, "a.b.example.com:1": true, "notexample.com": false},
		"deny fetch:example.com:443":     {"example.com": true, "example.com:443": true, "example.com:444": false},
	} {
		r := rules(t, policy.Options{Mode: policy.Auto}, layer("user", rule))
		for host, want := range hosts {
			if v := r.Judge(job(fetch, host)); (v.Decision == tool.Deny) != want {
				t.Errorf("%s: %s: %+v, want it denied: %v", rule, host, v, want)
			}
		}
	}
}

// Another's tool may be called as one of ours is: what ours lacks says nothing of it.
func TestAnothersToolMayHaveTargetsThatOursLacks(t *testing.T) {
	for _, name := range []string{"todo_read", "bash_output", "todo_write"} {
		theirs := mcp("notes", name)
		r := rules(t, asking, layer("user", "deny mcp__notes__"+name+":x"))
		if found := r.Unmet(append(slices.Clone(all), theirs)); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// What is explained is what decided, with the rule and its place.
func TestAnExplanationNamesTheRuleThatDecides(t *testing.T) {
	r := rules(t, asking, layer("project", "allow write:b"), layer("user", "deny write:a"))
	for target, want := range map[string]string{"a": "deny write:a", "b": "allow write:b"} {
		j := job(write, target)
		x := r.ExplainCall(j)
		verdict, steps := x.Verdict, x.Steps
		if got := r.Judge(j); got != verdict {
			t.Errorf("%s: explained %+v, judged %+v", target, verdict, got)
		}
		i := slices.IndexFunc(steps, func(s policy.Step) bool { return s.Decides && s.Says == verdict.Decision.String() })
		if i < 0 || !strings.Contains(steps[i].Text, want) || steps[i].At.Line != 1 || steps[i].At.Layer != verdict.Layer {
			t.Errorf("%s: %+v", target, steps)
		}
	}
}
