package asking

import (
	"context"

	"helve/cmd/internal/terminal"
	"helve/internal/visible"
	"helve/policy"
	"helve/tool"
)

// The values of the choices below. They never leave this file, and no rule reads like one of them.
const (
	wordNo      = "no"
	wordInstead = "instead" // no, and what to do in its place
	WordYes     = "yes"
	wordSession = "session"
	wordAlways  = "always"
	wordEach    = "each"         // of several calls: each is to be asked about by itself
	onlyThis    = "exactly this" // of what is to be remembered; every other value is a rule
)

// Refuse is the first choice everywhere: Enter, pressed without a thought, takes it.
func Refuse() terminal.Choice {
	return terminal.Choice{Label: "No", Value: wordNo, Letter: "n"}
}

// instead is a no with words for the model.
func instead() terminal.Choice {
	return terminal.Choice{
		Label:  "No, do this instead …",
		Value:  wordInstead,
		Letter: "d",
		Note:   "What is to be done instead?",
	}
}

// Agree is a yes. It can be taken only when all of what it is about was on the screen.
func Agree(label, value, letter string) terminal.Choice {
	return terminal.Choice{
		Label:  label,
		Value:  value,
		Letter: letter,
		Whole:  true,
	}
}

// prompt shows what is about to happen and asks. Anything but a clear yes is a no.
func (p *person) prompt(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	_, diff := q.Preview.(tool.Diff)
	said, err := p.question(ctx, terminal.Question{
		Title:   visible.SpelledLine(q.Job.Title), // in one line: words of a model must not look like ours
		Notes:   notes(q),
		Preview: previewText(q.Preview),
		Diff:    diff,
		Ask:     "Allow this?",
		Choices: p.choices(q),
	})
	switch {
	case err != nil:
		return tool.Answer{}, err
	case said.Value == WordYes:
		return tool.Answer{Yes: true}, nil
	case said.Value == wordSession:
		return p.lasting(ctx, q.Job, tool.ThisSession)
	case said.Value == wordAlways:
		return p.lasting(ctx, q.Job, tool.Always)
	case said.Value == wordEach:
		return tool.Answer{Each: true}, nil
	}
	return tool.Answer{Note: said.Note}, nil
}

// choices are the answers to a question about a call, the careful one first.
func (p *person) choices(q *tool.Question) []terminal.Choice {
	if q.Late { // another time it is another thing
		return []terminal.Choice{Refuse(), Agree("Yes", WordYes, "y"), instead()}
	}
	out := []terminal.Choice{
		Refuse(),
		Agree("Yes, once", WordYes, "y"),
	}
	if p.Stays && q.Job.Call.Session != nil {
		session := Agree("Yes, for this session", wordSession, "s")
		out = append(out, session)
	}
	out = append(out, Agree("Yes, always in this workspace", wordAlways, "a"))
	if len(q.Calls) > 0 {
		out = append(out, terminal.Choice{Label: "Ask about each call as it comes", Value: wordEach, Letter: "e"})
	}
	return append(out, instead())
}

// question asks. Ctrl-C at a question stops all that the person asked for. The terminal sends no signal then: its keys
// are read one by one.
func (p *person) question(ctx context.Context, q terminal.Question) (terminal.Answer, error) {
	said, err := p.at.Ask(ctx, q)
	if err == nil && said.Interrupted && p.Stop != nil {
		p.Stop()
		return terminal.Answer{}, context.Canceled
	}
	return said, err
}

// plan asks whether a plan may be carried out. A yes ends plan mode and approves no call: each is judged and asked
// about as in any other run.
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
		Choices: []terminal.Choice{Refuse(), Agree("Yes", WordYes, "y"), instead()},
	})
	return tool.Answer{Yes: said.Value == WordYes, Note: said.Note}, err
}

// notes are the lines between what would happen and the preview of it: who would do it, why it is asked, and what of
// the arguments is not as the model wrote it.
func notes(q *tool.Question) []string {
	var lines []string
	o := q.Job.Spec.Origin
	if o.Server != "" {
		lines = append(lines, "tool "+o.Name+" of the MCP server "+o.Server)
	}
	why := q.Verdict.Why()
	if why != "" {
		lines = append(lines, "asked because: "+why)
	}
	for _, r := range q.Repairs {
		lines = append(lines, "repaired: "+r)
	}
	return lines
}

// previewText is what there is to see beyond the title; "" is nothing.
func previewText(d tool.Display) string {
	switch d := d.(type) {
	case nil:
		return ""
	case tool.Diff: // a file's own words stay as they are
		return d.String()
	}
	return visible.SpelledText(d.String())
}

// lasting is a yes that holds longer than once. What exactly it covers is asked, where it can be more than this call. A
// no there is a no to the call: who hesitates about what to remember has not agreed yet.
func (p *person) lasting(ctx context.Context, j *tool.Job, span tool.Span) (tool.Answer, error) {
	yes := tool.Answer{Yes: true, For: span}
	covers := p.offers(j)
	if len(covers) == 1 {
		return yes, nil
	}
	said, err := p.question(ctx, terminal.Question{
		Ask:     "What is to be remembered?",
		Choices: covers,
	})
	switch {
	case err != nil || said.Value == "": // Esc
		return tool.Answer{}, err
	case said.Value != onlyThis:
		yes.Rule = said.Value
	}
	return yes, nil
}

// offers are what a lasting yes can mean, the narrowest first: Enter takes that one. A rule stands there as it will be
// stored, so that nobody grants more than they read.
func (p *person) offers(j *tool.Job) []terminal.Choice {
	exactly := terminal.Choice{
		Label: "Exactly this call, and nothing else",
		Value: onlyThis,
	}
	out := []terminal.Choice{exactly}
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

// yesOrNo are the answers where nothing can be remembered or done instead.
func yesOrNo(yes string) []terminal.Choice {
	return []terminal.Choice{Refuse(), Agree(yes, WordYes, "y")}
}

// Confirm asks whether something that the person wants to do themselves is to be done, as it is shown.
func Confirm(ctx context.Context, at terminal.Terminal, q terminal.Question, yes string) (bool, error) {
	q.Choices = yesOrNo(yes)
	said, err := at.Ask(ctx, q)
	return said.Value == WordYes, err
}
