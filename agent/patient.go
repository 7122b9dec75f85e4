package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Patient is a model that asks m again while its server is busy or its answer breaks off, as often and after such
// pauses as Limits.Retries and Limits.Backoff say. told hears of each pause before it begins; nil: nobody listens. The
// error names the model. An [Agent] asks its model in this way.
func Patient(m Model, l Limits, told func(Again)) Model {
	if told == nil {
		told = func(Again) {}
	}
	return &patient{Model: m, limits: l.whole(), told: told}
}

type patient struct {
	Model
	limits Limits
	told   func(Again)
}

func (p *patient) Answer(ctx context.Context, r *Request, delta func(Delta)) (*Reply, error) {
	pause := p.limits.Backoff
	tries := max(p.limits.Retries, 0) + 1
	for try := 1; ; try++ {
		reply, err := p.Model.Answer(ctx, r, delta)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, ok := errors.AsType[*Transient](err)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		case t.After > maxBackoff:
			long := t.After.Round(time.Second)
			return nil, fmt.Errorf("%s: %w (it wants to be left alone for %s)", p.Name(), err, long)
		case try == tries && tries > 1:
			return nil, fmt.Errorf("%s: %w (asked %d times)", p.Name(), err, tries)
		case try == tries:
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
		wait := max(pause, t.After)
		p.told(Again{Err: err, Wait: wait, Try: try + 1, Of: tries})
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		pause = min(2*pause, maxBackoff)
	}
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
