package refactor

import (
	"context"
	"fmt"
	"slices"

	"helve/engine/code"
	"helve/engine/code/internal/syntax"
)

// rename is the plan of a new name while it is made.
type rename struct {
	*subject
	plan    *judge
	to      string
	bare    []site // places in which the new name will stand alone
	clashes []code.Place
}

// Rename plans to call the definition called name by another name, wherever it is used: in Go, Python, JavaScript and
// TypeScript. What it cannot be sure of, it refuses with a *RefusedError.
func Rename(ctx context.Context, in *code.Snapshot, name, to string) (*Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	of, err := chosen(ctx, in, name, to)
	if err != nil {
		return nil, err
	}
	p := &rename{subject: of, plan: newJudge(of, to), to: to}
	if err := p.run(); err != nil {
		return nil, err
	}
	if err := of.inTime(); err != nil {
		return nil, err
	}
	return of.changes, nil
}

// run looks through all files, decides on every token, and refuses where one is not explained.
func (p *rename) run() error {
	if err := p.lang.extend(p.subject); err != nil {
		return err
	}
	if err := p.plan.scan(); err != nil {
		return err
	}
	if err := p.lang.hazards(p.plan.mentions); err != nil {
		return err
	}
	p.plan.joins = maxJoins
	if err := p.plan.decide(); err != nil {
		return err
	}
	for _, f := range p.plan.found {
		for _, s := range f.uses {
			p.edit(f, s)
		}
	}
	p.collisions()
	if err := p.verdict(); err != nil {
		return err
	}
	p.plan.finish()
	if p.changes.Edits > maxEdits {
		return refused("", "%s has %d uses, more than the %d that one rename may edit", p.old, p.changes.Edits, maxEdits)
	}
	return nil
}

// edit notes that a place gets the new name.
func (p *rename) edit(f *scan, s *syntax.Site) {
	text, alone := p.lang.written(p.subject, f, s, p.to)
	f.edits = append(f.edits, TextEdit{s.Start, s.Start + len(p.old), text})
	if alone {
		p.bare = append(p.bare, site{s, f})
	}
}

// verdict refuses what is in doubt, what would clash, and what is too much.
func (p *rename) verdict() error {
	slices.SortStableFunc(p.clashes, byPlace)
	p.clashes = slices.Compact(p.clashes)
	switch {
	case len(p.clashes) > 0:
		return &RefusedError{
			Why:    fmt.Sprintf("%s would clash with another %s", p.old, p.to),
			Places: p.clashes,
			Next:   "Choose another name.",
		}
	case len(p.plan.open) > 0:
		return p.plan.refusedPlaces("%d places are not sure to mean %s")
	}
	return nil
}
