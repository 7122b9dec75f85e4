package meaning

import (
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// moduleKey: files of one folder and language mean the same by a module's name, but for one that never means itself.
type moduleKey struct {
	module uint32
	lang   syntax.Language
	dir    string
}

// maxReexports bounds how far a name is followed through files that import it only to pass it on.
const maxReexports = 6

// outermost is what "import a.b" binds, which is a; v, which is a.b, where a is no package of the tree.
func (r *Resolver) outermost(m store.ImportRow, n int32, v Value) Value {
	first, _, dotted := strings.Cut(r.Tree.Lex.Text(m.Module), ".")
	if !dotted || r.Tree.Lex.Text(m.Local) != first {
		return v
	}
	if w := r.Module(m.Local, n); w.Kind == ModuleValue {
		return w
	}
	return v
}

// ImportValue is what the import m of file n brings.
func (r *Resolver) ImportValue(m store.ImportRow, n int32) Value {
	return r.ImportedFrom(r.Module(m.Module, n), m, n)
}

// ImportedFrom is importValue where v is the module.
func (r *Resolver) ImportedFrom(v Value, m store.ImportRow, n int32) Value {
	whole := m.Name == 0 || m.Name == r.Star
	if v.Kind != ModuleValue {
		if !whole {
			return r.dottedImport(m, n)
		}
		return external
	}
	if whole {
		v.Symbols = r.exportedName(v)
		return v
	}
	if w := r.ModuleMember(v, m.Name); w.Kind == SymbolValue || w.Kind == ModuleValue {
		return w
	}
	if r.Tree.Lex.Text(m.Name) == "default" {
		return r.defaultExport(v, m.Local)
	}
	return external
}

// exportedName is what the name means that a script exports as the whole of it: module.exports = Name.
func (r *Resolver) exportedName(v Value) []store.DefID {
	if len(v.Files) != 1 {
		return nil
	}
	f := r.Tree.Files[v.Files[0]]
	if f.Package == 0 || store.Family(f.Lang) != syntax.JavaScript {
		return nil
	}
	if list := r.ModuleMember(v, f.Package).Symbols; len(list) > 0 {
		return list
	}
	return r.exportedFunction(v.Files[0])
}

// defaultExport guesses what a script exports by default: what is called as it is imported, else its only class or
// function.
func (r *Resolver) defaultExport(v Value, local uint32) Value {
	if list := r.exportedName(v); len(list) > 0 {
		return Value{Kind: SymbolValue, Symbols: list}
	}
	if w := r.ModuleMember(v, local); w.Kind == SymbolValue {
		return w
	}
	var list []store.DefID
	for _, n := range v.Files {
		defs := r.DefsOf(n)
		for i := range defs {
			if d := &defs[i]; d.Parent < 0 && (d.Kind.Type() || d.Kind.Callable()) {
				list = append(list, store.At(n, int32(i)))
			}
		}
	}
	if len(list) == 1 {
		return Value{Kind: SymbolValue, Symbols: list}
	}
	return external
}

// Module finds the files of a module named in file n.
func (r *Resolver) Module(y uint32, n int32) Value {
	name, from := r.Tree.Lex.Text(y), r.Tree.Files[n]
	key := moduleKey{y, from.Lang, from.Dir()}
	if v, ok := r.modules[key]; ok && !slices.Contains(v.Files, n) {
		return v
	}
	r.passed = false
	files := r.ModuleFiles(name, from)
	v := external
	if len(files) > 0 {
		v = Value{Kind: ModuleValue, Files: files}
	}
	if !r.passed {
		r.modules[key] = v
	}
	return v
}

// ModuleFiles are the files of the module that an import in from names.
func (r *Resolver) ModuleFiles(name string, from *store.File) []int32 {
	switch from.Lang {
	case syntax.Go:
		return r.goPackage(name, from)
	case syntax.Python:
		return r.pythonModule(name, from)
	case syntax.JavaScript, syntax.TypeScript:
		return r.scriptModule(name, from)
	case syntax.C, syntax.CPlusPlus:
		return r.included(name, from)
	case syntax.Rust:
		return r.rustModule(name, from)
	case syntax.Java, syntax.Kotlin, syntax.CSharp, syntax.PHP:
		return r.declaredPackage(name, from)
	}
	return nil
}

// goPackage finds the files of the package with this import path: by the modules of the tree, their vendor folders,
// and where no module says so by the only folder that ends with the path.
func (r *Resolver) goPackage(name string, from *store.File) []int32 {
	mods := r.Tree.Modules()
	for _, mod := range mods { // of two modules of one path, the one around the file
		if mod.Dir == "" || !strings.HasPrefix(from.Path, mod.Dir+"/") || !under(name, mod.Path) {
			continue
		}
		for _, dir := range goDirs(name, mod) {
			if files := r.GoFiles(r.Tree.Folder(dir), from); len(files) > 0 {
				return files
			}
		}
	}
	var best []int32
	for _, mod := range mods {
		if mod.Dir != "" && !strings.HasPrefix(from.Path, mod.Dir+"/") && mod.Path != "std" && !under(name, mod.Path) {
			continue
		}
		for _, dir := range goDirs(name, mod) {
			if files := r.GoFiles(r.Tree.Folder(dir), from); len(files) > 0 {
				return files
			}
		}
		if files := r.GoFiles(r.Tree.Folder(Join(mod.Dir, "vendor/"+name)), from); len(files) > 0 && best == nil {
			best = files
		}
	}
	if best != nil || len(mods) > 0 {
		return best
	}
	if dir := r.Tree.ShortestFolder(name); dir != "" {
		return r.GoFiles(r.Tree.Folder(dir), from)
	}
	return nil
}

func under(name, module string) bool {
	return name == module || strings.HasPrefix(name, module+"/")
}

// goDirs are the folders of the package name in module mod.
func goDirs(name string, mod store.GoModule) []string {
	switch {
	case name == mod.Path:
		return []string{mod.Dir}
	case under(name, mod.Path):
		return []string{Join(mod.Dir, name[len(mod.Path)+1:])}
	case mod.Path == "std":
		return []string{Join(mod.Dir, name)}
	}
	return nil
}

func Join(dir, rest string) string {
	if dir == "" {
		return rest
	}
	return dir + "/" + rest
}

// GoFiles are the Go files among files that from can import. A test that stands in a package of its own beside
// another (x_test) sees that one's tests, too: what they export is for it.
func (r *Resolver) GoFiles(files []int32, from *store.File) []int32 {
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

// nearest is the file among files whose path ends with suffix and shares most with that of from; -1: none.
func (r *Resolver) nearest(files []int32, suffix string, from *store.File) int32 {
	best, score := int32(-1), -1
	for _, n := range files {
		f := r.Tree.Files[n]
		if f == from {
			r.passed = true
			continue
		}
		if f.Path != suffix && !strings.HasSuffix(f.Path, "/"+suffix) {
			continue
		}
		s := 16*commonPrefix(f.Path, from.Path) - strings.Count(f.Path, "/") + 1000
		if s > score {
			best, score = n, s
		}
	}
	return best
}

// paths are the files among list that exist: the first one.
func (r *Resolver) paths(list ...string) []int32 {
	for _, p := range list {
		if n := r.Tree.Number(path.Clean(p)); n >= 0 {
			return []int32{n}
		}
	}
	return nil
}

// scriptModule finds the file that an import of a script names.
func (r *Resolver) scriptModule(name string, from *store.File) []int32 {
	p := name
	if strings.HasPrefix(name, ".") {
		p = path.Join(from.Dir(), name)
		if strings.HasPrefix(p, "..") {
			return nil
		}
		return r.script(p)
	}
	if files := r.scriptPackage(name); files != nil {
		return files
	}
	p = strings.TrimPrefix(strings.TrimPrefix(p, "@/"), "~/")
	if i := strings.IndexByte(p, '/'); i > 0 {
		if files := r.script(p); files != nil {
			return files
		}
		return r.script("src/" + p)
	}
	return nil
}

func (r *Resolver) script(p string) []int32 {
	bare := p
	for _, ext := range []string{".js", ".mjs", ".cjs", ".jsx"} {
		bare = strings.TrimSuffix(bare, ext)
	}
	return r.paths(
		p,
		bare+".ts", bare+".tsx", bare+".mts",
		bare+".js", bare+".jsx", bare+".mjs",
		bare+".d.ts",
		p+"/index.ts", p+"/index.tsx", p+"/index.js", p+"/index.mjs",
	)
}

// declaredPackage finds the files that declare a package or namespace.
func (r *Resolver) declaredPackage(name string, from *store.File) []int32 {
	y, ok := r.Tree.Lex.Find(name)
	if !ok {
		return nil
	}
	return r.Tree.Placed(store.NumberedPlace(y), func(f *store.File) bool { return f.Package == y && store.Family(f.Lang) == store.Family(from.Lang) })
}

// rustModule finds the file of a path such as crate.a.b.
func (r *Resolver) rustModule(name string, from *store.File) []int32 {
	parts := strings.Split(name, ".")
	for len(parts) > 0 && (parts[0] == "crate" || parts[0] == "self" || parts[0] == "super") {
		parts = parts[1:]
	}
	for len(parts) > 0 {
		p, last := strings.Join(parts, "/"), parts[len(parts)-1]
		if n := r.nearest(r.Tree.Called(last), p+".rs", from); n >= 0 {
			return []int32{n}
		}
		if n := r.nearest(r.Tree.Called(last+"/mod"), p+"/mod.rs", from); n >= 0 {
			return []int32{n}
		}
		if n := r.nearest(r.Tree.Called("lib"), strings.ReplaceAll(parts[0], "_", "-")+"/src/lib.rs", from); n >= 0 && len(parts) == 1 {
			return []int32{n}
		}
		parts = parts[:len(parts)-1]
	}
	return nil
}

// ModuleName is the number of an import path, 0 if nothing in the tree imports it.
func (r *Resolver) ModuleName(module string) uint32 {
	y, _ := r.Tree.Lex.Find(module)
	return y
}
