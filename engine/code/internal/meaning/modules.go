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

// modules find what imports bring.
type modules struct {
	*evaluator
	files   map[moduleKey]Value
	exports map[memberKey]Value // members of modules: a file's, with -1 for the definition
	passed  bool                // a file was left out of the search for a module because it is the one that asks
}

// outermost is what "import a.b" binds, which is a; v, which is a.b, where a is no package of the tree.
func (r *modules) outermost(m store.ImportRow, n int32, v Value) Value {
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
func (r *modules) ImportValue(m store.ImportRow, n int32) Value {
	return r.ImportedFrom(r.Module(m.Module, n), m, n)
}

// ImportedFrom is importValue where v is the module.
func (r *modules) ImportedFrom(v Value, m store.ImportRow, n int32) Value {
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
func (r *modules) exportedName(v Value) []store.DefID {
	if len(v.Files) != 1 {
		return nil
	}
	f := r.Tree.Files[v.Files[0]]
	if f.Package == 0 || !r.rules(v.Files[0]).exportsWhole {
		return nil
	}
	if list := r.ModuleMember(v, f.Package).Symbols; len(list) > 0 {
		return list
	}
	return r.exportedFunction(v.Files[0])
}

// exportedFunction is the function without a name that is all that file n exports: module.exports = () => {…}.
func (r *modules) exportedFunction(n int32) []store.DefID {
	for i := range r.DefsOf(n) {
		d := &r.DefsOf(n)[i]
		if d.Name != r.Tree.Files[n].Package || !d.Kind.Callable() {
			continue
		}
		if d.Owner != 0 && r.Tree.Lex.Text(d.Owner) == "module" {
			return []store.DefID{store.At(n, int32(i))}
		}
	}
	return nil
}

// defaultExport guesses what a script exports by default: what is called as it is imported, else its only class or
// function.
func (r *modules) defaultExport(v Value, local uint32) Value {
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
func (r *modules) Module(y uint32, n int32) Value {
	name, from := r.Tree.Lex.Text(y), r.Tree.Files[n]
	key := moduleKey{y, from.Lang, from.Dir()}
	if v, ok := r.files[key]; ok && !slices.Contains(v.Files, n) {
		return v
	}
	r.passed = false
	files := r.ModuleFiles(name, from)
	v := external
	if len(files) > 0 {
		v = Value{Kind: ModuleValue, Files: files}
	}
	if !r.passed {
		r.files[key] = v
	}
	return v
}

// ModuleFiles are the files of the module that an import in from names.
func (r *modules) ModuleFiles(name string, from *store.File) []int32 {
	if find := r.table.of(from.Lang).module; find != nil {
		return find(r.evaluator, name, from)
	}
	return nil
}

// ModuleNamed are the files of the module of this name, in the first language whose imports name modules that has one.
func (r *modules) ModuleNamed(name string) []int32 {
	for _, rules := range r.table.list {
		if !rules.namesModules {
			continue
		}
		if files := rules.module(r.evaluator, name, &store.File{Lang: rules.Language}); len(files) > 0 {
			return files
		}
	}
	for _, rules := range r.table.list {
		if rules.guessModule == nil {
			continue
		}
		if files := rules.guessModule(r.evaluator, name, &store.File{Lang: rules.Language}); len(files) > 0 {
			return files
		}
	}
	return nil
}

func Join(dir, rest string) string {
	if dir == "" {
		return rest
	}
	return dir + "/" + rest
}

// nearest is the file among files whose path ends with suffix and shares most with that of from; -1: none.
func (r *modules) nearest(files []int32, suffix string, from *store.File) int32 {
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
func (r *modules) paths(list ...string) []int32 {
	for _, p := range list {
		if n := r.Tree.Number(path.Clean(p)); n >= 0 {
			return []int32{n}
		}
	}
	return nil
}

// ModuleName is the number of an import path, 0 if nothing in the tree imports it.
func (r *modules) ModuleName(module string) uint32 {
	y, _ := r.Tree.Lex.Find(module)
	return y
}
