package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
)

// Alone says more of what nothing else in the tree uses: whoever is told so may delete it.
type Alone struct {
	Itself    int      // the first line on which it uses itself; 0: nowhere
	Importers []string // paths of the files that import it and do not use it: what they pass on, others may use
}

// Nobody looks at what nothing uses but itself.
func (r *uses) Nobody(group []store.DefID) Alone {
	var a Alone
	in := Members(group)
	y := group[0]
	m := r.MentionsOf(r.Def(y).Name, store.Family(r.Tree.Files[y.File].Lang))
	for i := range m.List {
		u := &m.List[i]
		if r.mayMean(u, in) && in(store.At(u.File, u.From)) && (a.Itself == 0 || int(u.Line) < a.Itself) {
			a.Itself = int(u.Line)
		}
	}
	r.Mentioning(r.Def(y).Name, true, func(n int32) {
		if n != y.File && r.importsAny(n, r.Def(y).Name, in) {
			a.Importers = append(a.Importers, r.Tree.Files[n].Path)
		}
	})
	slices.Sort(a.Importers)
	return a
}

// mayMean reports whether the mention u may mean what is in, and of overloads the chosen one.
func (r *uses) mayMean(u *Mention, in func(store.DefID) bool) bool {
	_, meant := r.meant(u.Targets, &u.Ref, in, nil)
	if meant && r.chosen != nil && in(r.chosen.chosen) {
		_, meant = r.chosen.settle(u.File, &u.Ref, r.Tree.Lex.Text(u.Name), Confidence{})
	}
	return meant
}

// importsAny reports whether file n imports by name what is in.
func (r *uses) importsAny(n int32, name uint32, in func(store.DefID) bool) bool {
	for _, m := range r.Tree.ImportsOf(n) {
		if m.Name != name {
			continue
		}
		if f, ok := r.modules.brought(m, n); ok && slices.ContainsFunc(f.Value.Symbols, in) {
			return true
		}
	}
	return false
}
