package code

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// This file counts what may run or read a member that nothing is known to use: calls by way of what it overrides.

// unsaid counts the mentions in m that may mean the member y of a type that extends others: of what a base outside of the tree has,
// and of a member of a base in the tree in whose place it stands. Calls of such a method are edges, what reads one is none.
func (r *resolver) unsaid(y symbol, m *mentions) int {
	types, outside := r.lineage(y)
	n := 0
	if outside {
		n = m.elsewhere
	}
	switch d := r.def(y); {
	case len(types) == 0 || d.kind == syntax.Constructor:
		return n
	case d.kind == syntax.Field && !r.fieldsOverride(y):
		return n
	}
	var above []symbol
	for _, b := range types {
		for _, z := range r.ownMembers(b, r.def(y).name) {
			if z != y {
				above = append(above, z)
			}
		}
	}
	for i := range m.list {
		super := strings.HasSuffix(r.s.lex.text(m.list[i].qual), "^")
		if !super && slices.ContainsFunc(m.list[i].targets, func(t target) bool { return slices.Contains(above, t.symbol) }) {
			n++
		}
	}
	return n
}

// fieldsOverride reports whether a field of a class stands in the place of one of a base, in the language of y.
func (r *resolver) fieldsOverride(y symbol) bool {
	lang := r.s.files[y.file].lang
	return untyped(lang) || lang == syntax.TypeScript
}

// lineage are the types that the type of the member y extends, and whether one of their bases is not in the tree.
func (r *resolver) lineage(y symbol) (types []symbol, outside bool) {
	d := r.def(y)
	own := 0 // how many of types are no base
	switch {
	case r.s.nameless(y):
		types, _, outside = r.basesNamed(y)
	case d.parent < 0 || !r.def(symbol{y.file, d.parent}).kind.Type():
		return nil, false
	default:
		types, own = []symbol{{y.file, d.parent}}, 1
	}
	for k := 0; k < len(types) && len(types) < maxSubtypes && !r.clock.over(1); k++ {
		for _, u := range r.s.basesIn(types[k].file) {
			if u.from == types[k].def && len(r.resolve(types[k].file, &u)) == 0 {
				outside = true
			}
		}
		for _, b := range r.basesOf(types[k]) {
			if !slices.Contains(types, b) {
				types = append(types, b)
			}
		}
	}
	return types[own:], outside
}
