package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
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

// Asker is the kit's Ask for clients of a server, nil for ApproveDeny. The
// question itself is a Need, which the server carries to the client in the way
// of its protocol.
func Asker(a Approval) tool.Asker {
	if a == ApproveDeny {
		return nil
	}
	return func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		s := q.Job.Call.Session
		switch {
		case s != nil && a != ApproveClient && capable(s.Capabilities, "elicitation"):
			return elicited(q), nil
		case a == ApproveElicit:
			return tool.Answer{Note: "nobody could be asked: the client has no elicitation"}, nil
		}
		return tool.Answer{Yes: true}, nil
	}
}

// elicited is the person's answer, or the question.
func elicited(q *tool.Question) tool.Answer {
	j := q.Job
	if j.Call.Resume == nil {
		return tool.Answer{Need: &tool.Need{Requests: asking(q)}}
	}
	answer := rawjson.Get(j.Call.Resume.Answers, "approval")
	if answer == nil {
		return tool.Answer{Need: &tool.Need{Requests: asking(q)}}
	}
	action, _ := rawjson.String(rawjson.Get(answer, "action"))
	if action != "accept" {
		return tool.Answer{}
	}
	content := rawjson.Get(answer, "content")
	word, _ := rawjson.String(rawjson.Get(content, "decision"))
	note, _ := rawjson.String(rawjson.Get(content, "note"))
	switch word {
	case "once":
		return tool.Answer{Yes: true, Note: note}
	case "session":
		return tool.Answer{Yes: true, For: tool.ThisSession, Rule: j.Rule, Note: note}
	case "always":
		return tool.Answer{Yes: true, For: tool.Always, Rule: j.Rule, Note: note}
	}
	return tool.Answer{Note: note} // anything but a clear yes is a no
}

// asking is the one question of an approval, in the protocol's form.
func asking(q *tool.Question) json.RawMessage {
	j := q.Job
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s?\n%s", j.Call.Name, j.Title)
	for _, e := range j.Effects {
		fmt.Fprintf(&b, "\n%s: %s", e.Kind, e.Target)
	}
	if why := q.Verdict.Why(); why != "" {
		b.WriteString("\nAsked because: " + why)
	}
	for _, r := range q.Repairs {
		b.WriteString("\nRepaired: " + r)
	}
	if q.Preview != nil {
		b.WriteString("\n\n" + shorten(q.Preview.String(), shownPreview))
	}
	text, _ := rawjson.Visible(b.String()) // what is approved must be what is seen
	always := "always"
	if j.Rule != "" {
		always = "always: " + j.Rule
	}
	always, _ = rawjson.Visible(always)
	decision := map[string]any{
		"type":      "string",
		"title":     "Decision",
		"default":   "once",
		"enum":      []string{"once", "session", "always", "no"},
		"enumNames": []string{"this once", "in this session", always, "no"},
	}
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
	return encodePlain(map[string]any{
		"approval": map[string]any{"method": "elicitation/create", "params": question},
	})
}
