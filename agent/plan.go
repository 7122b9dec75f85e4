package agent

import (
	"context"
	"encoding/json"

	"helve/engine/dialect"
	"helve/engine/schema"
	"helve/tool"
)

// A Plan is how an agent starts in plan mode: it calls another kit, one that only reads, until somebody approves its
// plan. The session stays: what was read is known afterwards.
type Plan struct {
	Kit *tool.Kit
	// Leave asks whether the plan may be carried out. nil: nobody approves, and leaving is not offered. An error stops
	// the run.
	Leave func(ctx context.Context, plan string) (tool.Answer, error)
}

// LeavePlan is the tool by which a model asks to leave plan mode.
const LeavePlan = "exit_plan_mode"

const (
	leaveDoc = "Shows the plan to the person and asks whether to carry it out. " +
		"Call it when the plan is complete; nothing can be changed before."
	planWords = "Plan mode: find out what is needed and make a plan. " +
		"Tools that change anything are not available; calls of them are refused."
)

const leaveInput = `{
	"type": "object",
	"properties": {"plan": {"type": "string", "description": "The plan, as the person should read it"}},
	"required": ["plan"],
	"additionalProperties": false
}`

// Replan has the agent plan from its next answer on, or with nil no more, whatever was approved before. It is called
// between runs, or by Listen when it hears a Turn.
func (a *Agent) Replan(p *Plan) { a.Plan, a.left = p, false }

func (a *Agent) planning() bool { return a.Plan != nil && !a.left }

func (a *Agent) mode() string {
	if a.planning() {
		return "plan"
	}
	return "act"
}

// kit is the one of the mode.
func (a *Agent) kit() *tool.Kit {
	if a.planning() {
		return a.Plan.Kit
	}
	return a.Kit
}

// tools are the kit's, and the way out of plan mode.
func (a *Agent) tools(v *tool.View) []dialect.Tool {
	out := a.withoutScripts(v, Tools(v))
	if !a.planning() || a.Plan.Leave == nil {
		return out
	}
	in, err := schema.Parse(json.RawMessage(leaveInput))
	if err != nil {
		return out
	}
	return append(out, dialect.Tool{Name: LeavePlan, Description: leaveDoc, Input: in})
}

func (a *Agent) system() string {
	if !a.planning() {
		return a.System
	}
	if a.System == "" {
		return planWords
	}
	return a.System + "\n\n" + planWords
}

// leave asks for approval and, with it, goes over to the other kit.
func (a *Agent) leave(ctx context.Context, args json.RawMessage) (*tool.Result, error) {
	in, err := schema.Parse(json.RawMessage(leaveInput))
	if err != nil {
		return nil, err
	}
	fixed, _, err := in.Repair(args, nil)
	var given struct{ Plan string }
	if err == nil {
		err = json.Unmarshal(fixed, &given)
	}
	if err != nil {
		bad := tool.Verbatim(tool.Validation, "%w", err)
		bad.Tool = LeavePlan
		return tool.Fail(bad), nil
	}
	if a.Plan.Leave == nil {
		return notLeft(tool.ErrorOf(tool.Permission, LeavePlan, "nobody can approve the plan here")), nil
	}
	answer, err := a.Plan.Leave(ctx, given.Plan)
	switch {
	case err != nil:
		return nil, err
	case !answer.Yes:
		e := tool.ErrorOf(tool.Permission, LeavePlan, "the plan was not approved")
		if answer.Note != "" {
			e = e.WithHint("The person says: %s", answer.Note)
		}
		return notLeft(e), nil
	}
	a.left = true
	a.record(entry{Type: "mode", Mode: a.mode()})
	a.emit(Left{given.Plan})
	text := "The plan is approved. Plan mode is over: carry it out."
	if answer.Note != "" {
		text += "\nThe person says: " + answer.Note
	}
	return tool.NewResult(tool.Text(text)).WithSummary("plan approved"), nil
}

// notLeft is the refusal of a call that would leave plan mode.
func notLeft(why *tool.Error) *tool.Result {
	res := tool.Fail(why)
	res.Verdict = tool.Verdict{
		Decision: tool.Ask,
		Reason:   "a person decides whether a plan is carried out",
		Rule:     "mode:plan",
		Layer:    "mode",
	}
	return res
}
