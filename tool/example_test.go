package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"helve/engine/schema"
	"helve/policy"
	"helve/tool"
	"helve/wrap"
)

// A tool is a spec, a struct and a function.
func ExampleNew() {
	type in struct {
		Name  string `json:"name" jsonschema:"description=Whom to greet"`
		Times int    `json:"times,omitempty" jsonschema:"description=How often,default=1,minimum=1,maximum=3"`
	}
	greet := tool.New(tool.Spec{Name: "greet", Kind: tool.Read, Doc: tool.Doc{Short: "Greets somebody."}},
		func(_ context.Context, _ *tool.Call, a in) (*tool.Result, error) {
			return tool.NewResult(tool.Text(strings.Repeat("Hello, "+a.Name+"! ", a.Times))).WithSummary("greeted %s", a.Name), nil
		})

	var reg tool.Registry
	if err := reg.Add(greet); err != nil {
		panic(err)
	}
	res, err := reg.Kit(tool.KitOptions{}).Call(context.Background(), &tool.Call{Name: "greet", Args: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(res.Text(), err)
	// Output: Hello, Ada!  <nil>
}

// A kit is a registry's tools under one policy: what is not listed cannot be called, what is asked about needs a yes.
func ExampleRegistry_Kit() {
	remove := tool.Plan(tool.Spec{Name: "remove", Kind: tool.Write, Doc: tool.Doc{Short: "Removes a thing."}},
		func(_ context.Context, _ *tool.Call, in struct {
			What string `json:"what"`
		}) (*tool.Job, error) {
			return &tool.Job{
				Title:   "remove " + in.What,
				Effects: []tool.Effect{{Kind: tool.Write, Target: in.What}},
				Run:     func(context.Context) (*tool.Result, error) { return tool.Textf("removed"), nil },
			}, nil
		})
	var reg tool.Registry
	if err := reg.Add(remove); err != nil {
		panic(err)
	}
	kit := reg.Kit(tool.KitOptions{
		Policy: policy.AskFirst,
		Wrap:   wrap.Standard(wrap.Options{}),
		Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			return tool.Answer{Yes: q.Job.Effects[0].Target == "dust"}, nil
		},
	})
	for _, what := range []string{"dust", "everything"} {
		res, _ := kit.Call(context.Background(), &tool.Call{Name: "remove", Args: json.RawMessage(`{"what":"` + what + `"}`)})
		fmt.Println(res.Text())
	}
	// Output:
	// removed
	// Error: remove: declined.
	// Do not retry; ask what to do instead.
}

// A middleware stands around whole calls and sees refusals, too.
func ExampleCaller() {
	trace := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			start := time.Now()
			res, err := next(ctx, c)
			fmt.Println(c.Name, res.Verdict.Decision, time.Since(start) < time.Minute)
			return res, err
		}
	}
	var reg tool.Registry
	kit := reg.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{trace}})
	kit.Call(context.Background(), &tool.Call{Name: "nothing"})
	// Output: nothing deny true
}

// What other agents call a tool's parameters, and the units that they use, is data of its spec.
func ExampleSpec() {
	type in struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout,omitempty" jsonschema:"description=Milliseconds"`
	}
	spec := tool.Spec{
		Name:   "build",
		Kind:   tool.Exec,
		Doc:    tool.Doc{Short: "Builds it."},
		Params: map[string]string{"cmd": "command"},
		Translate: map[string]schema.Spelling{
			"timeout_seconds": {To: "timeout", Times: 1000},
		},
	}
	build := tool.New(spec, func(_ context.Context, _ *tool.Call, a in) (*tool.Result, error) {
		return tool.Textf("%s ran, at most %d ms", a.Command, a.Timeout), nil
	})
	var reg tool.Registry
	if err := reg.Add(build); err != nil {
		panic(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: policy.AskFirst, Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		return tool.Answer{Yes: true}, nil
	}})
	for _, args := range []string{`{"cmd":"make","timeout_seconds":2}`, `{"command":"make","dry_run":true}`} {
		res, _ := kit.Call(context.Background(), &tool.Call{Name: "build", Args: json.RawMessage(args)})
		fmt.Println(res.Text())
	}
	// Output:
	// make ran, at most 2000 ms
	// [repaired: timeout: given as "timeout_seconds", read as 2000; command: given as "cmd"]
	// Parameter validation failed: dry_run: unknown property: known are command and timeout
}
