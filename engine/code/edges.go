package code

import (
	"cmp"
	"context"
	"slices"

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
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.only(name)
	if err != nil {
		return Edges{}, err
	}
	var list []arrow
	before := r.lost
	for _, y := range group {
		if r.clock.look() {
			break
		}
		list = append(list, r.uses(y)...)
	}
	lost := r.lost - before
	if err := canceled(ctx); err != nil {
		return Edges{}, err
	}
	out, err := s.edges(group, others, list, p, false)
	out.Stopped = r.clock.ended
	out.Unknown = lost
	return out, err
}

// uses are the definitions that y refers to, in itself or in what stands inside it: those found before the
// time is over.
func (r *resolver) uses(y symbol) []arrow {
	inside := r.s.inside(y)
	var own []mention
	for _, u := range r.s.refsOf(y.file) {
		if u.from < y.def || !inside(u.from) {
			continue
		}
		if r.clock.over(1) {
			break
		}
		if targets := r.resolve(y.file, &u); len(targets) > 0 {
			own = append(own, mention{ref: u, file: y.file, targets: targets})
		}
	}
	if r.s.checker != nil {
		all := make([]*mention, len(own))
		for i := range own {
			all[i] = &own[i]
		}
		r.settle(all)
	}
	var list []arrow
	for i := range own {
		u := &own[i]
		for _, t := range r.first(u.targets) {
			if t.file != y.file || !inside(t.def) {
				list = append(list, arrow{t.symbol, u.use, u.line, t.sure})
			}
			if r.virtual(&u.ref) {
				list = r.standing(list, t, &u.ref, func(m symbol) bool { return m.file == y.file && inside(m.def) })
			}
		}
	}
	return merge(r.s, list)
}

// standing adds what a call of t may run instead, where that is little.
func (r *resolver) standing(list []arrow, t target, u *ref, own func(symbol) bool) []arrow {
	ins := r.under(t.symbol)
	if len(ins) > maxStandIns {
		r.cutoff++
		return list
	}
	for _, m := range ins {
		if own(m) {
			continue
		}
		list = append(list, arrow{m, u.use, u.line, t.sure.worse(standIn(len(ins)))})
	}
	return list
}

// first leaves the likeliest of many definitions.
func (r *resolver) first(list []target) []target {
	if len(list) <= maxAlike {
		return list
	}
	r.cutoff++
	return list[:maxAlike]
}

// inside answers whether a definition of y's file is y or stands inside it.
func (s *Snapshot) inside(y symbol) func(d int32) bool {
	defs := s.defsOf(y.file)
	return func(d int32) bool {
		for d > y.def {
			d = defs[d].parent
		}
		return d == y.def
	}
}

// edges describes arrows, the surest first. tests tells that those of tests are a group of their own.
func (s *Snapshot) edges(group, others []symbol, list []arrow, p Page, tests bool) (Edges, error) {
	list = merge(s, list)
	slices.SortStableFunc(list, func(a, b arrow) int {
		fa, fb := s.files[a.to.file], s.files[b.to.file]
		return cmp.Or(
			cmp.Compare(a.sure.Level, b.sure.Level),
			cmp.Compare(a.sure.Of, b.sure.Of),
			last(fa.foreign, fb.foreign),
			cmp.Compare(fa.Path, fb.Path),
			cmp.Compare(a.to.def, b.to.def),
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
	out := Edges{Of: s.symbol(group[0]), More: more, Others: s.symbolsOf(others), Groups: counts}
	for _, a := range part {
		e := s.edge(a)
		e.Group = groupOf(a.use, tests && e.Test)
		out.Edges = append(out.Edges, e)
	}
	return out, nil
}

func (s *Snapshot) edge(a arrow) Edge {
	e := Edge{Use: a.use, At: int(a.line), Sure: a.sure}
	if a.to.def < 0 {
		e.Symbol = s.fileSymbol(a.to.file)
	} else {
		e.Symbol = s.symbol(a.to)
	}
	return e
}

func (s *Snapshot) symbolsOf(list []symbol) []Symbol {
	var out []Symbol
	for _, y := range list[:min(len(list), MaxOthers)] {
		out = append(out, s.symbol(y))
	}
	return out
}

// Dependents answers what uses the definition called name, and what implements or overrides it.
func (s *Snapshot) Dependents(ctx context.Context, name string, p Page) (Edges, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	r := newResolver(ctx, s)
	group, others, err := r.only(name)
	if err != nil {
		return Edges{}, err
	}
	list := r.users(group)
	if all := r.whole(group); len(list) == 0 && len(all) > len(group) {
		group, list = all, r.users(all)
	}
	used := len(list) > 0
	for _, y := range group {
		if r.clock.over(1) {
			break
		}
		list = append(list, without(r.replacing(y), group)...)
	}
	if err := canceled(ctx); err != nil {
		return Edges{}, err
	}
	tests := !s.files[group[0].file].test
	out, err := s.edges(group, others, list, p, tests)
	out.Stopped = r.clock.ended
	out.Unresolved = r.unresolved(group, used)
	if !used {
		out.Elsewhere = r.elsewhere(group)
		out.Alone = r.nobody(group)
	}
	return out, err
}

// without leaves out the arrows to what is in group.
func without(list []arrow, group []symbol) []arrow {
	in := members(group)
	return slices.DeleteFunc(list, func(a arrow) bool { return in(a.to) })
}
