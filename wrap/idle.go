package wrap

import (
	"context"
	"slices"
	"sync"
	"time"

	"helve/tool"
)

// UnusedTime is after how long without a call a tool of others counts as unused.
const UnusedTime = 24 * time.Hour

// Idle remembers when tools were last used, so that those of others which nobody uses can be dropped. The zero value is
// ready; its methods are safe for concurrent use.
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

// Sweep removes the tools of other programs that were not called for age before now, and names them.
// A tool is given its full time from the first Sweep that sees it. Ours stay, always; a rediscovery brings the others
// back.
func (i *Idle) Sweep(r *tool.Registry, age time.Duration, now time.Time) []string {
	v := r.View()
	var gone []string
	for _, s := range v.Specs() {
		if s.Origin.Kind == tool.Builtin || s.Origin.Kind == tool.Go {
			continue
		}
		name := v.Name(s)
		if i.unusedFor(s.Origin, now) >= age && r.Remove(name) {
			gone = append(gone, name)
			i.forget(s.Origin)
		}
	}
	slices.Sort(gone)
	return gone
}

// unusedFor is how long a tool was not called; one that was never seen counts from now.
func (i *Idle) unusedFor(o tool.Origin, now time.Time) time.Duration {
	i.mu.Lock()
	last, known := i.last[o]
	i.mu.Unlock()
	if !known {
		i.at(o, now)
		return 0
	}
	return now.Sub(last)
}

func (i *Idle) forget(o tool.Origin) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.last, o)
}
