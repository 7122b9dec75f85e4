package policy_test

import (
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A verdict names the place that decided: what is as strict elsewhere is no reason to name another one.
func TestAVerdictNamesTheFirstPlaceThatIsAsStrict(t *testing.T) {
	for _, lines := range [][2]string{{"write = ask", "write = ask"}, {"ask write:*", "write = ask"}} {
		v := rules(t, asking, layer("managed!", lines[1]), layer("user", lines[0])).Judge(job(write, "a"))
		if v.Decision != tool.Ask || v.Layer != "user" {
			t.Errorf("%q: %+v, want it to be the user's", lines, v)
		}
		if v := rules(t, asking, layer("managed!", "write = deny"), layer("user", lines[0])).Judge(job(write, "a")); v.Decision != tool.Deny || v.Layer != "managed" {
			t.Errorf("%q: %+v, want it to be managed", lines, v)
		}
	}
}

// Mode auto asks about writing what another program obeys, and says which; elsewhere the reason is the mode's.
func TestTheReasonOfAQuestionSaysWhoObeysTheFile(t *testing.T) {
	const person = "a person has to approve that"
	for _, c := range []struct {
		mode   policy.Mode
		target string
		want   string
	}{
		{policy.Auto, ".vscode/tasks.json", person},
		{policy.Auto, ".git/config", "git obeys it"},
		{policy.Auto, "b.git/HEAD", "git takes a folder with it"},
		{policy.AskFirst, ".vscode/tasks.json", "needs approval"},
		{policy.AskFirst, "a", "needs approval"},
	} {
		v := rules(t, policy.Options{Mode: c.mode}).Judge(job(write, c.target))
		if v.Decision == tool.Allow || v.Decision == tool.Ask && !strings.Contains(v.Reason, c.want) {
			t.Errorf("%v %s: %+v, want %q", c.mode, c.target, v, c.want)
		}
		if c.mode == policy.AskFirst && strings.Contains(v.Reason, person) {
			t.Errorf("%v %s: %+v: everything is asked about", c.mode, c.target, v)
		}
	}
	if v := rules(t, policy.Options{Mode: policy.Auto}).Judge(job(write, "a")); v.Decision != tool.Allow {
		t.Errorf("%+v", v)
	}
}
