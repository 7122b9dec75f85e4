package wrap

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"helve/tool"
)

// everybody is the weight of a call that must be alone; the others weigh one. No session has as many calls at once.
const everybody = 1 << 20

// A turn lets the jobs of one session run side by side, but for serial ones, which run alone, in the order of their
// coming.
type turn struct{ *semaphore.Weighted }

func newTurn() *turn {
	return &turn{semaphore.NewWeighted(everybody)}
}

// Serial runs tools whose Spec says Serial alone in their session, the others side by side, and so command lines that
// only look. The place is held until
// Run has really returned, even when a time-out has left it behind. Calls without a session never wait, nor do those
// of tools that make calls themselves.
func Serial(next tool.Runner) tool.Runner {
	return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
		if j.Call.Session == nil || j.Spec.Calls { // its calls take their turns, which would wait for its own
			return next(ctx, j)
		}
		t := tool.Of(j.Call.Session, newTurn)
		var weight int64 = 1
		if j.Spec.Serial && !looks(j) {
			weight = everybody
		}
		if err := t.Acquire(ctx, weight); err != nil {
			return nil, tool.ErrorOf(tool.Cancelled, j.Call.Name, "cancelled while it waited for its turn")
		}
		var left atomic.Int32 // next and Run: who comes last gives the place back
		left.Store(1)
		give := func() {
			if left.Add(-1) == 0 {
				t.Release(weight)
			}
		}
		defer give()
		own := *j
		own.Run = func(ctx context.Context) (*tool.Result, error) {
			left.Add(1)
			defer give()
			return j.Run(ctx)
		}
		return next(ctx, &own)
	}
}

// looks tells of a job whose command line is judged to read only. Such jobs run side by side, whatever their tool may do
// besides.
func looks(j *tool.Job) bool {
	return j.Line != nil && j.Line.Decision == tool.Allow && !slices.ContainsFunc(j.Effects, changes)
}

// changes tells of an effect that others may notice.
func changes(e tool.Effect) bool { return e.Kind != tool.Read && e.Kind != tool.Exec }
