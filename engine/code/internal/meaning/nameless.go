package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
)

// This file knows the methods of classes that have no name, and of objects that are declared to be of a type: what
// they stand in for.

// namelessUnder are the methods of nameless classes that stand in for y, whose types are known with all below them.
func (r *dispatch) namelessUnder(y store.DefID) []store.DefID {
	if !r.rules(y.File).nameless {
		return nil
	}
	types := slices.Clone(r.members.TypesOf(y))
	for _, t := range types {
		types = append(types, r.Subtypes(t)...)
	}
	if len(types) == 0 {
		return nil
	}
	var list []store.DefID
	name, lang := r.Def(y).Name, store.Family(r.Tree.Files[y.File].Lang)
	r.Mentioning(name, false, func(n int32) {
		if store.Family(r.Tree.Files[n].Lang) != lang {
			return
		}
		defs := r.DefsOf(n)
		r.Clock.Over(len(defs))
		for i := range defs {
			m := store.At(n, int32(i))
			if defs[i].Name != name || m == y || !r.Tree.Nameless(m) {
				continue
			}
			bases, _, _ := r.members.basesNamed(m)
			if slices.ContainsFunc(bases, func(b store.DefID) bool { return slices.Contains(types, b) }) {
				list = append(list, m)
			}
		}
	})
	return list
}
