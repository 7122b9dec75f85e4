package meaning

import (
	"slices"
	"strings"

	"helve/engine/code/internal/store"
)

// ModuleMember is the member y of the module v. What a file has is remembered, but for what a bound of depth may have
// left out.
func (r *modules) ModuleMember(v Value, y uint32) Value {
	if r.depth > 0 || len(v.Files) != 1 {
		return r.findModuleMember(v, y)
	}
	key := memberKey{store.At(v.Files[0], -1), y}
	w, ok := r.exports[key]
	if !ok {
		w = r.findModuleMember(v, y)
		w.Symbols = slices.Clip(w.Symbols)
		r.exports[key] = w
	}
	return w
}

func (r *modules) findModuleMember(v Value, y uint32) Value {
	var list []store.DefID
	for _, n := range v.Files {
		list = r.scopes.topOf(list, y, n)
	}
	if len(list) > 0 {
		return Value{Kind: SymbolValue, Symbols: list, Level: Imported}
	}
	if r.depth >= maxResolveDepth || len(v.Files) == 0 {
		return external
	}
	r.depth += maxResolveDepth / maxReexports
	defer func() { r.depth -= maxResolveDepth / maxReexports }()
	for _, n := range v.Files {
		if as := r.rules(n).exportedAs; as != nil {
			if w := as(r.evaluator, y, n); w.Kind == SymbolValue {
				return w
			}
		}
		if w := r.reexported(y, n); w.Kind == SymbolValue || w.Kind == ModuleValue {
			return w
		}
	}
	return r.submodule(v, y)
}

// reexported looks for y among what file n imports and so passes on.
func (r *modules) reexported(y uint32, n int32) Value {
	if r.rules(n).importsPrivate {
		return external
	}
	if f, ok := r.imported(y, n); ok {
		return f.Value
	}
	if f, ok := r.wildcards(y, n); ok {
		return f.Value
	}
	return external
}

// submodule is the module y inside the package v.
func (r *modules) submodule(v Value, y uint32) Value {
	rules := r.rules(v.Files[0])
	if rules.submodule == nil {
		return external
	}
	files := rules.submodule(r.evaluator, r.Tree.Files[v.Files[0]], r.Tree.Lex.Text(y))
	if len(files) == 0 {
		return external
	}
	return Value{Kind: ModuleValue, Files: files, Level: Imported}
}

// dottedImport is an import whose module is unknown as such: a class inside a class, or a name in a namespace.
func (r *modules) dottedImport(m store.ImportRow, n int32) Value {
	from := r.Tree.Files[n]
	module := r.Tree.Lex.Text(m.Module)
	list := r.scopes.top(m.Name, func(g *store.File) bool {
		if store.Family(g.Lang) != store.Family(from.Lang) {
			return false
		}
		pkg := r.Tree.Lex.Text(g.Package)
		return pkg != "" && (pkg == module || strings.HasPrefix(module, pkg+"."))
	})
	if len(list) > 0 {
		return Value{Kind: SymbolValue, Symbols: list, Level: Imported}
	}
	if i := strings.LastIndexByte(module, '.'); i > 0 && r.rules(n).importsMembers { // a member of a class
		owner, ok := r.Tree.Lex.Find(module[i+1:])
		if !ok {
			return external
		}
		around := func(g *store.File) bool { return r.Tree.Lex.Text(g.Package) == module[:i] }
		for _, t := range r.scopes.top(owner, around) {
			list = append(list, r.members.TypeMembers(t, m.Name)...)
		}
		if len(list) > 0 {
			return Value{Kind: SymbolValue, Symbols: list, Level: Imported}
		}
	}
	return external
}

// All reports whether an import brings all names of its module.
func (r *modules) All(m store.ImportRow) bool {
	return m.Name == r.Star && m.Name != 0 && m.Local == 0
}

// wildcards looks for y in the modules whose names file n imports all.
func (r *modules) wildcards(y uint32, n int32) (Found, bool) {
	if r.depth >= maxResolveDepth {
		return Found{}, false
	}
	r.depth += maxResolveDepth / maxReexports
	defer func() { r.depth -= maxResolveDepth / maxReexports }()
	for _, m := range r.Tree.ImportsOf(n) {
		if !r.All(m) {
			continue
		}
		v := r.Module(m.Module, n)
		if v.Kind != ModuleValue || slices.Contains(v.Files, n) {
			continue
		}
		if w := r.ModuleMember(v, y); w.Kind == SymbolValue {
			w.Level = Imported
			return Found{w, Imported}, true
		}
	}
	return Found{}, false
}
