package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
)

// This file knows the methods of classes that have no name, and of objects that are declared to be of a type: what
// they stand in for.

// basesNamed are the types that the owner of the nameless y names, and how surely; outside: the tree does not have
// one of them.
func (r *Resolver) basesNamed(y store.DefID) (types []store.DefID, sure Confidence, outside bool) {
	d := *r.Def(y)
	for _, name := range strings.Split(r.Tree.Lex.Text(d.Owner), ",") {
		v := r.Eval(name, y.File, d.Parent)
		if v.Kind != SymbolValue {
			outside = true
			continue
		}
		one := Confidence{Level: v.Level}
		if n := len(v.Symbols); n > 1 {
			one = Confidence{Level: Ambiguous, Of: n}
		}
		sure = sure.Worse(one)
		for _, b := range v.Symbols[:min(len(v.Symbols), maxMeanings)] {
			for _, t := range r.typesNamed(b) {
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
		}
	}
	return types, sure, outside
}

// namelessUnder are the methods of nameless classes that stand in for y, whose types are known with all below them.
func (r *Resolver) namelessUnder(y store.DefID) []store.DefID {
	if !r.rules(y.File).nameless {
		return nil
	}
	types := slices.Clone(r.TypesOf(y))
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
			bases, _, _ := r.basesNamed(m)
			if slices.ContainsFunc(bases, func(b store.DefID) bool { return slices.Contains(types, b) }) {
				list = append(list, m)
			}
		}
	})
	return list
}

// namelessMembers are the members called name that a nameless method can name alone: those of its own class first,
// then of its bases.
func (r *Resolver) namelessMembers(m store.DefID, name uint32) []store.DefID {
	d := *r.Def(m)
	var list []store.DefID
	if d.Parent >= 0 {
		list = slices.DeleteFunc(r.children(store.At(m.File, d.Parent), name), func(y store.DefID) bool { return r.Def(y).Owner != d.Owner })
	}
	if len(list) > 0 {
		return list
	}
	bases, _, _ := r.basesNamed(m)
	for _, b := range bases {
		list = append(list, r.TypeMembers(b, name)...)
	}
	return list
}
