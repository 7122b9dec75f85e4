package tool_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"helve/tool"
)

// brings is a source with a list that a test changes.
type brings struct {
	name  string
	tools func() ([]tool.Tool, error)
}

func (b brings) Name() string                               { return b.name }
func (b brings) Tools(context.Context) ([]tool.Tool, error) { return b.tools() }

func remoteTool(server, name string) tool.Tool {
	return tool.New(tool.Spec{Name: name, Origin: tool.Origin{Kind: tool.MCP, Server: server, Name: name}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil })
}

func listed(r *tool.Registry) string {
	var out []string
	for _, s := range r.View().Specs() {
		out = append(out, r.View().Name(s))
	}
	return strings.Join(out, " ")
}

// A branch sees what its base sees until a source of its own has a list: then that one counts, whatever the base says of it, and
// everything else goes on following the base.
func TestABranchSeesItsOwnSourcesInPlaceOfTheBase(t *testing.T) {
	base := &tool.Registry{}
	base.Set("a", []tool.Tool{remoteTool("a", "one"), remoteTool("a", "two")})
	base.Set("b", []tool.Tool{remoteTool("b", "one")})
	branch := base.Branch()
	defer branch.Close()
	k := branch.Kit(tool.KitOptions{})
	if got := listed(branch); got != "mcp__a__one mcp__a__two mcp__b__one" {
		t.Fatal(got)
	}
	own := brings{"a", func() ([]tool.Tool, error) { return []tool.Tool{remoteTool("a", "one"), remoteTool("a", "mine")}, nil }}
	failing := brings{"b", func() ([]tool.Tool, error) { return nil, context.DeadlineExceeded }}
	if branch.Attach(t.Context(), own) != nil || branch.Attach(t.Context(), failing) == nil {
		t.Fatal("attach")
	}
	if got := listed(branch); got != "mcp__a__mine mcp__a__one mcp__b__one" {
		t.Errorf("with a list of its own: %s", got)
	}
	want := "mcp__a__mine mcp__a__one mcp__b__two mcp__c__new"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		base.Set("a", nil)
		base.Set("b", []tool.Tool{remoteTool("b", "two")})
		base.Set("c", []tool.Tool{remoteTool("c", "new")})
	}()
	for range k.Watch(ctx) {
		if listed(branch) == want {
			break
		}
	}
	if got := listed(base); slices.Contains(strings.Fields(got), "mcp__a__mine") {
		t.Errorf("the base has what is the branch's: %s", got)
	}
	branch.Close()
	base.Set("d", []tool.Tool{remoteTool("d", "late")})
	if got := listed(branch); got != want {
		t.Errorf("a closed branch goes on: %s", got)
	}
}
