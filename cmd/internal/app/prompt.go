package app

import (
	"context"

	"helve/cmd/internal/terminal"
	"helve/policy"
	"helve/tool"
)

// The values of the choices below.
const (
	wordNo      = "no"
	wordInstead = "instead" // no, and what to do in its place
	wordYes     = "yes"
	wordSession = "session"
	wordAlways  = "always"
	onlyThis    = "exactly this" // of what is to be remembered; every other value is a rule
)

func refuse() terminal.Choice { return terminal.Choice{Label: "No", Value: wordNo, Letter: "n"} }

// instead is a no with words for the model.
func instead() terminal.Choice {
	return terminal.Choice{
		Label:  "No, do this instead …",
		Value:  wordInstead,
		Letter: "d",
		Note:   "What is to be done instead?",
	}
}

// agree is a yes. It can be taken only when all of what it is about was on the screen.
func agree(label, value, letter string) terminal.Choice {
	return terminal.Choice{Label: label, Value: value, Letter: letter, Whole: true}
}

// prompt shows what is about to happen and asks. Anything but a clear yes is a no.
func (p *person) prompt(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	choices := []terminal.Choice{refuse(), agree("Yes, once", wordYes, "y")}
	if p.stays && q.Job.Call.Session != nil {
		choices = append(choices, agree("Yes, for this session", wordSession, "s"))
	}
	choices = append(choices, agree("Yes, always in this workspace", wordAlways, "a"), instead())
	_, diff := q.Preview.(tool.Diff)
	said, err := p.question(ctx, terminal.Question{
		Title:   q.Job.Title,
		Notes:   notes(q),
		Preview: previewText(q.Preview),
		Diff:    diff,
		Ask:     "Allow this?",
		Choices: choices,
	})
	switch {
	case err != nil:
		return tool.Answer{}, err
	case said.Value == wordYes:
		return tool.Answer{Yes: true}, nil
	case said.Value == wordSession:
		return p.lasting(ctx, q.Job, tool.ThisSession)
	case said.Value == wordAlways:
		return p.lasting(ctx, q.Job, tool.Always)
	}
	return tool.Answer{Note: said.Note}, nil
}

// question asks. Ctrl-C at a question stops all that the person asked for.
func (p *person) question(ctx context.Context, q terminal.Question) (terminal.Answer, error) {
	said, err := p.at.Ask(ctx, q)
	if err == nil && said.Interrupted && p.stop != nil {
		p.stop()
		return terminal.Answer{}, context.Canceled
	}
	return said, err
}

// plan asks whether a plan may be carried out.
func (p *person) plan(ctx context.Context, plan string) (tool.Answer, error) {
	release, err := p.take(ctx, "")
	if err != nil {
		return tool.Answer{}, err
	}
	defer release()
	said, err := p.question(ctx, terminal.Question{
		Title:   "The plan",
		Preview: plan,
		Ask:     "Carry it out?",
		Choices: []terminal.Choice{refuse(), agree("Yes", wordYes, "y"), instead()},
	})
	return tool.Answer{Yes: said.Value == wordYes, Note: said.Note}, err
}

// notes are the lines between what would happen and the preview of it.
func notes(q *tool.Question) []string {
	var lines []string
	if o := q.Job.Spec.Origin; o.Server != "" {
		lines = append(lines, "tool "+o.Name+" of the MCP server "+o.Server)
	}
	if why := q.Verdict.Why(); why != "" {
		lines = append(lines, "asked because: "+why)
	}
	for _, r := range q.Repairs {
		lines = append(lines, "repaired: "+r)
	}
	return lines
}

func previewText(d tool.Display) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// lasting is a yes that holds longer than once. What exactly it covers is asked, where it can be more than this call.
func (p *person) lasting(ctx context.Context, j *tool.Job, span tool.Span) (tool.Answer, error) {
	yes := tool.Answer{Yes: true, For: span}
	covers := p.offers(j)
	if len(covers) == 1 {
		return yes, nil
	}
	said, err := p.question(ctx, terminal.Question{Ask: "What is to be remembered?", Choices: covers})
	switch {
	case err != nil || said.Value == "":
		return tool.Answer{}, err
	case said.Value != onlyThis:
		yes.Rule = said.Value
	}
	return yes, nil
}

// offers are what a lasting yes can mean, the narrowest first.
func (p *person) offers(j *tool.Job) []terminal.Choice {
	out := []terminal.Choice{{Label: "Exactly this call, and nothing else", Value: onlyThis}}
	for _, rule := range p.grants(j) {
		label := "Rule: allow " + rule
		switch rule {
		case policy.WholeTool:
			label = "Whatever the tool " + j.Call.Name + " does"
		case policy.WholeServer:
			label = "Whatever the tools of the server " + j.Spec.Origin.Server + " do"
		}
		out = append(out, terminal.Choice{Label: label, Value: rule})
	}
	return out
}

func yesOrNo(yes string) []terminal.Choice {
	return []terminal.Choice{refuse(), agree(yes, wordYes, "y")}
}

// confirm asks whether something that the person wants to do themselves is to be done, as it is shown.
func confirm(ctx context.Context, at terminal.Terminal, q terminal.Question, yes string) (bool, error) {
	q.Choices = yesOrNo(yes)
	said, err := at.Ask(ctx, q)
	return said.Value == wordYes, err
}
