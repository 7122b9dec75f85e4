package run

import (
	"context"
	"slices"
	"strings"
	"sync"

	"helve/agent"
	"helve/internal/workspace"
	"helve/tool"
)

// fates says what became of calls that were under way when a run was killed.
type fates struct {
	session string
	past    []workspace.PastCall // what its calls changed
	known   bool                 // past is all that they changed
	holds   bool                 // what commands change is held back here until they end

	find func() // finds out the three above, once
}

// newFates looks at nothing yet: to try a sandbox takes longer than all else before the first request, and few
// conversations were interrupted.
func newFates(ctx context.Context, ws *workspace.Assembly, kit *tool.Kit, session string) *fates {
	f := &fates{session: session}
	f.find = sync.OnceFunc(func() {
		calls, damaged, err := ws.Past().Calls(ctx, 0)
		f.past, f.known = calls, err == nil && damaged == 0 && ws.Past().Remembered()
		j, err := kit.Understand(ctx, &tool.Call{Name: "bash", Args: []byte(`{"command":"touch x"}`)})
		f.holds = err == nil && j.Line != nil && j.Line.Held
	})
	return f
}

// of is what became of a call.
func (f *fates) of(c *agent.Interrupted) agent.Fate {
	out := agent.Fate{State: c.Alone()}
	if out.State != agent.Unknown || len(c.Began) == 0 {
		return out
	}
	f.find()
	out.Undo = f.committed(c)
	switch {
	case slices.ContainsFunc(c.Began, beyond):
	case out.Undo != "":
		out.State = agent.Committed
	case f.known && !slices.ContainsFunc(c.Began, f.mayStay):
		out.State = agent.Dropped
	}
	return out
}

// beyond tells of a job that reached what helve does not keep: a network, a tool of others.
func beyond(b agent.Began) bool { return !b.Own || slices.Contains(b.Kinds, tool.Net) }

// mayStay tells of a job whose changes may be there though the history knows of none.
func (f *fates) mayStay(b agent.Began) bool {
	runs := slices.Contains(b.Kinds, tool.Exec) && !b.Calls && !b.Reads
	return slices.Contains(b.Kinds, tool.State) || runs && !(b.Held && f.holds)
}

// committed is what helve undo takes of what a call changed; "": nothing of it is in the history.
func (f *fates) committed(c *agent.Interrupted) string {
	for _, p := range f.past {
		switch {
		case p.Session != f.session || p.Time.Before(c.Since()):
		case p.Parent != "" && strings.HasSuffix(p.Parent, "-"+c.ID):
			return p.Parent
		case p.Parent != "" && slices.ContainsFunc(c.Began, func(b agent.Began) bool { return b.Parent == p.Parent }):
			return p.Parent
		case p.Parent == "" && p.Call == c.ID:
			return p.ID
		}
	}
	return ""
}
