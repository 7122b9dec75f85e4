package wrap

import (
	"context"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"helve/tool"
)

// A Counter counts calls by tool. The zero value is ready; its methods are safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	tools map[string]*Usage
}

// Usage is what became of the calls of one tool. Calls that never reached a tool (an unknown name, one switched off)
// are not counted.
type Usage struct {
	Tool     string        `json:"tool"`
	Calls    int           `json:"calls"`
	Failed   int           `json:"failed"`   // of Calls: the tool said so
	Refused  int           `json:"refused"`  // of Calls: by policy or person
	Bytes    int64         `json:"bytes"`    // of text to the model
	Duration time.Duration `json:"duration"` // in nanoseconds, without those of Asked
	Asked    time.Duration `json:"asked"`    // in nanoseconds: how long approvers took
	Last     time.Time     `json:"last"`
}

// Plus is both together, under the name of u.
func (u Usage) Plus(o Usage) Usage {
	u.Calls += o.Calls
	u.Failed += o.Failed
	u.Refused += o.Refused
	u.Bytes += o.Bytes
	u.Duration += o.Duration
	u.Asked += o.Asked
	if o.Last.After(u.Last) {
		u.Last = o.Last
	}
	return u
}

// Count is the Around middleware. A call counts when it is over, in the counts of the tool that it reached. What this
// host runs for a gateway counts there: both may add to the counts of one person.
func (c *Counter) Count(next tool.Caller) tool.Caller {
	return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
		if call.Gateway != "" {
			return next(ctx, call)
		}
		start := time.Now()
		res, err := next(ctx, call)
		if res != nil && res.Job != nil && res.Need == nil { // a call that waits for an answer comes again
			c.add(res, start)
		}
		return res, err
	}
}

func (c *Counter) add(res *tool.Result, start time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := res.Job.Call.Name
	u := c.tools[name]
	if u == nil {
		if c.tools == nil {
			c.tools = map[string]*Usage{}
		}
		u = &Usage{Tool: name}
		c.tools[name] = u
	}
	u.Calls++
	u.Duration += time.Since(start) - res.Asked // a person's thinking is not the tool's slowness
	u.Asked += res.Asked + res.Took
	u.Last = start
	for _, p := range res.Parts {
		u.Bytes += int64(tool.Size(p))
	}
	switch {
	case res.Err == nil:
	case res.Err.Code == tool.Permission:
		u.Refused++
	default:
		u.Failed++
	}
}

// Usage lists the counts, most called first.
func (c *Counter) Usage() []Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]Usage, len(c.tools))
	for name, u := range c.tools {
		all[name] = *u
	}
	return Sorted(all)
}

// Sorted lists counts, most called first, then by name.
func Sorted(all map[string]Usage) []Usage {
	out := slices.AppendSeq(make([]Usage, 0, len(all)), maps.Values(all)) // never null in JSON
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if a.Calls != b.Calls {
			return a.Calls > b.Calls
		}
		return a.Tool < b.Tool
	})
	return out
}
