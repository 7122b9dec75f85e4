package run

import (
	"context"
	"sync"

	"helve/agent"
	"helve/policy"
	"helve/tool"
)

// drafts has the calls of a reply be one draft where the configuration says so of the mode; nil: each call is asked
// about by itself. So it is where an editor holds files: what is unsaved there no draft sees.
func (t *talk) drafts(mode policy.Mode) func(context.Context, *tool.Call) (agent.Draft, error) {
	if !t.ws.ReviewsTurns(mode) || t.host != nil && t.host.Buffers != nil {
		return nil
	}
	var said sync.Once
	return func(ctx context.Context, c *tool.Call) (agent.Draft, error) {
		if t.host == nil && t.ws.Mode() != mode { // it was changed meanwhile
			return nil, nil
		}
		d, err := t.ws.TurnDraft(ctx, c)
		if err != nil {
			said.Do(func() { t.r.notice("warning", "each call is asked about by itself: %v", err) })
		}
		return d, err
	}
}
