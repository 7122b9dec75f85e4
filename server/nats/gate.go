package natsbus

import (
	"context"

	"helve/internal/wire"
	"helve/tool"
)

// A Gate stands in the kit of a worker: it lets run what a gateway judged, and nothing else. The zero value is ready.
type Gate struct{}

// runOf is the run on whose behalf something is called; nil: nobody's.
func runOf(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}

// Ask is the kit's Asker. What the worker's own rules ask about was judged by the gateway; what shows while a job runs
// is asked there.
func (Gate) Ask(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	r := runOf(ctx)
	switch {
	case r == nil:
		return tool.Answer{Unasked: true, Note: "no gateway judged this call"}, nil
	case q.Late:
		return r.ask(ctx, tool.Late{
			Title:   q.Job.Title,
			Why:     q.Verdict.Reason,
			Effects: q.Job.Effects,
			Preview: q.Preview,
		})
	}
	r.previewed, r.shown = true, q.Preview // a job shows it once only
	return tool.Answer{Yes: true}, nil
}

// Wrap is the outermost Runner of the kit: it compares the job with the one that was judged, and begins.
func (Gate) Wrap(next tool.Runner) tool.Runner {
	return func(ctx context.Context, j *tool.Job) (*tool.Result, error) {
		r := runOf(ctx)
		if r == nil {
			return nil, tool.Errorf(tool.Permission, "a worker runs only what a gateway judged")
		}
		if err := r.compare(ctx, j); err != nil {
			return nil, err
		}
		if !r.mayBegin(ctx) {
			return nil, errWithdrawn
		}
		return next(ctx, j)
	}
}

// heard tells whether the gateway judged and showed what a worker said, and not what somebody made of it on the way.
// Only where gateways sign can that be known.
func (r *run) heard(j *tool.Job, shown tool.Display) error {
	if r.of.tickets == nil {
		return nil
	}
	if r.msg.Judged != wire.Sum(jobOf(j)) || r.msg.Shown && r.msg.Seen != wire.Sum(previewOf(j, shown)) {
		return tool.Errorf(tool.Permission, "what the gateway judged is not what a worker told it").
			WithHint("Files have changed since; call again. If it stays so, somebody changes messages on the bus.")
	}
	return nil
}

// compare tells whether the job is the one that was judged, and shown if one was, and confines it as it was judged.
func (r *run) compare(ctx context.Context, j *tool.Job) error {
	var shown tool.Display
	if r.msg.Shown && !r.previewed {
		d, err := show(ctx, j)
		if err != nil {
			return err
		}
		r.previewed, r.shown = true, d
	}
	if r.msg.Shown {
		shown = r.shown
	}
	if string(j.Digest(shown)) != r.msg.Digest {
		return tool.Errorf(tool.Permission, "what would run is not what was approved").
			WithHint("Files have changed since, or this worker has others. Look at them, and call again.")
	}
	if err := r.heard(j, shown); err != nil {
		return err
	}
	if r.msg.Confined {
		if j.Confine == nil {
			return tool.Errorf(tool.Permission, "cannot be confined on this worker")
		}
		j.Confine()
	}
	if r.msg.Review {
		if j.Review == nil {
			return tool.Errorf(tool.Permission, "cannot be looked at first on this worker")
		}
		j.Review()
	}
	return nil
}
