package refactor

import (
	"context"
	"fmt"
	"slices"

	"helve/engine/code"
	"helve/engine/code/internal/store"
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
	newName := func(*subject) string { return to }
	return planned(ctx, in, name, newName, func(j *judge) []func() error {
		p := &rename{subject: j.subject, plan: j, to: to}
		j.joins = maxJoins
		return []func() error{p.extend, j.scan, j.hazards, j.decide, p.rewrite, p.verdict, p.finish}
	})
}

// rewrite gives each place that is meant the new name, and looks for clashes.
func (p *rename) rewrite() error {
	for _, f := range p.plan.found {
		for _, s := range f.uses {
			p.edit(f, s)
		}
	}
	p.collisions()
	return nil
}

func (p *rename) finish() error {
	p.plan.finish()
	if n := p.changes.Edits; n > maxEdits {
		return refused("", "%s has %d uses, more than the %d that one rename may edit", p.old, n, maxEdits)
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
	if len(p.clashes) == 0 {
		return p.plan.refusedOpen("%d places are not sure to mean %s")
	}
	sortPlaces(p.clashes)
	return &RefusedError{
		Why:    fmt.Sprintf("%s would clash with another %s", p.old, p.to),
		Places: slices.Compact(p.clashes),
		Next:   "Choose another name.",
	}
}

func (p *rename) clash(f int32, line int, format string, args ...any) {
	p.clashes = append(p.clashes, place(p.file(f).Path, line, fmt.Sprintf(format, args...)))
}

// collisions finds what has the new name where that would change what either of the two means.
func (p *rename) collisions() {
	if _, private := p.lang.visible(p.to); private && !p.private {
		p.hidden()
	}
	if p.member {
		p.memberCollisions()
	} else {
		p.topCollisions()
	}
	for _, b := range p.bare {
		p.captured(b)
	}
}

// hidden refuses to make private what other packages use.
func (p *rename) hidden() {
	for _, f := range p.plan.found {
		if len(f.edits) > 0 && !p.samePackage(f.file) {
			p.clash(f.file, 1, "another package uses it, and %s is not exported", p.to)
		}
	}
}

// captured finds a local name around a place that would take the new name's meaning.
func (p *rename) captured(b site) {
	for _, local := range b.in.binds {
		if local.Name != p.to {
			continue
		}
		if local.From < 0 || p.outermost(b.in.file, local.From) == p.outermost(b.in.file, b.From) {
			p.clash(b.in.file, b.Line, "a local name is called %s", p.to)
			return
		}
	}
}

// topCollisions finds other definitions, imports and uses of the new name wherever the definition can be named alone.
func (p *rename) topCollisions() {
	for _, f := range p.plan.found {
		if !p.samePackage(f.file) && !p.brings(f) {
			continue
		}
		for s := range f.named(p.to) {
			p.topCollision(f, s)
		}
		if boundOutside(f.binds, p.to) {
			p.clash(f.file, 1, "a name at the top of the file")
		}
	}
	for n, f := range p.r.Tree.Files {
		if !p.related(f) || !p.samePackage(int32(n)) {
			continue
		}
		for _, m := range p.r.Tree.ImportsOf(int32(n)) {
			if p.spelled(m.Local) == p.to {
				p.clash(int32(n), int(m.Line), "an import is called %s", p.to)
			}
		}
	}
}

// brings reports whether the new name will stand alone somewhere in a file.
func (p *rename) brings(f *scan) bool {
	for _, b := range p.bare {
		if b.in == f {
			return true
		}
	}
	return false
}

func (p *rename) topCollision(f *scan, s *syntax.Site) {
	if s.Dots || s.Key || s.Label || s.Nameless {
		return
	}
	bare := func(u syntax.Ref) bool { return u.Qualifier == 0 }
	switch {
	case s.Def >= 0:
		if d := p.r.Def(store.At(f.file, s.Def)); d.Parent < 0 && d.Owner == 0 {
			p.clash(f.file, s.Line, "%s is defined here", p.to)
		}
	case slices.ContainsFunc(s.Refs, bare):
		p.clash(f.file, s.Line, "%s means something else here", p.to)
	case s.Imported:
		p.clash(f.file, s.Line, "an import is called %s", p.to)
	}
}

// memberCollisions finds members of the new name in the types that have the definition, and in those that extend or
// embed them.
func (p *rename) memberCollisions() {
	y, known := p.r.Tree.Lex.Find(p.to)
	if !known {
		return
	}
	for _, m := range p.group {
		for _, t := range p.ownersOf(m) {
			for _, u := range append(p.r.Subtypes(t), t) {
				for _, other := range p.r.TypeMembers(u, y) {
					p.clash(other.File, int(p.r.Def(other).Line), "%s has it already", p.spelled(p.r.Def(u).Name))
				}
				if d := p.r.Def(u); p.lang.inheritsUnknown(p.project, u) && p.usesNew() {
					p.clash(u.File, int(d.Line), "what %s extends is not known here, and %s is used", p.spelled(d.Name), p.to)
				}
			}
		}
	}
}

// usesNew reports whether the new name is used as a member anywhere that was looked at.
func (p *rename) usesNew() bool {
	for _, f := range p.plan.found {
		for s := range f.named(p.to) {
			if s.Dots {
				return true
			}
		}
	}
	return false
}
