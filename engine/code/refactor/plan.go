package refactor

import (
	"context"
	"time"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// maxPlanning bounds the time of one plan: every file of the language is looked through for the name.
const maxPlanning = 30 * time.Second

// planned makes the plan of a refactoring of the definition called name, step by step. to is the name that it gets; one
// that keeps its name is held to the same as one that gets another.
func planned(ctx context.Context, in *code.Snapshot, name string, to func(*subject) string,
	steps func(*judge) []func() error,
) (*Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	of, err := newSubject(ctx, meaning.NewPlanner(ctx, in.Tree()), name)
	if err != nil {
		return nil, err
	}
	also := to(of)
	if err := of.mayBe(also); err != nil {
		return nil, err
	}
	for _, step := range steps(&judge{mentions: &mentions{subject: of, also: also}}) {
		err := step()
		// A plan of which not all was looked at is none, and what a step says of it then is about what it did not see.
		if late := of.inTime(); late != nil {
			return nil, late
		}
		if err != nil {
			return nil, err
		}
	}
	return of.changes, nil
}

// inTime refuses where the time was over before all was looked at.
func (p *subject) inTime() error {
	if !p.r.Clock.Ended && p.ctx.Err() == nil {
		return nil
	}
	if err := store.Canceled(p.ctx); err != nil {
		return err
	}
	return refused("", "looking at all uses of %s took more than %s", p.old, maxPlanning)
}
