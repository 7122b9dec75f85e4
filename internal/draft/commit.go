package draft

import (
	"context"
	"errors"

	"helve/internal/change"
)

// tries is how often a commit begins anew when somebody changes a file between the comparison and the change: each time
// it is compared again.
const tries = 3

// An Apply makes a set of one unit, or nothing of it, as [change.Transaction.Apply] does.
type Apply func(context.Context, *change.Set) (*change.Report, error)

// Commit makes what the draft changes, by apply. Then the draft is over. A *Conflict says that nothing was
// made, and the draft goes on. An empty draft is dropped.
func (d *Draft) Commit(ctx context.Context, apply Apply) (*Plan, error) {
	var refused []change.Refusal
	for range tries {
		p, err := d.Plan(ctx)
		if err != nil {
			return nil, err
		}
		if len(p.Clashes) > 0 {
			return nil, &Conflict{p.Clashes}
		}
		if len(p.Set.Changes) == 0 {
			return p, d.Drop()
		}
		report, err := apply(ctx, p.Set)
		if report == nil || len(report.Refused) == 0 && err == nil {
			if err != nil {
				return nil, err
			}
			return p, d.Drop()
		}
		if len(report.Refused) == 0 { // all of it was made, and something is left over
			return p, errors.Join(err, d.Drop())
		}
		refused = report.Refused
	}
	c := &Conflict{}
	for _, r := range refused {
		c.Clashes = append(c.Clashes, Clash{r.Place, r.Why})
	}
	return nil, c
}

// CommitTo makes what the draft changes in the draft that it lies over, all of it or nothing, and ends. The disk
// changes when the outer one is committed.
func (d *Draft) CommitTo(ctx context.Context, outer *Draft) (*Plan, error) {
	if d.base != Tree(outer) {
		return nil, errors.New("draft: it does not lie over that one")
	}
	return d.Commit(ctx, func(_ context.Context, s *change.Set) (*change.Report, error) {
		return outer.adopt(s)
	})
}
