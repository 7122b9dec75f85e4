package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/visible"
	"helve/tool"
)

// Approval is who decides what the policy asks about.
type Approval uint8

const (
	ApproveAuto   Approval = iota // the person, by elicitation, if the client can; else as ApproveClient
	ApproveClient                 // the client: its own prompt before each call counts as the person's answer
	ApproveElicit                 // the person, by elicitation; a client that cannot is refused
	ApproveDeny                   // nobody: what would be asked is refused
)

// ParseApproval reads auto, client, elicit or deny.
func ParseApproval(s string) (Approval, error) {
	for i, n := range []string{"auto", "client", "elicit", "deny"} {
		if s == n {
			return Approval(i), nil
		}
	}
	return ApproveDeny, fmt.Errorf("approval %q: want auto, client, elicit or deny", s)
}

// shownPreview is how much of a preview a question shows, in bytes: a dialogue,
// not a pager.
const shownPreview = 4 << 10

// hasty is the time below which nobody has read a question, let alone answered
// it: a no that comes faster is a program's.
const hasty = 50 * time.Millisecond

// An Approver asks the clients of a server. The zero value is ApproveAuto. The
// question itself is a Need, which the server carries to the client in the way
// of its protocol.
type Approver struct {
	Approval Approval

	// Asked tells, for ApproveAuto, that the client has asked about a job by
	// itself, so that calling the tool is the answer. It should be narrower than
	// trusting the client: what a client is taken for rests on the name that it
	// gives itself. nil: no job.
	Asked func(*tool.Question) bool

	// Unasked is told of each question that the client answered in its user's
	// place. nil: nobody wants to know.
	Unasked func(*tool.Question)
}

// Asker is the kit's Ask for clients of which nothing is known, nil for
// ApproveDeny.
func Asker(a Approval) tool.Asker { return Approver{Approval: a}.Asker() }

// Asker is the kit's Ask, nil for ApproveDeny.
func (a Approver) Asker() tool.Asker {
	if a.Approval == ApproveDeny {
		return nil
	}
	return func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		said, err := a.ask(ctx, q)
		if s := q.Job.Call.Session; s != nil && said.By.Kind != "" {
			said.By.Client = s.Client
		}
		return said, err
	}
}

func (a Approver) ask(_ context.Context, q *tool.Question) (tool.Answer, error) {
	s := q.Job.Call.Session
	asks := s != nil && capable(s.Capabilities, "elicitation")
	late := q.Late && !q.Deferred
	switch {
	case late && asks:
		return a.elicited(q), nil
	case late: // whatever the client asked before the call, nobody saw this
		return tool.Answer{Unasked: true, Note: "the client cannot be asked about it"}, nil
	case a.Approval == ApproveClient:
		return byClient("approval"), nil
	case q.Job.Call.Parent != "" && !asks: // the client's prompt was about the script, not about this
		return tool.Answer{Unasked: true, Note: "the client has no elicitation, and what it asked before was about the call " +
			"that this one is a part of. Make this call by itself. " + whatHelps}, nil
	case q.Job.Call.Parent == "" && a.Approval == ApproveAuto && a.Asked != nil && a.Asked(q):
		return byClient("profile"), nil
	case asks:
		return a.elicited(q), nil
	case a.Approval == ApproveElicit:
		return tool.Answer{Unasked: true, Note: "the client has no elicitation. " + whatHelps}, nil
	}
	return byClient("no elicitation"), nil
}

// byClient is the yes of a client that is taken to have asked its person.
func byClient(via string) tool.Answer {
	return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByClient, Via: via}}
}

// elicited is the person's answer, or the question.
func (a Approver) elicited(q *tool.Question) tool.Answer {
	said := a.heard(q)
	said.By = tool.Approver{Kind: tool.ByPerson, Via: "elicitation"}
	return said
}

func (a Approver) heard(q *tool.Question) tool.Answer {
	resume := q.Job.Call.Resume
	if resume == nil {
		return tool.Answer{Need: &tool.Need{Requests: asking(q)}}
	}
	answer := rawjson.Get(resume.Answers, approvalKey)
	if answer == nil {
		return tool.Answer{Need: &tool.Need{Requests: asking(q)}}
	}
	action, _ := rawjson.String(rawjson.Get(answer, "action"))
	if action != "accept" {
		return a.declined(q, action)
	}
	content := rawjson.Get(answer, "content")
	word, _ := rawjson.String(rawjson.Get(content, "decision"))
	note, _ := rawjson.String(rawjson.Get(content, "note"))
	rule := q.Job.Rule
	switch word {
	case "once":
		return tool.Answer{Yes: true, Note: note}
	case "session":
		return tool.Answer{Yes: true, For: tool.ThisSession, Rule: rule, Note: note}
	case "always":
		return tool.Answer{Yes: true, For: tool.Always, Rule: rule, Note: note}
	case wordEach:
		return tool.Answer{Each: len(q.Calls) > 0, Note: note}
	}
	return tool.Answer{Note: note} // anything but a clear yes is a no
}

// whatHelps is for the person who runs helve; a model that reads it can pass it
// on.
const whatHelps = "What helps: helve serve --approval client, for a client that asks by itself, " +
	"or a rule that allows such calls. Do not retry before that."

// declined tells a person's no from a client without a person: one that runs by
// itself cancels, or declines at once.
func (a Approver) declined(q *tool.Question, action string) tool.Answer {
	took := q.Job.Call.Resume.Took
	if action != "cancel" && (took == 0 || took >= hasty) {
		return tool.Answer{}
	}
	if a.Unasked != nil {
		a.Unasked(q)
	}
	note := "the client answered in its user's place"
	if took > 0 && took < hasty {
		note += fmt.Sprintf(", after %d ms", took.Milliseconds())
	}
	return tool.Answer{Unasked: true, Note: note + ". " + whatHelps}
}

// wordEach is the answer that each of several calls is to be asked about by itself.
const wordEach = "each"

// approvalKey is the key of that question among what a call needs.
const approvalKey = "approval"

// decisions are what may be answered. What showed late is answered once: another time it is another thing.
func decisions(q *tool.Question) map[string]any {
	if q.Late {
		return map[string]any{
			"type":      "string",
			"title":     "Decision",
			"default":   "no",
			"enum":      []string{"once", "no"},
			"enumNames": []string{"yes", "no"},
		}
	}
	always := "always"
	if q.Job.Rule != "" {
		always = "always: " + q.Job.Rule
	}
	words := []string{"once", "session", "always", "no"}
	names := []string{"this once", "in this session", visible.Text(always), "no"}
	if s := q.Job.Call.Session; s == nil || s.Shared { // nothing could remember it
		words, names = slices.Delete(words, 1, 2), slices.Delete(names, 1, 2)
	}
	if len(q.Calls) > 0 {
		words, names = append(words, wordEach), append(names, "ask about each call as it comes")
	}
	return map[string]any{
		"type":      "string",
		"title":     "Decision",
		"default":   "once",
		"enum":      words,
		"enumNames": names,
	}
}

// asking is the one question of an approval, in the protocol's form.
func asking(q *tool.Question) json.RawMessage {
	j := q.Job
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s?\n%s", j.Call.Name, visible.SpelledLine(j.Title))
	for _, e := range j.Effects { // a line each: the name of a file must not say why it is asked
		fmt.Fprintf(&b, "\n%s: %s", e.Kind, visible.SpelledLine(e.Target))
	}
	if why := q.Verdict.Why(); why != "" {
		b.WriteString("\nAsked because: " + visible.Line(why))
	}
	for _, r := range q.Repairs {
		b.WriteString("\nRepaired: " + visible.Line(r))
	}
	if q.Preview != nil {
		b.WriteString("\n\n" + shorten(q.Preview.String(), shownPreview))
	}
	text := visible.Text(b.String())
	decision := decisions(q)
	note := map[string]any{"type": "string", "title": "Words for the model"}
	question := map[string]any{
		"mode":    "form",
		"message": text,
		"requestedSchema": map[string]any{
			"type":       "object",
			"required":   []string{"decision"},
			"properties": map[string]any{"decision": decision, "note": note},
		},
	}
	if meta := display(q); meta != nil {
		question["_meta"] = meta
	}
	return encodePlain(map[string]any{
		approvalKey: map[string]any{"method": "elicitation/create", "params": question},
	})
}
