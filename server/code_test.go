package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"helve/engine/stub"
	"helve/policy"
	"helve/server"
	"helve/tool"
)

// scripted is a registry with two core tools, one that is not, one of a server, and one that makes calls itself.
func scripted(t *testing.T, scripts bool) *tool.Registry {
	t.Helper()
	var tools []tool.Tool
	for _, o := range []tool.Origin{
		{Kind: tool.Builtin, Name: "read"},
		{Kind: tool.Builtin, Name: "bash"},
		{Kind: tool.Builtin, Name: "ls"},
		{Kind: tool.MCP, Server: "db", Name: "look"},
		{Kind: tool.Builtin, Name: "run_script"},
	} {
		if o.Name == "run_script" && !scripts {
			continue
		}
		s := tool.Spec{Name: o.Name, Origin: o, Kind: tool.Read, Doc: tool.Doc{Short: "Does a thing."}, Calls: o.Name == "run_script"}
		one, err := tool.Raw(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, one)
	}
	return registry(t, tools...)
}

// A list for scripts has a few tools, the search and the script; without a script it is a deferred list.
func TestAListForScriptsIsShort(t *testing.T) {
	functions := func(v *tool.View) []stub.Function {
		var list []stub.Tool
		for _, s := range v.Specs() {
			list = append(list, stub.Tool{Public: v.Name(s), Server: s.Origin.Server, Name: s.Origin.Name, Input: s.Input})
		}
		return stub.Bind(list)
	}
	o := server.Options{Expose: server.ExposeCode, Functions: functions}
	for scripts, want := range map[bool]string{
		true:  "bash read run_script search_tools",
		false: "bash ls read search_tools describe_tool call_tool",
	} {
		w := over(t, scripted(t, scripts), tool.KitOptions{Policy: policy.Auto}, o)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		var list struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(w.hear()["result"], &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range list.Tools {
			names = append(names, one.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("scripts %v: listed %s, want %s", scripts, got, want)
		}
		found := ask(t, w, "search_tools", `{"query":"look"}`)
		if stubbed := strings.Contains(found, `db.look() -\u003e str`) || strings.Contains(found, "db.look() -> str"); stubbed != scripts {
			t.Errorf("scripts %v: found %s", scripts, found)
		}
	}
}

// A client without elicitation is taken to have asked about the calls that it makes, not about those that a script makes:
// they are refused, unless the person said that the client is trusted.
func TestNobodyIsTakenToHaveAskedAboutAPartOfACall(t *testing.T) {
	for _, c := range []struct {
		approval server.Approval
		parent   string
		late     string
		yes      bool
	}{
		{server.ApproveAuto, "", "", true},
		{server.ApproveAuto, "family-1", "", false},
		{server.ApproveClient, "family-1", "", true},
		{server.ApproveElicit, "family-1", "", false},
		{server.ApproveClient, "", "late", false},
		{server.ApproveClient, "family-1", "deferred", true},
		{server.ApproveAuto, "family-1", "deferred", false},
	} {
		q := &tool.Question{Job: &tool.Job{Call: &tool.Call{Name: "write", Parent: c.parent}}}
		q.Late, q.Deferred = c.late != "", c.late == "deferred"
		a, err := server.Asker(c.approval)(t.Context(), q)
		if err != nil || a.Yes != c.yes || !c.yes && !a.Unasked {
			t.Errorf("%v, parent %q: %+v, %v", c.approval, c.parent, a, err)
		}
	}
}
