package refactor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// SafeDelete plans to remove the definition called name, with the comment before it. What uses it, or may use it, is a
// reason to refuse with a *RefusedError.
func SafeDelete(ctx context.Context, in *code.Snapshot, name string) (*Changes, error) {
	return planned(ctx, in, name, (*subject).standIn, func(j *judge) []func() error {
		p := &deletion{j.subject, j}
		return []func() error{p.unbound, j.scan, j.hazards, p.unused, p.remove}
	})
}

// deletion is the plan of one while it is made.
type deletion struct {
	*subject
	plan *judge
}

// unbound refuses where something implements, overrides or embeds the definition.
func (p *deletion) unbound() error {
	asked := len(p.group)
	if err := p.extend(); err != nil {
		return err
	}
	e := &RefusedError{Why: fmt.Sprintf("%s is bound to others by its name", p.id())}
	for _, y := range p.group[asked:] {
		s := p.r.Tree.Symbol(y)
		e.Places = append(e.Places, place(s.Path, s.Line, s.ID))
	}
	return e.ifAny()
}

// unused refuses where something outside the definition uses it, or may.
func (p *deletion) unused() error {
	if len(p.plan.made) > 0 {
		return refused("Use change_signature.", "%s is declared as a parameter of the constructor", p.old)
	}
	p.plan.alone = p.plan.onlyMember()
	for _, f := range p.plan.found {
		p.plan.ruleOn(f, func(s *syntax.Site) bool { return p.inside(f.file, s.Start) })
		p.lang.hides(p.plan.mentions, f)
	}
	for i := range p.plan.rulings {
		if r := &p.plan.rulings[i]; r.what == doubt {
			r.why = "may use it: " + r.why
		}
	}
	p.plan.settle(slices.ContainsFunc(p.plan.rulings, func(r ruled) bool { return r.what == meant }))
	e := &RefusedError{Next: strings.TrimSpace("Nothing was changed. Change these places first. " + p.plan.next)}
	for _, r := range p.plan.rulings {
		if r.what == meant {
			e.Places = append(e.Places, place(p.file(r.in.file).Path, r.Line, "uses it"))
		}
	}
	e.Places = append(e.Places, p.plan.open...)
	if len(e.Places) == 0 {
		return nil
	}
	sortPlaces(e.Places)
	e.Why = fmt.Sprintf("%s is used", p.id())
	return e
}

// remove makes the edits that take the definitions out.
func (p *deletion) remove() error {
	for _, f := range p.plan.found {
		var e *FileEdits
		for _, y := range p.group {
			if y.File != f.file {
				continue
			}
			if e == nil {
				e = &FileEdits{Path: p.file(f.file).Path, Before: f.src}
			}
			cut, err := p.cut(y, f.src)
			if err != nil {
				return err
			}
			e.Edits = append(e.Edits, cut)
		}
		if e == nil {
			continue
		}
		e.sorted()
		p.lang.leave(p.project, f.file, e)
		p.changes.Edits += len(e.Edits)
		p.changes.Files = append(p.changes.Files, *e)
	}
	p.noteExported()
	return nil
}

// cut is the edit that takes out one definition: whole lines, with the comment right above them and one empty line.
func (p *deletion) cut(y store.DefID, src []byte) (TextEdit, error) {
	from, end, err := p.wholeLines(y, src)
	if err != nil {
		return TextEdit{}, err
	}
	return gap(src, from, end), nil
}
