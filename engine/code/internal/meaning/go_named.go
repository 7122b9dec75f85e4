package meaning

import "helve/engine/code/internal/syntax"

// otherwiseNamed finds the package y of Go that an import brings whose path ends otherwise: a package is called as
// its files say, and the path only lets one guess that.
func (r *Resolver) otherwiseNamed(y uint32, n int32) (Found, bool) {
	if r.Tree.Files[n].Lang != syntax.Go {
		return Found{}, false
	}
	for _, m := range r.Tree.ImportsOf(n) {
		f, ok := r.brought(m, n)
		if !ok || f.Value.Kind != ModuleValue {
			continue
		}
		for _, file := range f.Value.Files {
			if g := r.Tree.Files[file]; g.Package == y && g.Lang == syntax.Go {
				return f, true
			}
		}
	}
	return Found{}, false
}
