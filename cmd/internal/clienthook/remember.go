package clienthook

import (
	"fmt"
	"strings"

	"helve/internal/ticket"
	"helve/internal/workspace"
	"helve/tool"
	"helve/wrap"
)

// remember puts the call on record, and keeps what stands in the files that it may change. What fails is said: the call
// goes on, as our own tools' do.
func (r *run) remember(j *judged, a Answer) string {
	note := ""
	title := r.title(j)
	edits := j.act.Kind == Edit || j.act.Kind == Write || j.act.Patch
	if edits && a.Decision != Deny {
		if err := r.ws.Foreign().Expect(j.call, title); err != nil {
			note += fmt.Sprintf("helve: what %s changes cannot be undone: %v\n", r.event.Tool, err)
		}
	}
	if j.handed && a.Input != nil {
		return note
	}
	if j.left != "" && !strings.Contains(j.verdict.Reason, j.left) {
		j.verdict.Reason += "; it was left as it is: " + j.left
	}
	rec := lookout{r}.record(j)
	switch a.Decision {
	case Deny:
		rec.Outcome, rec.Error, rec.Approver = string(tool.Permission), a.Reason, tool.Approver{}
	case Ask:
		rec.Outcome, rec.Approver = "need", tool.Approver{}
	}
	if err := r.ws.Foreign().Keep(rec); err != nil {
		note += fmt.Sprintf("helve: the record of calls cannot be kept: %v\n", err)
	}
	return note
}

// maxTitle bounds the title of a call, in bytes, as the record does.
const maxTitle = 500

// title is the call in a line, for people.
func (r *run) title(j *judged) string {
	title := j.act.title(r.event, r.ws.Dir())
	if len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle], "") + "…"
	}
	return title
}

// readOnly is Codex' sandbox in which a command changes nothing.
const readOnly = "read-only"

// sandbox is the client's own in which it may run the command at hand; "": it has none. In one helve exec can keep no
// record: the hook, which runs outside of it, looks after the command then.
func (r *run) sandbox() string {
	if r.boxed == nil {
		box := lookout{r}.findSandbox()
		r.boxed = &box
	}
	return *r.boxed
}

func (r lookout) findSandbox() string {
	switch r.Client.Name {
	case "codex":
		switch box := codexSandbox(r.event.Transcript); box {
		case "danger-full-access":
		case "":
			return "one that is not known"
		default:
			return box
		}
	case "claude-code":
		if r.claudeSandbox() {
			return "its own"
		}
	}
	return ""
}

// noteLapsed puts on record what was handed on and run by nobody: the person said no, or the client ended before it.
func (r *run) noteLapsed() {
	for _, t := range ticket.Lapsed(r.State) {
		call := workspace.ForeignCall{
			Name:    t.Tool,
			ID:      t.Call,
			Session: &tool.Session{ID: t.Conversation, Principal: t.Client},
		}
		v := workspace.ForeignVerdict{Verdict: tool.Verdict{Decision: tool.Allow, Reason: t.Reason}}
		if t.Verdict == "ask" {
			v.Decision = tool.Ask
		}
		rec := wrap.Record{
			Origin:  &tool.Origin{Kind: tool.MCP, Server: t.Client, Name: t.Tool},
			Outcome: "need",
			Error:   fmt.Sprintf("no record of a run came within %v", ticket.Valid),
		}
		_ = r.ws.Foreign().Note(call, t.Title, v, rec) // the call at hand says whether the record can be kept
	}
}
