package meaning

import (
	"path"
	"strings"

	"helve/engine/code/internal/store"
)

// pythonModule finds the file of a dotted module, relative where it begins with dots.
func (r *Resolver) pythonModule(name string, from *store.File) []int32 {
	rest := strings.TrimLeft(name, ".")
	if dots := len(name) - len(rest); dots > 0 {
		dir := from.Dir()
		for range dots - 1 {
			dir = store.DirOf(dir)
		}
		p := Join(dir, strings.ReplaceAll(rest, ".", "/"))
		if rest == "" {
			p = dir
		}
		return r.paths(p+".py", Join(p, "__init__.py"), p+".pyi")
	}
	p := strings.ReplaceAll(name, ".", "/")
	module := r.nearest(r.Tree.Called(path.Base(p)), p+".py", from)
	if module >= 0 && !r.inPackage(module, p+".py") {
		return []int32{module}
	}
	whole := r.nearest(r.Tree.Called(path.Base(p)+"/__init__"), p+"/__init__.py", from)
	switch {
	case whole >= 0 && (module < 0 || !r.inPackage(whole, p+"/__init__.py")):
		return []int32{whole}
	case module >= 0: // a program in the folder of a package sees what stands beside it
		return []int32{module}
	}
	return nil
}

// inPackage reports whether file n, whose path ends with suffix, stands in a folder that is a package: its module has
// a longer name than suffix says then, for all but what runs in that folder.
func (r *Resolver) inPackage(n int32, suffix string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(r.Tree.Files[n].Path, suffix), "/")
	return dir != "" && r.Tree.Number(dir+"/__init__.py") >= 0
}
