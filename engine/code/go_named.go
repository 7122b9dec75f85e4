package code

import "helve/engine/code/internal/syntax"

// otherwiseNamed finds the package y of Go that an import brings whose path ends otherwise: a package is called as its files
// say, and the path only lets one guess that.
func (r *resolver) otherwiseNamed(y uint32, n int32) (found, bool) {
	if r.s.files[n].lang != syntax.Go {
		return found{}, false
	}
	for _, m := range r.s.importsOf(n) {
		f, ok := r.brought(m, n)
		if !ok || f.v.kind != moduleValue {
			continue
		}
		for _, file := range f.v.files {
			if g := r.s.files[file]; g.pkg == y && g.lang == syntax.Go {
				return f, true
			}
		}
	}
	return found{}, false
}
