package clienthook

import (
	"cmp"
	"context"
	"strings"
	"time"

	"helve/internal/waiting"
	"helve/tool"
)

// A client that has no question of its own, or whose person nobody sees, has the call refused, and helve's question
// waits: a person answers it by helve approvals, and the same call made again finds the answer. Where somebody watches
// the questions the call waits for them, as long as a hook may.

const (
	answerPoll = 50 * time.Millisecond
	// answerMargin is what of a hook's time is left for the rest of its work.
	answerMargin = time.Second
)

// Person is who answers such a question, for the record.
func Person() tool.Approver { return tool.Approver{Kind: tool.ByPerson, Via: "approvals"} }

// askElsewhere has a person asked by helve itself.
func (r *run) askElsewhere(ctx context.Context, j *judged) (Answer, error) {
	key := r.waitingKey(j)
	if a, err := r.answered(ctx, j, waiting.Take(r.State, key)); a != nil || err != nil {
		return deref(a), err
	}
	q, err := waiting.Ask(r.State, key, waiting.Question{
		Client:       r.Client.Name,
		Conversation: r.event.Conversation,
		Workspace:    r.ws.Dir(),
		Tool:         r.event.Tool,
		Kind:         j.act.Kind.effect().String(),
		Title:        r.title(j),
		Text:         r.whole(j),
		Reason:       r.why(j),
		Rule:         r.rule(j),
	})
	if err != nil || r.event.Conversation == "" { // nobody would know the call again
		return Answer{Decision: Deny, Reason: r.notAsked(j, "")}, nil
	}
	if !waiting.Watched(r.State) {
		return Answer{Decision: Deny, Reason: r.notAsked(j, q.ID)}, nil
	}
	if a, err := r.answered(ctx, j, r.await(ctx, key)); a != nil || err != nil {
		return deref(a), err
	}
	text := "helve asks a person about this, who has not answered yet: " + r.why(j) + ". Call it again in a moment"
	return Answer{Decision: Deny, Reason: text}, nil
}

func deref(a *Answer) Answer {
	if a == nil {
		return Answer{}
	}
	return *a
}

// waitingKey names the call: by its lines, where it has some, since models describe the same line in other words.
func (r *run) waitingKey(j *judged) string {
	call := string(r.event.Input)
	if j.act.Kind == Shell {
		call = strings.Join(append([]string{j.dir}, j.lines...), "\x00")
	}
	return waiting.Key(r.Client.Name, r.event.Conversation, r.ws.Dir(), r.event.Tool+"\x00"+call)
}

// maxText bounds what a person is shown of a call, in bytes: nobody says yes to what is longer.
const maxText = 32 << 10

// whole is all that the call would do, for whoever decides; "" where that is too long to be shown.
func (r *run) whole(j *judged) string {
	text := string(r.event.Input)
	if j.act.Kind == Shell {
		text = "in " + j.dir + "\n$ " + strings.ReplaceAll(strings.Join(j.lines, "\n"), "\n", "\n> ")
	}
	if len(text) > maxText {
		return ""
	}
	return text
}

// await waits for an answer.
func (r *run) await(ctx context.Context, key string) string {
	end, limited := ctx.Deadline()
	for !limited || time.Until(end) > answerMargin {
		if said := waiting.Take(r.State, key); said != "" {
			return said
		}
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(answerPoll):
		}
	}
	return ""
}

// answered is what follows from an answer; nil where there is none.
func (r *run) answered(ctx context.Context, j *judged, said string) (*Answer, error) {
	switch said {
	case waiting.Yes:
	case waiting.No:
		return &Answer{Decision: Deny, Reason: "helve refuses this: a person said no to it (" + r.why(j) + ")"}, nil
	default:
		return nil, nil
	}
	j.said = true
	if j.act.Kind != Shell || j.act.Patch || j.client == denies || j.away != "" {
		return &Answer{}, nil
	}
	input, err := r.rewrite(ctx, j, "ask")
	if err != nil || input == nil {
		return &Answer{}, err
	}
	return &Answer{Decision: Rewrite, Input: input, Allow: true}, nil
}

// notAsked refuses what would be asked about where nobody can be, and says how it is allowed.
func (r *run) notAsked(j *judged, id string) string {
	text := "helve refuses this, as nobody can be asked here: " + r.why(j)
	once, rule := "", ""
	if id != "" {
		once = "once with: helve approvals yes " + id + " (and then it is to be called again)"
	}
	if rule = r.rule(j); rule != "" {
		rule = "for good with " + rule + " among the rules of helve's configuration"
	}
	if cmp.Or(once, rule) == "" {
		return text
	}
	both := ""
	if once != "" && rule != "" {
		both = ", or "
	}
	return text + ". A person can allow it " + once + both + rule
}
