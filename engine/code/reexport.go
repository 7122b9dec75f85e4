package code

import (
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// moduleMember is the member y of the module v. What a file has is remembered, but for what a bound of depth may have
// left out.
func (r *resolver) moduleMember(v value, y uint32) value {
	if r.depth > 0 || len(v.files) != 1 {
		return r.findModuleMember(v, y)
	}
	key := memberKey{symbol{v.files[0], -1}, y}
	w, ok := r.exports[key]
	if !ok {
		w = r.findModuleMember(v, y)
		w.syms = slices.Clip(w.syms)
		r.exports[key] = w
	}
	return w
}

func (r *resolver) findModuleMember(v value, y uint32) value {
	var list []symbol
	for _, n := range v.files {
		list = r.topOf(list, y, n)
	}
	if len(list) > 0 {
		return value{kind: symbolValue, syms: list, level: Imported}
	}
	if r.depth >= maxResolveDepth || len(v.files) == 0 {
		return external
	}
	r.depth += maxResolveDepth / maxReexports
	defer func() { r.depth -= maxResolveDepth / maxReexports }()
	for _, n := range v.files {
		if w := r.exportedAs(y, n); w.kind == symbolValue {
			return w
		}
		if w := r.reexported(y, n); w.kind == symbolValue || w.kind == moduleValue {
			return w
		}
	}
	return r.submodule(v, y)
}

// reexported looks for y among what file n imports and so passes on.
func (r *resolver) reexported(y uint32, n int32) value {
	switch l := family(r.s.files[n].lang); l {
	case syntax.Go, syntax.C, syntax.Java, syntax.CSharp, syntax.PHP: // what a file imports there is for itself
		return external
	}
	if f, ok := r.imported(y, n); ok {
		return f.v
	}
	if f, ok := r.wildcards(y, n); ok {
		return f.v
	}
	return external
}

// submodule is the module y inside the package v.
func (r *resolver) submodule(v value, y uint32) value {
	f := r.s.files[v.files[0]]
	name := r.s.lex.text(y)
	var files []int32
	switch f.lang {
	case syntax.Python:
		if f.stem() == "__init__" {
			p := join(f.dir(), name)
			files = r.paths(p+".py", p+"/__init__.py")
		}
	case syntax.Rust:
		dir := f.dir()
		if s := f.stem(); s != "mod" && s != "lib" && s != "main" {
			dir = join(dir, s)
		}
		files = r.paths(join(dir, name+".rs"), join(dir, name+"/mod.rs"))
	}
	if len(files) == 0 {
		return external
	}
	return value{kind: moduleValue, files: files, level: Imported}
}

// dottedImport is an import whose module is unknown as such: a class inside a class, or a name in a namespace.
func (r *resolver) dottedImport(m importRow, n int32) value {
	from := r.s.files[n]
	module := r.s.lex.text(m.module)
	list := r.top(m.name, func(g *file) bool {
		if family(g.lang) != family(from.lang) {
			return false
		}
		pkg := r.s.lex.text(g.pkg)
		return pkg != "" && (pkg == module || strings.HasPrefix(module, pkg+"."))
	})
	if len(list) > 0 {
		return value{kind: symbolValue, syms: list, level: Imported}
	}
	if i := strings.LastIndexByte(module, '.'); i > 0 && family(from.lang) == syntax.Java { // a member of a class
		owner, ok := r.s.lex.find(module[i+1:])
		if !ok {
			return external
		}
		for _, t := range r.top(owner, func(g *file) bool { return r.s.lex.text(g.pkg) == module[:i] }) {
			list = append(list, r.typeMembers(t, m.name)...)
		}
		if len(list) > 0 {
			return value{kind: symbolValue, syms: list, level: Imported}
		}
	}
	return external
}

// all reports whether an import brings all names of its module.
func (r *resolver) all(m importRow) bool { return m.name == r.star && m.name != 0 && m.local == 0 }

// wildcards looks for y in the modules whose names file n imports all.
func (r *resolver) wildcards(y uint32, n int32) (found, bool) {
	if r.depth >= maxResolveDepth {
		return found{}, false
	}
	r.depth += maxResolveDepth / maxReexports
	defer func() { r.depth -= maxResolveDepth / maxReexports }()
	for _, m := range r.s.importsOf(n) {
		if !r.all(m) {
			continue
		}
		v := r.module(m.module, n)
		if v.kind != moduleValue || slices.Contains(v.files, n) {
			continue
		}
		if w := r.moduleMember(v, y); w.kind == symbolValue {
			w.level = Imported
			return found{w, Imported}, true
		}
	}
	return found{}, false
}
