package meaning

import (
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// golang are the rules of Go. Which types implement an interface is said by implicit.go for every language in which
// they need not say so.
var golang = Rules{
	Language: syntax.Go,

	keyed:         true,
	samePackage:   samePackageGo,
	namedLast:     otherwiseNamed,
	outside:       true,
	beside:        samePackageGo,
	typed:         true,
	functionTypes: true,
	typeArguments: true,
	implicit:      true,
	bodyless:      true, // assembly has it
	onePlace:      true,
	sameSystem:    sameSystem,

	Checked:    true,
	Declared:   true,
	Own:        func(name string) bool { return GoNames[name] || name == "C" },
	WouldStand: inModule,

	namesModules:   true,
	onlyImports:    true,
	importsPrivate: true,
	module:         goPackage,
	guessModule:    shortestPackage,
}

// GoNames are the names that Go gives a meaning of its own.
var GoNames = WordSet("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 " +
	"int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex " +
	"copy delete imag len make max min new panic print println real recover init main")

// samePackageGo reports whether g is of the package of f, a file of Go: the same folder, and the same name.
func samePackageGo(f, g *store.File) bool {
	return g.Lang == syntax.Go && g.Package == f.Package && g.Dir() == f.Dir()
}

// otherwiseNamed finds the package y that an import brings whose path ends otherwise: a package is called as its files
// say, and the path only lets one guess that.
func otherwiseNamed(r *evaluator, y uint32, n int32) (Found, bool) {
	for _, m := range r.Tree.ImportsOf(n) {
		f, ok := r.modules.brought(m, n)
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

// goPackage finds the files of the package with this import path: by the modules of the tree, their vendor folders,
// and where no module says so by the only folder that ends with the path.
func goPackage(r *evaluator, name string, from *store.File) []int32 {
	mods := r.Tree.Modules()
	for _, mod := range mods { // of two modules of one path, the one around the file
		if mod.Dir == "" || !strings.HasPrefix(from.Path, mod.Dir+"/") || !under(name, mod.Path) {
			continue
		}
		if files := packageIn(r, name, mod, from); len(files) > 0 {
			return files
		}
	}
	var best []int32
	for _, mod := range mods {
		if mod.Dir != "" && !strings.HasPrefix(from.Path, mod.Dir+"/") && mod.Path != "std" && !under(name, mod.Path) {
			continue
		}
		if files := packageIn(r, name, mod, from); len(files) > 0 {
			return files
		}
		vendored := Join(mod.Dir, "vendor/"+name)
		if files := goFiles(r, r.Tree.Folder(vendored), from); len(files) > 0 && best == nil {
			best = files
		}
	}
	if best != nil || len(mods) > 0 {
		return best
	}
	return shortestPackage(r, name, from)
}

// shortestPackage are the files of the folder whose path ends with name, the nearest to the root of several.
func shortestPackage(r *evaluator, name string, from *store.File) []int32 {
	if dir := r.Tree.ShortestFolder(name); dir != "" {
		return goFiles(r, r.Tree.Folder(dir), from)
	}
	return nil
}

// packageIn are the files of the package name in module mod.
func packageIn(r *evaluator, name string, mod store.GoModule, from *store.File) []int32 {
	var dir string
	switch {
	case name == mod.Path:
		dir = mod.Dir
	case under(name, mod.Path):
		dir = Join(mod.Dir, name[len(mod.Path)+1:])
	case mod.Path == "std":
		dir = Join(mod.Dir, name)
	default:
		return nil
	}
	return goFiles(r, r.Tree.Folder(dir), from)
}

// inModule reports whether the tree has the module around file f to which a package of this name would belong.
func inModule(s *store.Snapshot, f *store.File, name string) bool {
	for _, mod := range s.Modules() {
		inside := mod.Dir == "" || strings.HasPrefix(f.Path, mod.Dir+"/")
		if inside && mod.Path != "" && strings.HasPrefix(name, mod.Path+"/") {
			return true
		}
	}
	return false
}

func under(name, module string) bool {
	return name == module || strings.HasPrefix(name, module+"/")
}

// goFiles are the Go files among files that from can import. A test that stands in a package of its own beside another
// (x_test) sees that one's tests, too: what they export is for it.
func goFiles(r *evaluator, files []int32, from *store.File) []int32 {
	var out, programs []int32
	for _, n := range files {
		f := r.Tree.Files[n]
		if f.Lang != syntax.Go {
			continue
		}
		beside := f.Dir() == from.Dir() && f.Package != from.Package
		if strings.HasSuffix(f.Path, "_test.go") && !beside {
			continue
		}
		if r.Tree.Lex.Text(f.Package) == "main" {
			programs = append(programs, n)
		} else {
			out = append(out, n)
		}
	}
	if out == nil {
		return programs
	}
	return out // generators in the same folder are another package
}
