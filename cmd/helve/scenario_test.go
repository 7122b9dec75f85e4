package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve/agent"
	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/internal/testing/wiretest"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

var update = flag.Bool("update", false, "write the golden transcript anew")

// scenario is one piece of work: read, an edit that plan mode refuses, approval, edit, a failing check, a fix, done.
var scenario = []wiretest.Turn{
	{Text: "I look at the file first.", Calls: []wiretest.Call{{ID: "c1", Name: "read", Args: `{"file_path":"sum.sh"}`}}},
	{Calls: []wiretest.Call{{ID: "c2", Name: "edit", Args: `{"file_path":"sum.sh","new_string":"1 * 2","old_string":"1 - 2"}`}}},
	{Text: "Only a plan, then.", Calls: []wiretest.Call{{ID: "c3", Name: "exit_plan_mode", Args: `{"plan":"Mend the sum, then run check.sh."}`}}},
	{Calls: []wiretest.Call{{ID: "c4", Name: "edit", Args: `{"file_path":"sum.sh","new_string":"1 * 2","old_string":"1 - 2"}`}}},
	{Text: "Now the check.", Calls: []wiretest.Call{{ID: "c5", Name: "bash", Args: `{"command":"sh check.sh"}`}}},
	{Text: "That was the wrong sign.", Calls: []wiretest.Call{
		{ID: "c6", Name: "edit", Args: `{"file_path":"sum.sh","new_string":"1 + 2","old_string":"1 * 2"}`},
		{ID: "c7", Name: "bash", Args: `{"command":"sh check.sh"}`},
	}},
	{Calls: []wiretest.Call{
		{ID: "c8", Name: "read", Args: `{"file_path":"sum.sh"}`}, {ID: "c9", Name: "grep", Args: `{"path":"check.sh","pattern":"sum"}`},
	}},
	{Text: "The sum is right now: sum.sh adds instead of subtracting, and check.sh passes."},
}

var files = map[string]string{
	"sum.sh":   "echo $((1 - 2))\n",
	"check.sh": "sum=$(sh sum.sh)\ntest \"$sum\" = 3 && echo right && exit 0\necho \"wrong: $sum\"\nexit 1\n",
}

// The same work gives the same transcript whatever provider the model comes from: each library is the real one, each
// wire format the provider's.
func TestOneScenarioRunsAgainstAllProviders(t *testing.T) {
	golden := filepath.Join("testdata", "scenario.golden")
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		t.Run(provider, func(t *testing.T) {
			srv, err := wiretest.Start(provider, scenario)
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			m, err := model(t.Context(), command.ModelRequest{Name: provider + "/scripted", Kind: provider, Key: "none", BaseURL: srv.URL})
			if err != nil {
				t.Fatal(err)
			}
			got := runScenario(t, m)
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
			spoke(t, provider, srv.Requests())
		})
	}
}

// spoke checks that the requests were in the provider's own words.
func spoke(t *testing.T, provider string, requests []string) {
	t.Helper()
	if len(requests) != len(scenario) {
		t.Fatalf("%d requests, want %d", len(requests), len(scenario))
	}
	words := map[string][]string{
		"openai":    {`"role":"tool"`, `"tool_call_id":"c9"`, `"type":"function"`, `"stream":true`},
		"anthropic": {`"type":"tool_result"`, `"tool_use_id":"c9"`, `"input_schema":`, `"is_error":true`, `"cache_control":`},
		"gemini":    {`"functionResponse":`, `"parametersJsonSchema":`, `"thoughtSignature":"c2lnbmVk"`, `"id":"c9"`},
	}
	last := requests[len(requests)-1]
	for _, w := range words[provider] {
		if !strings.Contains(last, w) {
			t.Errorf("the last request lacks %s", w)
		}
	}
	if strings.Contains(last, agent.LeavePlan+`","desc`) || !strings.Contains(requests[0], agent.LeavePlan) {
		t.Error("leaving plan mode is offered in plan mode, and only there")
	}
}

// runScenario runs the scenario in a fresh workspace and returns its transcript.
func runScenario(t *testing.T, m agent.Model) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Add(builtin.All(ws)...); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	yes := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Fprintf(&out, "  asked: %s\n", q.Job.Title)
		return tool.Answer{Yes: true}, nil
	}
	kit := func(p tool.Policy) *tool.Kit {
		return reg.Kit(tool.KitOptions{Policy: p, Ask: yes, Wrap: wrap.Standard(wrap.Options{})})
	}
	s := &tool.Session{ID: "scenario", Roots: []tool.Root{{Name: "work", Path: dir}}}
	defer s.Close()
	a := &agent.Agent{Model: m, Kit: kit(policy.AskFirst), Session: s, Dir: dir, System: "You mend things.", Limits: agent.Limits{Parallel: 1},
		Plan: &agent.Plan{Kit: kit(policy.Plan), Leave: func(_ context.Context, plan string) (tool.Answer, error) {
			fmt.Fprintf(&out, "  plan: %s\n", plan)
			return tool.Answer{Yes: true, Note: "go ahead"}, nil
		}},
		Listen: func(e agent.Event) { write(&out, e, dir) }}
	res, err := a.Run(t.Context(), "The sum is wrong. Mend it.")
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	fmt.Fprintf(&out, "end: %s after %d turns, %d tokens in, %d out\n", res.Stop, res.Turns, res.Usage.Input, res.Usage.Output)
	return out.Bytes()
}

// write adds an event to the transcript. What a bash result says of the sandbox depends on the machine.
func write(out *bytes.Buffer, e agent.Event, dir string) {
	switch e := e.(type) {
	case agent.Said:
		out.WriteString(e.Text)
	case agent.Turn:
		fmt.Fprintf(out, "\n-- turn %d: %s\n", e.Number, e.Stop)
	case agent.Calling:
		fmt.Fprintf(out, "  call %s: %s %s\n", e.ID, e.Name, e.Args)
	case agent.Called:
		code := "ok"
		if e.Result.Err != nil {
			code = string(e.Result.Err.Code)
		}
		fmt.Fprintf(out, "  result %s: %s\n", e.ID, code)
		lines := strings.Split(strings.ReplaceAll(e.Result.Text(), dir, "DIR"), "\n")
		for _, l := range lines[:min(len(lines), 4)] {
			if !strings.HasPrefix(l, "[it ran") {
				fmt.Fprintf(out, "    | %s\n", l)
			}
		}
	}
}
