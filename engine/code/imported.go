package code

import (
	"slices"

	"helve/engine/code/internal/syntax"
)

// imported looks for y among the names that file n imports. Of several imports that give one name, each may be the one that
// counts: they stand in branches, say.
func (r *resolver) imported(y uint32, n int32) (found, bool) {
	var out found
	known := false
	for _, m := range r.s.importsOf(n) {
		if m.local != y {
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
func (r *resolver) importedInside(y uint32, n, from int32) (found, bool) {
	f := r.s.files[n]
	if f.lang != syntax.Python && family(f.lang) != syntax.JavaScript {
		return found{}, false
	}
	rows := r.s.importsOf(n)
	first := slices.IndexFunc(rows, func(m importRow) bool { return m.local == y })
	if first < 0 {
		return found{}, false
	}
	defs := r.defsOf(n)
	for p := from; p >= 0; p = defs[p].parent {
		d := &defs[p]
		for _, m := range rows[first:] {
			if m.local != y || !d.kind.Callable() || m.line <= d.line || m.line > d.endLine {
				continue
			}
			if f, ok := r.brought(m, n); ok {
				return f, true
			}
		}
	}
	return found{}, false
}

// brought is what the name means that the import m of file n gives.
func (r *resolver) brought(m importRow, n int32) (found, bool) {
	v := r.importValue(m, n)
	if m.name == 0 && r.s.files[n].lang == syntax.Python {
		v = r.outermost(m, n, v)
	}
	if v.kind == unknownValue {
		v = external
	}
	if v.kind == externalValue && family(r.s.files[n].lang) == syntax.C {
		return found{}, false // using testing::T: a namespace is no file, and the tree may have it
	}
	v.outside = v.kind == externalValue && r.module(m.module, n).kind == externalValue
	if v.kind == moduleValue || v.kind == symbolValue {
		v.level = Imported
	}
	return found{v, Imported}, true
}

// either is what a name means that two imports give: what is in the tree, and both where both are.
func either(a, b found) found {
	switch {
	case a.v.kind == externalValue && b.v.kind != externalValue:
		b.level, b.v.level = Unique, Unique
		return b
	case a.v.kind == symbolValue && b.v.kind == symbolValue:
		a.v.syms = slices.Clone(a.v.syms)
		for _, y := range b.v.syms {
			if !slices.Contains(a.v.syms, y) {
				a.v.syms = append(a.v.syms, y)
			}
		}
	}
	return a
}
