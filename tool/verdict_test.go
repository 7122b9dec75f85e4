package tool_test

import (
	"context"
	"strings"
	"testing"

	"helve/tool"
)

// Whoever asks is told by the kit why: nothing has to be judged a second time, perhaps under other rules.
func TestTheAskerGetsTheKitsOwnReason(t *testing.T) {
	why := tool.Verdict{Decision: tool.Ask, Reason: "the configuration asks about it", Rule: "ask put", Layer: "project", File: "c.json", Line: 7}
	var got []tool.Question
	k := k2(t, tool.KitOptions{Policy: rules{judge: func(*tool.Job) tool.Verdict { return why }}, Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		got = append(got, *q)
		return tool.Answer{Yes: true}, nil
	}}, tool.Plan(tool.Spec{Name: "put", Kind: tool.Write}, func(context.Context, *tool.Call, struct {
		Count int `json:"count"`
	}) (*tool.Job, error) {
		return &tool.Job{Run: done, Preview: func(context.Context) (tool.Display, error) { return tool.Summary("one more"), nil }}, nil
	}))
	if res := call(t, k, "put", `{"count":"10"}`); res.Err != nil || res.Verdict != why {
		t.Errorf("%v, verdict %+v", res.Err, res.Verdict)
	}
	if len(got) != 1 || got[0].Verdict != why || got[0].Preview.String() != "one more" || string(got[0].Job.Call.Args) != `{"count":10}` {
		t.Fatalf("asked with %+v", got)
	}
	if len(got[0].Repairs) != 1 || !strings.Contains(got[0].Repairs[0], "count") {
		t.Errorf("what was mended is not shown: %q", got[0].Repairs)
	}
}

// A refusal says what it rests on, wherever on its way the call was refused.
func TestEveryRefusalCarriesItsVerdict(t *testing.T) {
	denied := tool.Verdict{Reason: "not this one", Rule: "deny x", Layer: "user"}
	asked := tool.Verdict{Decision: tool.Ask, Reason: "asked about", Rule: "ask x", Layer: "user"}
	off := tool.Verdict{Off: true, Reason: "it is switched off", Rule: "tools: x = false", Layer: "project"}
	judged := func(v tool.Verdict) tool.Policy { return rules{judge: func(*tool.Job) tool.Verdict { return v }} }
	no := func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Answer{}, nil }
	same := func(server string) tool.Tool {
		return with(tool.Spec{Name: "x", Kind: tool.Read, Origin: tool.Origin{Kind: tool.MCP, Server: server, Name: "x"}}, done)
	}
	floor := tool.Plan(tool.Spec{Name: "x", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
		return nil, tool.Errorf(tool.Permission, "x: /etc is outside the workspace")
	})
	for name, c := range map[string]struct {
		o     tool.KitOptions
		tools []tool.Tool
		want  tool.Verdict
	}{
		"unknown":      {tool.KitOptions{}, nil, tool.Verdict{Reason: "no tool has this name", Layer: "lookup"}},
		"ambiguous":    {tool.KitOptions{}, []tool.Tool{same("a"), same("b")}, tool.Verdict{Reason: "several tools have this name", Layer: "lookup"}},
		"switched off": {tool.KitOptions{Policy: rules{lists: func(*tool.Spec) tool.Verdict { return off }}}, []tool.Tool{echoless("x")}, off},
		"without a session": {tool.KitOptions{}, []tool.Tool{with(tool.Spec{Name: "x", Kind: tool.Read, Stateful: true}, done)},
			tool.Verdict{Reason: "it needs a session, and this call has none", Layer: "lookup"}},
		"the tool's own floor": {tool.KitOptions{}, []tool.Tool{floor}, tool.Verdict{Reason: "x: /etc is outside the workspace", Layer: "tool"}},
		"denied":               {tool.KitOptions{Policy: judged(denied)}, []tool.Tool{echoless("x")}, denied},
		"nobody to ask":        {tool.KitOptions{Policy: judged(asked)}, []tool.Tool{echoless("x")}, asked},
		"declined":             {tool.KitOptions{Policy: judged(asked), Ask: no}, []tool.Tool{echoless("x")}, asked},
	} {
		k := k2(t, c.o, c.tools...)
		if res := call(t, k, "x", `{}`); res.Err == nil || res.Verdict != c.want {
			t.Errorf("%s: %v with %+v, want %+v", name, res.Err, res.Verdict, c.want)
		}
		_, err := k.Understand(t.Context(), &tool.Call{Name: "x"})
		if _, late := map[string]bool{"denied": true, "nobody to ask": true, "declined": true}[name]; late {
			continue
		}
		if res := tool.Fail(err); res.Verdict != c.want {
			t.Errorf("%s, seen by a hook: %+v, want %+v", name, res.Verdict, c.want)
		}
	}
}
