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

// Names fit with what a client puts before them: mcp is there once, and what had to be cut keeps its difference in front.
func TestNamesFitBehindAClientsPrefix(t *testing.T) {
	const prefix = "mcp__helve__"
	long := strings.Repeat("create_a_new_thing_", 5)
	reg := &tool.Registry{}
	reg.Set("github", []tool.Tool{remoteTool("github", "create_issue"), remoteTool("github", long+"a"), remoteTool("github", long+"b")})
	reg.Set("odd__server", []tool.Tool{remoteTool("odd__server", "x")})
	k := reg.Kit(tool.KitOptions{Policy: everyone{}, Names: tool.ServerNames, MaxName: 64 - len(prefix)})
	v := k.View()
	heads := map[string]bool{}
	for _, s := range v.Specs() {
		name := v.Name(s)
		if len(prefix+name) > 64 || strings.Contains(name, "mcp__") {
			t.Errorf("%s is called %s", s.Origin, prefix+name)
		}
		if s.Name == "create_issue" && name != "github__create_issue" {
			t.Errorf("%s is called %s", s.Origin, name)
		}
		if len(s.Name) > 64 {
			heads[name[:12]] = true
		}
		for _, spelt := range []string{name, "mcp__" + s.Origin.Server + "__" + s.Name} {
			if found, ok := v.Get(spelt); !ok || found.Spec() != s {
				t.Errorf("%s is not found as %s", s.Origin, spelt)
			}
		}
	}
	if len(heads) != 2 {
		t.Errorf("cut names begin alike: %v", heads)
	}
}

type everyone struct{}

func (everyone) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (everyone) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }
