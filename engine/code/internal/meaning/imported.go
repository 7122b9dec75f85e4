package meaning

import (
	"slices"

	"helve/engine/code/internal/store"
)

// imported looks for y among the names that file n imports. Of several imports that give one name, each may be the
// one that counts: they stand in branches, say.
func (r *modules) imported(y uint32, n int32) (Found, bool) {
	var out Found
	known := false
	for _, m := range r.Tree.ImportsOf(n) {
		if m.Local != y {
			continue
		}
		f, ok := r.brought(m, n)
		switch {
		case !ok:
		case known:
			out = either(out, f)
		default:
			out, known = f, true
		}
	}
	return out, known
}

// importedInside looks among the imports that stand in the functions around from: they hide what stands around these.
func (r *modules) importedInside(y uint32, n, from int32) (Found, bool) {
	if !r.rules(n).importsInside {
		return Found{}, false
	}
	rows := r.Tree.ImportsOf(n)
	first := slices.IndexFunc(rows, func(m store.ImportRow) bool { return m.Local == y })
	if first < 0 {
		return Found{}, false
	}
	defs := r.DefsOf(n)
	for p := from; p >= 0; p = defs[p].Parent {
		d := &defs[p]
		for _, m := range rows[first:] {
			if m.Local != y || !d.Kind.Callable() || m.Line <= d.Line || m.Line > d.EndLine {
				continue
			}
			if f, ok := r.brought(m, n); ok {
				return f, true
			}
		}
	}
	return Found{}, false
}

// brought is what the name means that the import m of file n gives.
func (r *modules) brought(m store.ImportRow, n int32) (Found, bool) {
	v := r.ImportValue(m, n)
	if m.Name == 0 && r.rules(n).importsOutermost {
		v = r.outermost(m, n, v)
	}
	if v.Kind == UnknownValue {
		v = external
	}
	if v.Kind == ExternalValue && r.rules(n).importsNamespaces {
		return Found{}, false // using testing::T: a namespace is no file, and the tree may have it
	}
	v.outside = v.Kind == ExternalValue && r.Module(m.Module, n).Kind == ExternalValue
	if v.Kind == ModuleValue || v.Kind == SymbolValue {
		v.Level = Imported
	}
	return Found{v, Imported}, true
}

// either is what a name means that two imports give: what is in the tree, and both where both are.
func either(a, b Found) Found {
	switch {
	case a.Value.Kind == ExternalValue && b.Value.Kind != ExternalValue:
		b.Level, b.Value.Level = Unique, Unique
		return b
	case a.Value.Kind == SymbolValue && b.Value.Kind == SymbolValue:
		a.Value.Symbols = slices.Clone(a.Value.Symbols)
		for _, y := range b.Value.Symbols {
			if !slices.Contains(a.Value.Symbols, y) {
				a.Value.Symbols = append(a.Value.Symbols, y)
			}
		}
	}
	return a
}

// NamedAlone answers which names may mean, standing alone in file n, what file to defines: in many languages only those
// that an import binds.
func (r *modules) NamedAlone(n, to int32) func(y uint32) bool {
	rules := r.rules(n)
	same := rules.samePackage
	if !rules.onlyImports || same != nil && same(r.Tree.Files[n], r.Tree.Files[to]) {
		return anyName
	}
	imports := r.Tree.ImportsOf(n)
	if slices.ContainsFunc(imports, r.All) {
		return anyName
	}
	return func(y uint32) bool {
		return slices.ContainsFunc(imports, func(m store.ImportRow) bool { return m.Local == y })
	}
}

func anyName(uint32) bool { return true }
