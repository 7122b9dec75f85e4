package acp

import (
	"context"
	"fmt"

	"helve/cmd/internal/asking"
	"helve/internal/visible"
	"helve/policy"
	"helve/tool"
)

// The answers that a question has in the editor.
const (
	optionYes     = "yes"
	optionSession = "session" // and the number of the rule that it stands for
	optionRule    = "rule"    // likewise
	optionExactly = "always"
	optionNo      = "no"
)

// maxPreview bounds what a question shows of what would happen, in bytes. What is longer cannot be approved here:
// nobody would have seen all of it.
const maxPreview = 4 << 20

// ask asks the person in the editor about a call.
func (s *session) ask(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	content, fits := questionContent(s.host.Workspace().Dir(), q)
	if !fits {
		return tool.Answer{Unasked: true, Note: "What it would do is too long to be shown in the editor."}, nil
	}
	options, answers := s.choices(q)
	return s.question(ctx, s.asked(q.Job, content), options, answers)
}

// asked is the call as the question shows it. A call that another one makes has that one's place.
func (s *session) asked(j *tool.Job, content []toolContent) askedCall {
	out := askedCall{Content: content}
	c := s.call(j.Call.ID)
	if c == nil || j.Call.Parent != "" {
		s.shown.mu.Lock()
		s.shown.n++
		c = &shownCall{id: fmt.Sprintf("%s-%d", s.id, s.shown.n), name: j.Call.Name}
		s.shown.mu.Unlock()
	}
	out.toolCall = toolCall{
		CallID:    c.id,
		Title:     titleOf(j),
		Name:      c.name,
		Class:     s.class(c.name),
		Status:    "pending",
		Locations: locationsOf(s.host.Workspace().Dirs(), j),
		Input:     rawOf(j.Call.Args),
	}
	return out
}

// questionContent is what a person has to see: why it is asked, what of the arguments is not as the model wrote it,
// and what would happen.
func questionContent(dir string, q *tool.Question) (out []toolContent, fits bool) {
	var lines string
	if o := q.Job.Spec.Origin; o.Server != "" {
		lines += "Tool " + visible.SpelledLine(o.Name) + " of the MCP server " + visible.SpelledLine(o.Server) + "\n"
	}
	if why := q.Verdict.Why(); why != "" {
		lines += "Asked because: " + visible.SpelledLine(why) + "\n"
	}
	for _, r := range q.Repairs {
		lines += "Repaired: " + visible.SpelledLine(r) + "\n"
	}
	if lines != "" {
		out = append(out, textContent(lines))
	}
	switch preview := q.Preview.(type) {
	case nil:
		return out, true
	case tool.Diff: // a file's own words stay as they are
		if preview.Note != "" {
			out = append(out, textContent(visible.SpelledText(preview.Note)))
		}
		if len(preview.Unified) > maxPreview {
			return out, false
		}
		return append(out, diffContent(dir, preview)...), true
	default:
		text := visible.SpelledText(preview.String())
		out = append(out, toolContent{Type: "content", Content: &block{Type: "text", Text: text}})
		return out, len(text) <= maxPreview
	}
}

// choices are the answers to a question, and what each of them means. A yes that is to last says what it covers.
func (s *session) choices(q *tool.Question) ([]permissionOption, map[string]tool.Answer) {
	options := []permissionOption{{optionYes, "Yes, once", "allow_once"}}
	answers := map[string]tool.Answer{optionYes: {Yes: true}}
	add := func(id, name string, a tool.Answer) {
		a.Yes = true
		options = append(options, permissionOption{id, name, "allow_always"})
		answers[id] = a
	}
	if !q.Late { // another time it is another thing
		rules := s.host.Workspace().Approvals().Offers(q.Job)
		for i, rule := range rules {
			add(fmt.Sprint(optionSession, i), "Yes, for this session: "+ruleLabel(rule, q.Job),
				tool.Answer{For: tool.ThisSession, Rule: rule})
		}
		add(optionExactly, "Yes, always in this workspace: exactly this", tool.Answer{For: tool.Always})
		for i, rule := range rules {
			add(fmt.Sprint(optionRule, i), "Yes, always in this workspace: "+ruleLabel(rule, q.Job),
				tool.Answer{For: tool.Always, Rule: rule})
		}
	}
	options = append(options, permissionOption{optionNo, "No", "reject_once"})
	answers[optionNo] = tool.Answer{}
	return options, answers
}

// ruleLabel says what a rule allows, as it will be stored.
func ruleLabel(rule string, j *tool.Job) string {
	switch rule {
	case policy.WholeTool:
		return "whatever the tool " + visible.SpelledLine(j.Call.Name) + " does"
	case policy.WholeServer:
		return "whatever the tools of the server " + visible.SpelledLine(j.Spec.Origin.Server) + " do"
	}
	return "allow " + visible.SpelledLine(rule)
}

// leave asks whether a plan may be carried out. A yes approves no call.
func (s *session) leave(ctx context.Context, plan string) (tool.Answer, error) {
	return s.aside(ctx, "switch_mode", "Carry out this plan?", plan, []permissionOption{
		{optionYes, "Yes: the mode is " + policy.AskFirst.String() + " from then on", "allow_once"},
		{optionNo, "No, keep planning", "reject_once"},
	})
}

// trusts asks about files that would instruct the model.
func (s *session) trusts(ctx context.Context, q *asking.MemoryQuestion) (tool.Answer, error) {
	text := visible.SpelledText(q.Title + "\n\n" + q.Preview)
	return s.aside(ctx, "read", q.Ask, text, []permissionOption{
		{optionYes, "Yes, until they change", "allow_always"},
		{optionNo, "No", "reject_once"},
	})
}

// aside asks what is about no call, by yes or no.
func (s *session) aside(
	ctx context.Context, class, title, text string, options []permissionOption,
) (tool.Answer, error) {
	call := askedCall{Content: []toolContent{textContent(text)}}
	s.shown.mu.Lock()
	s.shown.n++
	call.CallID = fmt.Sprintf("%s-%d", s.id, s.shown.n)
	s.shown.mu.Unlock()
	call.Title, call.Class, call.Status = title, class, "pending"
	return s.question(ctx, call, options, map[string]tool.Answer{optionYes: {Yes: true}, optionNo: {}})
}

// question asks the editor, one question after the other. Whatever is no clear yes is a no.
func (s *session) question(
	ctx context.Context, call askedCall, options []permissionOption, answers map[string]tool.Answer,
) (tool.Answer, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if err := ctx.Err(); err != nil { // everything was stopped at the question before
		return tool.Answer{}, err
	}
	var in askIn
	err := s.e.call(ctx, methodAsk, askOut{ID: s.id, Call: call, Options: options}, &in)
	switch {
	case ctx.Err() != nil:
		return tool.Answer{}, ctx.Err()
	case err != nil: // the editor cannot ask, or is gone: nobody has seen it
		return tool.Answer{Unasked: true, Note: "The editor could not ask: " + err.Error()}, nil
	}
	answer, known := answers[in.Outcome.Option]
	if in.Outcome.Outcome != "selected" || !known {
		return tool.Answer{Unasked: true, Note: "The question was closed in the editor without an answer."}, nil
	}
	answer.By = tool.Approver{Kind: tool.ByPerson, Via: "acp", Client: s.e.capable().Info.Name}
	return answer, nil
}
