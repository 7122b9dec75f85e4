package wrap

import (
	"context"
	"slices"
	"sync"
	"time"

	"helve/tool"
)

// UnusedTime is after how long without a call a tool of others counts as unused (R1.22).
const UnusedTime = 24 * time.Hour

// Idle remembers when tools were last used, so that those of others which nobody uses can be dropped. The zero value is ready; its
// methods are safe for concurrent use.
type Idle struct {
	mu   sync.Mutex
	last map[tool.Origin]time.Time
}

// Mark is the Around middleware.
func (i *Idle) Mark(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		if res != nil && res.Job != nil {
			i.at(res.Job.Spec.Origin, time.Now())
		}
		return res, err
	}
}

func (i *Idle) at(o tool.Origin, t time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.last == nil {
		i.last = map[tool.Origin]time.Time{}
	}
	i.last[o] = t
}

// Sweep removes the discovered tools and those of MCP servers that were not called for age before now, and names them. A tool is given
// its full time from the first Sweep that sees it. Ours stay, always; a rediscovery brings the others back.
func (i *Idle) Sweep(r *tool.Registry, age time.Duration, now time.Time) []string {
	v := r.View()
	var gone []string
	for _, s := range v.Specs() {
		if s.Origin.Kind != tool.Command && s.Origin.Kind != tool.MCP {
			continue
		}
		i.mu.Lock()
		last, known := i.last[s.Origin]
		i.mu.Unlock()
		switch {
		case !known:
			i.at(s.Origin, now)
		case now.Sub(last) >= age && r.Remove(v.Name(s)):
			gone = append(gone, v.Name(s))
			i.mu.Lock()
			delete(i.last, s.Origin)
			i.mu.Unlock()
		}
	}
	slices.Sort(gone)
	return gone
}
