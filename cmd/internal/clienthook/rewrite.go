package clienthook

import (
	"context"
	"fmt"
	"slices"

	"helve/engine/shell"
	"helve/internal/rewritten"
	"helve/internal/ticket"
	"helve/tool"
)

// rewrite is the call's input with its lines run by helve; nil where they stay as they are. A ticket for each hands the
// verdict on.
func (r *run) rewrite(ctx context.Context, j *judged, verdict string) (input []byte, err error) {
	exe := r.exe()
	if j.left != "" || !r.Client.Rewrites || exe == "" || !j.verdict.Confines || r.ws.Foreign().Confines(ctx) != nil {
		return nil, nil
	}
	var lines []string
	for _, line := range j.lines {
		c := rewritten.Command{
			Line:       line,
			Client:     r.Client.Name,
			Exe:        exe,
			Background: j.act.Background || shell.Backgrounds(line),
			Follow:     rewritten.Follows(r.Client.Name),
		}
		text := c.Text()
		if text == "" {
			return nil, nil
		}
		lines = append(lines, text)
	}
	input, err = r.Client.with(r.event, lines)
	if err != nil {
		return nil, nil // its lines stand where they are not known
	}
	r.noteLapsed()
	j.handed = r.sandbox() == ""
	for _, line := range j.lines {
		t := r.ticket(j, line, verdict)
		if r.sandbox() != "" {
			t.Look, t.End = lookout{r}.look(ctx, j, line)
			j.handed = t.Look != ""
		}
		t.Recorded = !j.handed
		if err := ticket.Leave(r.State, t); err != nil {
			return nil, fmt.Errorf("the verdict cannot be handed on: %w", err)
		}
	}
	return input, nil
}

// ticket is the verdict on a line, for the process that runs it.
func (r *run) ticket(j *judged, line, verdict string) ticket.Ticket {
	return ticket.Ticket{
		Client:       r.Client.Name,
		Folder:       j.dir,
		Digest:       ticket.Digest(line),
		Workspace:    r.ws.Dir(),
		Dirs:         r.ws.Dirs()[1:],
		Conversation: r.event.Conversation,
		Mode:         r.ws.Mode().String(),
		Verdict:      verdict,
		Reason:       j.verdict.Reason,
		Network:      slices.ContainsFunc(j.verdict.Effects, isNet) || slices.Contains(r.settings.Network, line),
		Tool:         r.event.Tool,
		Call:         r.event.Call,
		Title:        r.title(j),
		Said:         j.said,
	}
}

// isNet tells of the network that a line is asked about.
func isNet(e tool.Effect) bool { return e.Kind == tool.Net }

// exe is helve as the rewritten line names it; "": in no way that the client takes.
func (r *run) exe() string {
	if r.Client.Bare {
		return r.Program.Name
	}
	return r.Program.Path
}
