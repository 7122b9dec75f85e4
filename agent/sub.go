package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"helve/tool"
)

// SubOptions make a sub-agent.
type SubOptions struct {
	Name   string // of the tool; "" means task
	Model  Model
	Kit    *tool.Kit // what the sub-agent may use: a subset, see Only
	System string
	Limits Limits
	Listen func(Event) // what the sub-agent does; nil: nobody listens
}

type subIn struct {
	Description string `json:"description" jsonschema:"description=The task in a few words"`
	Prompt      string `json:"prompt" jsonschema:"minLength=1,description=All that the sub-agent must know: it sees nothing of this conversation"`
}

var (
	_ tool.Stringer = subIn{}
	_ tool.Effecter = subIn{}
)

func (in subIn) String() string { return "task " + in.Description }

// Effects are none of its own: each call of the sub-agent is judged for itself.
func (subIn) Effects() []tool.Effect { return []tool.Effect{} }

// Sub is a tool by which a model hands a task to an agent of its own, which starts from nothing and answers once. It
// only reads if all that its kit offers now only reads; the kit judges each call of the sub-agent.
func Sub(o SubOptions) tool.Tool {
	if o.Name == "" {
		o.Name = "task"
	}
	kind := tool.Read
	for _, s := range o.Kit.View().Specs() {
		if !s.ReadOnly {
			kind = tool.Exec
		}
	}
	spec := tool.Spec{
		Name: o.Name, Title: "Sub-agent",
		Kind: kind, Category: "task",
		Origin: tool.Origin{Kind: tool.Go, Name: o.Name},
		Doc: tool.Doc{
			Short: "Hands a task to a sub-agent and returns its answer.",
			Long:  "Use it for searches that take many steps: only the answer comes back.",
		},
	}
	return tool.New(spec, func(ctx context.Context, c *tool.Call, in subIn) (*tool.Result, error) {
		if o.Kit.View().Has(o.Name) {
			return nil, fmt.Errorf("%s: its kit offers %s itself: agents would call agents without end", o.Name, o.Name)
		}
		a := &Agent{Model: o.Model, Kit: o.Kit, System: o.System, Limits: o.Limits, Listen: o.Listen}
		a.Session, a.Dir = c.Session, c.Dir
		out, err := a.Run(ctx, in.Prompt)
		if err != nil {
			return nil, err
		}
		res := tool.NewResult(tool.Text(out.Text)).WithSummary("%s: %s", in.Description, turns(out.Turns))
		if out.Stop != Done {
			const stopped = "the sub-agent stopped (%s) before it was done. Its last words: %s"
			return nil, tool.Errorf(tool.Execution, stopped, out.Stop, out.Text)
		}
		meta, err := json.Marshal(map[string]any{"turns": out.Turns, "usage": out.Usage})
		res.Meta = meta
		return res, err
	})
}

// turns is a number of answers, as people read it.
func turns(n int) string {
	if n == 1 {
		return "1 turn"
	}
	return fmt.Sprintf("%d turns", n)
}

// Only is a policy that offers what another offers, but only the tools that satisfy a condition: a kit made with it is
// a subset.
func Only(p tool.Policy, is func(*tool.Spec) bool) tool.Policy { return subset{p, is} }

type subset struct {
	of tool.Policy
	is func(*tool.Spec) bool
}

func (s subset) Lists(sp *tool.Spec) tool.Verdict {
	if !s.is(sp) {
		return tool.Verdict{Reason: "it is not among the tools of this agent"}
	}
	return s.of.Lists(sp)
}

func (s subset) Judge(j *tool.Job) tool.Verdict { return s.of.Judge(j) }
