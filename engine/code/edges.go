package code

import (
	"cmp"
	"context"
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Edge is a definition that another one uses, or that uses it.
type Edge struct {
	Symbol
	Use  syntax.Use
	At   int // the line of the first reference, in the file of the one that uses
	Sure Confidence

	Group Group // what the definition is to the one that was asked for; not in a Chain
}

// Edges are what one definition uses, or what uses it, the surest first.
type Edges struct {
	Of     Symbol
	Others []Symbol // what else the name may mean; ask for their IDs
	Edges  []Edge
	// Unresolved counts, for what uses a member, further references to that name: nothing is known of their receivers,
	// and types of the language itself have such a member, too.
	Unresolved int
	// Unknown counts, for what a definition uses, references to members of receivers of which nothing is known.
	Unknown int
	// Elsewhere counts, for what uses a definition, references to its name that mean nothing in the tree.
	Elsewhere int
	Alone     Alone        // for what uses a definition, where nothing does
	Groups    []GroupCount // of all edges, where Page.Dealt asks for them
	More
}

// Dependencies answers what the definition called name uses.
func (s *Snapshot) Dependencies(ctx context.Context, name string, p Page) (Edges, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.Only(name)
	if err != nil {
		return Edges{}, err
	}
	var list []meaning.Arrow
	before := r.Lost
	for _, y := range group {
		if r.Clock.Look() {
			break
		}
		list = append(list, r.uses(y)...)
	}
	lost := r.Lost - before
	if err := store.Canceled(ctx); err != nil {
		return Edges{}, err
	}
	out, err := s.edges(group, others, list, p, false)
	out.Stopped = r.Clock.Ended
	out.Unknown = lost
	return out, err
}

// uses are the definitions that y refers to, in itself or in what stands inside it: those found before the
// time is over.
func (r *resolver) uses(y store.DefID) []meaning.Arrow {
	inside := r.s.inside(y)
	var own []meaning.Mention
	for _, u := range r.s.tree.RefsOf(y.File) {
		if u.From < y.Def || !inside(u.From) {
			continue
		}
		if r.Clock.Over(1) {
			break
		}
		if targets := r.Resolve(y.File, &u); len(targets) > 0 {
			own = append(own, meaning.Mention{Ref: u, File: y.File, Targets: targets})
		}
	}
	if r.s.tree.Checker != nil {
		all := make([]*meaning.Mention, len(own))
		for i := range own {
			all[i] = &own[i]
		}
		r.Settle(all)
	}
	var list []meaning.Arrow
	for i := range own {
		u := &own[i]
		for _, t := range r.first(u.Targets) {
			if t.File != y.File || !inside(t.Def) {
				list = append(list, meaning.Arrow{To: t.DefID, Use: u.Use, Line: u.Line, Sure: t.Sure})
			}
			if r.Virtual(&u.Ref) {
				own := func(m store.DefID) bool { return m.File == y.File && inside(m.Def) }
				list = r.standing(list, t, &u.Ref, own)
			}
		}
	}
	return meaning.Merge(r.Tree, list)
}

// standing adds what a call of t may run instead, where that is little.
func (r *resolver) standing(
	list []meaning.Arrow, t meaning.Target, u *store.Ref, own func(store.DefID) bool,
) []meaning.Arrow {
	ins := r.Under(t.DefID)
	if len(ins) > meaning.MaxStandIns {
		r.Cutoff++
		return list
	}
	for _, m := range ins {
		if own(m) {
			continue
		}
		sure := t.Sure.Worse(meaning.StandIn(len(ins)))
		list = append(list, meaning.Arrow{To: m, Use: u.Use, Line: u.Line, Sure: sure})
	}
	return list
}

// first leaves the likeliest of many definitions.
func (r *resolver) first(list []meaning.Target) []meaning.Target {
	if len(list) <= meaning.MaxAlike {
		return list
	}
	r.Cutoff++
	return list[:meaning.MaxAlike]
}

// inside answers whether a definition of y's file is y or stands inside it.
func (s *Snapshot) inside(y store.DefID) func(d int32) bool {
	defs := s.tree.DefsOf(y.File)
	return func(d int32) bool {
		for d > y.Def {
			d = defs[d].Parent
		}
		return d == y.Def
	}
}

// edges describes arrows, the surest first. tests tells that those of tests are a group of their own.
func (s *Snapshot) edges(group, others []store.DefID, list []meaning.Arrow, p Page, tests bool) (Edges, error) {
	list = meaning.Merge(s.tree, list)
	slices.SortStableFunc(list, func(a, b meaning.Arrow) int {
		fa, fb := s.tree.Files[a.To.File], s.tree.Files[b.To.File]
		return cmp.Or(
			cmp.Compare(a.Sure.Level, b.Sure.Level),
			cmp.Compare(a.Sure.Of, b.Sure.Of),
			meaning.FalseFirst(fa.Foreign, fb.Foreign),
			cmp.Compare(fa.Path, fb.Path),
			cmp.Compare(a.To.Def, b.To.Def),
		)
	})
	var counts []GroupCount
	if p.Dealt {
		list, counts = s.deal(list, tests)
	}
	part, more, err := cut(list, p)
	if err != nil {
		return Edges{}, err
	}
	out := Edges{Of: s.tree.Symbol(group[0]), More: more, Others: s.symbolsOf(others), Groups: counts}
	for _, a := range part {
		e := s.edge(a)
		e.Group = groupOf(a.Use, tests && e.Test)
		out.Edges = append(out.Edges, e)
	}
	return out, nil
}

func (s *Snapshot) edge(a meaning.Arrow) Edge {
	e := Edge{Use: a.Use, At: int(a.Line), Sure: a.Sure}
	if a.To.Def < 0 {
		e.Symbol = s.tree.FileSymbol(a.To.File)
	} else {
		e.Symbol = s.tree.Symbol(a.To)
	}
	return e
}

func (s *Snapshot) symbolsOf(list []store.DefID) []Symbol {
	var out []Symbol
	for _, y := range list[:min(len(list), MaxOthers)] {
		out = append(out, s.tree.Symbol(y))
	}
	return out
}

// Dependents answers what uses the definition called name, and what implements or overrides it.
func (s *Snapshot) Dependents(ctx context.Context, name string, p Page) (Edges, error) {
	ctx, cancel := context.WithTimeout(ctx, store.MaxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.Only(name)
	if err != nil {
		return Edges{}, err
	}
	list := r.Users(group)
	if all := r.Whole(group); len(list) == 0 && len(all) > len(group) {
		group, list = all, r.Users(all)
	}
	used := len(list) > 0
	for _, y := range group {
		if r.Clock.Over(1) {
			break
		}
		list = append(list, without(r.Replacing(y), group)...)
	}
	if err := store.Canceled(ctx); err != nil {
		return Edges{}, err
	}
	tests := !s.tree.Files[group[0].File].Test
	out, err := s.edges(group, others, list, p, tests)
	out.Stopped = r.Clock.Ended
	out.Unresolved = r.Unresolved(group, used)
	if !used {
		out.Elsewhere = r.Elsewhere(group)
		out.Alone = r.Nobody(group)
	}
	return out, err
}

// without leaves out the arrows to what is in group.
func without(list []meaning.Arrow, group []store.DefID) []meaning.Arrow {
	in := meaning.Members(group)
	return slices.DeleteFunc(list, func(a meaning.Arrow) bool { return in(a.To) })
}
