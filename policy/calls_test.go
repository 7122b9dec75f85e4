package policy_test

import (
	"testing"

	"helve/policy"
	"helve/tool"
)

// What a tool of ours has done by other tools is judged as theirs: it is offered where only reading is, and one of a server
// that claims the same is not.
func TestAToolThatOnlyMakesCallsIsOfferedWhereOnlyReadingIs(t *testing.T) {
	own := &tool.Spec{Name: "run_script", Origin: tool.Origin{Kind: tool.Builtin, Name: "run_script"}, Calls: true}
	other := &tool.Spec{Name: "run", Origin: tool.Origin{Kind: tool.MCP, Server: "s", Name: "run"}, Calls: true}
	rules, err := policy.New(policy.Options{Mode: policy.Plan}, policy.Preset{}.Layer())
	if err != nil {
		t.Fatal(err)
	}
	if v := rules.Lists(own); v.Decision != tool.Allow {
		t.Errorf("ours: %v", v)
	}
	if v := rules.Lists(other); v.Decision != tool.Deny {
		t.Errorf("a server's: %v", v)
	}
	if v := rules.Judge(&tool.Job{Spec: own, Call: &tool.Call{Name: "run_script"}, Effects: []tool.Effect{}}); v.Decision != tool.Allow {
		t.Errorf("a call: %v", v)
	}
}
