package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"helve/agent"
	"helve/tool"
)

// manyTools is a kit of so many tools and one that calls them.
func manyTools(t *testing.T, n, unlisted int) *tool.Kit {
	t.Helper()
	own := func(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }
	nothing := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("done"), nil }
	var reg tool.Registry
	for i := range n {
		name := fmt.Sprintf("tool%d", i)
		if err := reg.Add(tool.New(tool.Spec{Name: name, Kind: tool.Read, Origin: own(name)}, nothing)); err != nil {
			t.Fatal(err)
		}
	}
	err := reg.Add(tool.New(tool.Spec{Name: "run_script", Kind: tool.Read, Origin: own("run_script"), Calls: true},
		func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			return c.Kit.Call(ctx, &tool.Call{Name: "tool0", Args: json.RawMessage("{}"), Parent: c.AsParent()})
		}))
	if err != nil {
		t.Fatal(err)
	}
	hidden := map[string]bool{}
	for i := 1; i <= unlisted; i++ {
		hidden[fmt.Sprintf("tool%d", i)] = true
	}
	return reg.Kit(tool.KitOptions{Show: func(s *tool.Spec) bool { return !hidden[s.Name] }})
}

// A tool that calls others is declared where there are many of them, and the model is free to leave it.
func TestScriptsAreOfferedWhereManyToolsAreAtHand(t *testing.T) {
	for _, c := range []struct {
		tools, unlisted, from int
		want                  bool
	}{
		{tools: 23},
		{tools: 24, want: true},
		{tools: 60, want: true},
		{tools: 30, unlisted: 20},
		{tools: 2, from: -1, want: true},
		{tools: 2, from: 2, want: true},
		{tools: 30, from: 31},
	} {
		m := &scripted{replies: []any{calls("1", "tool0", "{}"), calls("2", "run_script", "{}"), says("done")}}
		a := &agent.Agent{Model: m, Kit: manyTools(t, c.tools, c.unlisted), ScriptsFrom: c.from}
		if _, err := a.Run(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, x := range m.asked[0].Tools.Declarations {
			names = append(names, x.Name)
		}
		if got := slices.Contains(names, "run_script"); got != c.want {
			t.Errorf("%+v: declared %v", c, got)
		}
		if got := len(names); c.want && got != c.tools-c.unlisted+1 || !c.want && got != c.tools-c.unlisted {
			t.Errorf("%+v: %d tools are declared", c, got)
		}
		// Whatever was declared, the call by itself and the one of the script work.
		if got := answers(m); len(got) != 1 || got[0] != "2: done" {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
