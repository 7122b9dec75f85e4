package agent_test

import (
	"context"
	"fmt"

	"helve/agent"
	"helve/tool"
)

// forecast is a tool of an agent's author.
func forecast() tool.Tool {
	type in struct {
		City string `json:"city" jsonschema:"description=Where,minLength=1"`
		Days int    `json:"days,omitempty" jsonschema:"default=1,minimum=1,maximum=7"`
	}
	return tool.New(tool.Spec{Name: "forecast", Kind: tool.Read, Doc: tool.Doc{Short: "Tells the weather."}},
		func(_ context.Context, _ *tool.Call, a in) (*tool.Result, error) {
			return tool.Textf("%s: sun for %d days", a.City, a.Days), nil
		})
}

// An agent can be tested without a model: Replay says what a log holds, here one that was written by hand. The
// arguments are as models write them, and are mended before the tool sees them.
func ExampleReplay() {
	var reg tool.Registry
	if err := reg.Add(forecast()); err != nil {
		panic(err)
	}
	script := &agent.Log{Replies: []*agent.Reply{
		{Assistant: agent.Assistant{Calls: []agent.Call{{ID: "1", Name: "Forecast", Args: `{'city':'Bonn','days':"3",}`}}}, Stop: agent.Calls},
		{Assistant: agent.Assistant{Text: "Take sunglasses."}, Stop: agent.Done},
	}}
	a := &agent.Agent{Model: &agent.Replay{Log: script}, Kit: reg.Kit(tool.KitOptions{}), Listen: func(e agent.Event) {
		if c, ok := e.(agent.Called); ok {
			fmt.Println(c.Result.Text())
			fmt.Println(c.Result.Repairs)
		}
	}}
	out, err := a.Run(context.Background(), "Do I need a coat in Bonn?")
	fmt.Println(out.Text, out.Turns, err)
	// Output:
	// Bonn: sun for 3 days
	// [repaired: single quotes read as double quotes; trailing comma removed; days: "3" read as 3]
	// [single quotes read as double quotes trailing comma removed days: "3" read as 3]
	// Take sunglasses. 2 <nil>
}

// A sub-agent is a tool whose kit is a subset: here one that only reads.
func ExampleSub() {
	var reg tool.Registry
	if err := reg.Add(forecast()); err != nil {
		panic(err)
	}
	reads := func(s *tool.Spec) bool { return s.ReadOnly }
	inner := &agent.Replay{Log: &agent.Log{Replies: []*agent.Reply{{Assistant: agent.Assistant{Text: "Sun."}, Stop: agent.Done}}}}
	task := agent.Sub(agent.SubOptions{Model: inner, Kit: reg.Kit(tool.KitOptions{Policy: agent.Only(allow{}, reads)})})

	var top tool.Registry
	if err := top.Add(task); err != nil {
		panic(err)
	}
	outer := &agent.Replay{Log: &agent.Log{Replies: []*agent.Reply{
		{Assistant: agent.Assistant{Calls: []agent.Call{{ID: "1", Name: "task", Args: `{"description":"look it up","prompt":"The weather in Bonn?"}`}}}, Stop: agent.Calls},
		{Assistant: agent.Assistant{Text: "It says: sun."}, Stop: agent.Done},
	}}}
	out, err := (&agent.Agent{Model: outer, Kit: top.Kit(tool.KitOptions{})}).Run(context.Background(), "Ask somebody.")
	fmt.Println(out.Text, err)
	// Output: It says: sun. <nil>
}

type allow struct{}

func (allow) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allow) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }
