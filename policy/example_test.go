package policy_test

import (
	"context"
	"encoding/json"
	"fmt"

	"helve/policy"
	"helve/tool"
)

// Layers of rules, highest first, make one policy; its word names the rule and the layer.
func ExampleNew() {
	rules, err := policy.New(policy.Options{Mode: policy.AskFirst},
		policy.Layer{Name: "user", Rules: []policy.Rule{{Decision: tool.Deny, Text: "save:**/.env"}}},
		policy.Layer{Name: "project", Rules: []policy.Rule{{Decision: tool.Allow, Text: "save:docs/**"}}},
	)
	if err != nil {
		panic(err)
	}
	save := tool.Plan(tool.Spec{Name: "save", Kind: tool.Write}, func(_ context.Context, _ *tool.Call, in struct {
		Path string `json:"path"`
	}) (*tool.Job, error) {
		return &tool.Job{
			Title:   "save " + in.Path,
			Effects: []tool.Effect{{Kind: tool.Write, Target: in.Path}},
			Run:     func(context.Context) (*tool.Result, error) { return tool.Textf("saved %s", in.Path), nil },
		}, nil
	})
	var reg tool.Registry
	if err := reg.Add(save); err != nil {
		panic(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: rules})
	for _, path := range []string{"docs/a.md", "docs/.env", "main.go"} {
		args, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			panic(err)
		}
		res, err := kit.Call(context.Background(), &tool.Call{Name: "save", Args: args})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s\n", res.Verdict.Decision, res.Verdict.Why())
	}
	// Output:
	// allow: the configuration allows it (rule allow save:docs/**, project layer)
	// deny: the configuration denies it (rule deny save:**/.env, user layer)
	// ask: changing files needs approval
}
