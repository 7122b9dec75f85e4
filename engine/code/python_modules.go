package code

import (
	"path"
	"strings"
)

// pythonModule finds the file of a dotted module, relative where it begins with dots.
func (r *resolver) pythonModule(name string, from *file) []int32 {
	rest := strings.TrimLeft(name, ".")
	if dots := len(name) - len(rest); dots > 0 {
		dir := from.dir()
		for range dots - 1 {
			dir = dirOf(dir)
		}
		p := join(dir, strings.ReplaceAll(rest, ".", "/"))
		if rest == "" {
			p = dir
		}
		return r.paths(p+".py", join(p, "__init__.py"), p+".pyi")
	}
	p := strings.ReplaceAll(name, ".", "/")
	module := r.nearest(r.s.called(path.Base(p)), p+".py", from)
	if module >= 0 && !r.inPackage(module, p+".py") {
		return []int32{module}
	}
	whole := r.nearest(r.s.called(path.Base(p)+"/__init__"), p+"/__init__.py", from)
	switch {
	case whole >= 0 && (module < 0 || !r.inPackage(whole, p+"/__init__.py")):
		return []int32{whole}
	case module >= 0: // a program in the folder of a package sees what stands beside it
		return []int32{module}
	}
	return nil
}

// inPackage reports whether file n, whose path ends with suffix, stands in a folder that is a package: its module has a longer
// name than suffix says then, for all but what runs in that folder.
func (r *resolver) inPackage(n int32, suffix string) bool {
	dir := strings.TrimSuffix(strings.TrimSuffix(r.s.files[n].Path, suffix), "/")
	return dir != "" && r.s.number(dir+"/__init__.py") >= 0
}
