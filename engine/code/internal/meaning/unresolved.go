package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file counts what may run or read a member that nothing is known to use: calls by way of what it overrides.

// unsaid counts the mentions in m that may mean the member y of a type that extends others: of what a base outside of
// the tree has, and of a member of a base in the tree in whose place it stands. Calls of such a method are edges,
// what reads one is none.
func (r *uses) unsaid(y store.DefID, m *mentions) int {
	types, outside := r.lineage(y)
	n := 0
	if outside {
		n = m.Elsewhere
	}
	switch d := r.Def(y); {
	case len(types) == 0 || d.Kind == syntax.Constructor:
		return n
	case d.Kind == syntax.Field && !r.rules(y.File).fieldsOverride:
		return n
	}
	var above []store.DefID
	for _, b := range types {
		for _, z := range r.members.OwnMembers(b, r.Def(y).Name) {
			if z != y {
				above = append(above, z)
			}
		}
	}
	for i := range m.List {
		super := strings.HasSuffix(r.Tree.Lex.Text(m.List[i].Qual), "^")
		replaced := func(t Target) bool { return slices.Contains(above, t.DefID) }
		if !super && slices.ContainsFunc(m.List[i].Targets, replaced) {
			n++
		}
	}
	return n
}

// lineage are the types that the type of the member y extends, and whether one of their bases is not in the tree.
func (r *uses) lineage(y store.DefID) (types []store.DefID, outside bool) {
	d := r.Def(y)
	own := 0 // how many of types are no base
	switch {
	case r.Tree.Nameless(y):
		types, _, outside = r.members.basesNamed(y)
	case d.Parent < 0 || !r.Def(store.At(y.File, d.Parent)).Kind.Type():
		return nil, false
	default:
		types, own = []store.DefID{store.At(y.File, d.Parent)}, 1
	}
	for k := 0; k < len(types) && len(types) < MaxSubtypes && !r.Clock.Over(1); k++ {
		for _, u := range r.Tree.BasesIn(types[k].File) {
			if u.From == types[k].Def && len(r.Resolve(types[k].File, &u)) == 0 {
				outside = true
			}
		}
		for _, b := range r.members.basesOf(types[k]) {
			if !slices.Contains(types, b) {
				types = append(types, b)
			}
		}
	}
	return types[own:], outside
}
