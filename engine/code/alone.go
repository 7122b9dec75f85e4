package code

import "slices"

// Alone says more of what nothing else in the tree uses: whoever is told so may delete it.
type Alone struct {
	Itself    int      // the first line on which it uses itself; 0: nowhere
	Importers []string // paths of the files that import it and do not use it: what they pass on, others may use
}

// nobody looks at what nothing uses but itself.
func (r *resolver) nobody(group []symbol) Alone {
	var a Alone
	in := members(group)
	y := group[0]
	m := r.mentionsOf(r.def(y).name, family(r.s.files[y.file].lang))
	for i := range m.list {
		u := &m.list[i]
		_, meant := r.meant(u.targets, &u.ref, in, nil)
		if meant && r.chosen != nil && in(r.chosen.chosen) {
			_, meant = r.chosen.settle(u.file, &u.ref, r.s.lex.text(u.name), Confidence{})
		}
		if meant && in(symbol{u.file, u.from}) && (a.Itself == 0 || int(u.line) < a.Itself) {
			a.Itself = int(u.line)
		}
	}
	r.mentioning(r.def(y).name, true, func(n int32) {
		if n != y.file && r.importsAny(n, r.def(y).name, in) {
			a.Importers = append(a.Importers, r.s.files[n].Path)
		}
	})
	slices.Sort(a.Importers)
	return a
}

// importsAny reports whether file n imports by name what is in.
func (r *resolver) importsAny(n int32, name uint32, in func(symbol) bool) bool {
	for _, m := range r.s.importsOf(n) {
		if m.name != name {
			continue
		}
		if f, ok := r.brought(m, n); ok && slices.ContainsFunc(f.v.syms, in) {
			return true
		}
	}
	return false
}
