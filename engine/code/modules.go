package code

import (
	"path"
	"slices"
	"strings"

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
func (r *resolver) outermost(m importRow, n int32, v value) value {
	first, _, dotted := strings.Cut(r.s.lex.text(m.module), ".")
	if !dotted || r.s.lex.text(m.local) != first {
		return v
	}
	if w := r.module(m.local, n); w.kind == moduleValue {
		return w
	}
	return v
}

// importValue is what the import m of file n brings.
func (r *resolver) importValue(m importRow, n int32) value {
	return r.importedFrom(r.module(m.module, n), m, n)
}

// importedFrom is importValue where v is the module.
func (r *resolver) importedFrom(v value, m importRow, n int32) value {
	whole := m.name == 0 || m.name == r.star
	if v.kind != moduleValue {
		if !whole {
			return r.dottedImport(m, n)
		}
		return external
	}
	if whole {
		v.syms = r.exportedName(v)
		return v
	}
	if w := r.moduleMember(v, m.name); w.kind == symbolValue || w.kind == moduleValue {
		return w
	}
	if r.s.lex.text(m.name) == "default" {
		return r.defaultExport(v, m.local)
	}
	return external
}

// exportedName is what the name means that a script exports as the whole of it: module.exports = Name.
func (r *resolver) exportedName(v value) []symbol {
	if len(v.files) != 1 {
		return nil
	}
	f := r.s.files[v.files[0]]
	if f.pkg == 0 || family(f.lang) != syntax.JavaScript {
		return nil
	}
	if list := r.moduleMember(v, f.pkg).syms; len(list) > 0 {
		return list
	}
	return r.exportedFunction(v.files[0])
}

// defaultExport guesses what a script exports by default: what is called as it is imported, else its only class or
// function.
func (r *resolver) defaultExport(v value, local uint32) value {
	if list := r.exportedName(v); len(list) > 0 {
		return value{kind: symbolValue, syms: list}
	}
	if w := r.moduleMember(v, local); w.kind == symbolValue {
		return w
	}
	var list []symbol
	for _, n := range v.files {
		defs := r.defsOf(n)
		for i := range defs {
			if d := &defs[i]; d.parent < 0 && (d.kind.Type() || d.kind.Callable()) {
				list = append(list, symbol{n, int32(i)})
			}
		}
	}
	if len(list) == 1 {
		return value{kind: symbolValue, syms: list}
	}
	return external
}

// module finds the files of a module named in file n.
func (r *resolver) module(y uint32, n int32) value {
	name, from := r.s.lex.text(y), r.s.files[n]
	key := moduleKey{y, from.lang, from.dir()}
	if v, ok := r.modules[key]; ok && !slices.Contains(v.files, n) {
		return v
	}
	r.passed = false
	files := r.moduleFiles(name, from)
	v := external
	if len(files) > 0 {
		v = value{kind: moduleValue, files: files}
	}
	if !r.passed {
		r.modules[key] = v
	}
	return v
}

// moduleFiles are the files of the module that an import in from names.
func (r *resolver) moduleFiles(name string, from *file) []int32 {
	switch from.lang {
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
func (r *resolver) goPackage(name string, from *file) []int32 {
	mods := r.s.modules()
	for _, mod := range mods { // of two modules of one path, the one around the file
		if mod.dir == "" || !strings.HasPrefix(from.Path, mod.dir+"/") || !under(name, mod.path) {
			continue
		}
		for _, dir := range goDirs(name, mod) {
			if files := r.goFiles(r.s.folder(dir), from); len(files) > 0 {
				return files
			}
		}
	}
	var best []int32
	for _, mod := range mods {
		if mod.dir != "" && !strings.HasPrefix(from.Path, mod.dir+"/") && mod.path != "std" && !under(name, mod.path) {
			continue
		}
		for _, dir := range goDirs(name, mod) {
			if files := r.goFiles(r.s.folder(dir), from); len(files) > 0 {
				return files
			}
		}
		if files := r.goFiles(r.s.folder(join(mod.dir, "vendor/"+name)), from); len(files) > 0 && best == nil {
			best = files
		}
	}
	if best != nil || len(mods) > 0 {
		return best
	}
	if dir := r.s.shortestFolder(name); dir != "" {
		return r.goFiles(r.s.folder(dir), from)
	}
	return nil
}

func under(name, module string) bool {
	return name == module || strings.HasPrefix(name, module+"/")
}

// goDirs are the folders of the package name in module mod.
func goDirs(name string, mod goModule) []string {
	switch {
	case name == mod.path:
		return []string{mod.dir}
	case under(name, mod.path):
		return []string{join(mod.dir, name[len(mod.path)+1:])}
	case mod.path == "std":
		return []string{join(mod.dir, name)}
	}
	return nil
}

func join(dir, rest string) string {
	if dir == "" {
		return rest
	}
	return dir + "/" + rest
}

// goFiles are the Go files among files that from can import. A test that stands in a package of its own beside another (x_test)
// sees that one's tests, too: what they export is for it.
func (r *resolver) goFiles(files []int32, from *file) []int32 {
	var out, programs []int32
	for _, n := range files {
		f := r.s.files[n]
		if f.lang != syntax.Go {
			continue
		}
		beside := f.dir() == from.dir() && f.pkg != from.pkg
		if strings.HasSuffix(f.Path, "_test.go") && !beside {
			continue
		}
		if r.s.lex.text(f.pkg) == "main" {
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
func (r *resolver) nearest(files []int32, suffix string, from *file) int32 {
	best, score := int32(-1), -1
	for _, n := range files {
		f := r.s.files[n]
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
func (r *resolver) paths(list ...string) []int32 {
	for _, p := range list {
		if n := r.s.number(path.Clean(p)); n >= 0 {
			return []int32{n}
		}
	}
	return nil
}

// scriptModule finds the file that an import of a script names.
func (r *resolver) scriptModule(name string, from *file) []int32 {
	p := name
	if strings.HasPrefix(name, ".") {
		p = path.Join(from.dir(), name)
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

func (r *resolver) script(p string) []int32 {
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
func (r *resolver) declaredPackage(name string, from *file) []int32 {
	y, ok := r.s.lex.find(name)
	if !ok {
		return nil
	}
	return r.s.placed(numberedPlace(y), func(f *file) bool { return f.pkg == y && family(f.lang) == family(from.lang) })
}

// rustModule finds the file of a path such as crate.a.b.
func (r *resolver) rustModule(name string, from *file) []int32 {
	parts := strings.Split(name, ".")
	for len(parts) > 0 && (parts[0] == "crate" || parts[0] == "self" || parts[0] == "super") {
		parts = parts[1:]
	}
	for len(parts) > 0 {
		p, last := strings.Join(parts, "/"), parts[len(parts)-1]
		if n := r.nearest(r.s.called(last), p+".rs", from); n >= 0 {
			return []int32{n}
		}
		if n := r.nearest(r.s.called(last+"/mod"), p+"/mod.rs", from); n >= 0 {
			return []int32{n}
		}
		if n := r.nearest(r.s.called("lib"), strings.ReplaceAll(parts[0], "_", "-")+"/src/lib.rs", from); n >= 0 && len(parts) == 1 {
			return []int32{n}
		}
		parts = parts[:len(parts)-1]
	}
	return nil
}

// moduleName is the number of an import path, 0 if nothing in the tree imports it.
func (r *resolver) moduleName(module string) uint32 {
	y, _ := r.s.lex.find(module)
	return y
}
