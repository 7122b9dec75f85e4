package meaning

import (
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows what scripts export otherwise than by the names of what they define.

// exportedAs is what file n exports as y by exports.y = Name.
func (r *Resolver) exportedAs(y uint32, n int32) Value {
	if r.Tree.Files[n].Lang != syntax.JavaScript {
		return external
	}
	for i := range r.DefsOf(n) {
		d := &r.DefsOf(n)[i]
		if d.Name != y || d.Kind != syntax.Field || d.Owner == 0 || d.Type == 0 || r.Tree.Lex.Text(d.Owner) != "exports" {
			continue
		}
		if v := r.TypeOf(store.At(n, int32(i))); v.Kind == SymbolValue {
			v.Level = max(v.Level, Imported)
			return v
		}
	}
	return external
}

// exportedFunction is the function without a name that is all that file n exports: module.exports = () => {…}.
func (r *Resolver) exportedFunction(n int32) []store.DefID {
	for i := range r.DefsOf(n) {
		d := &r.DefsOf(n)[i]
		if d.Name == r.Tree.Files[n].Package && d.Kind.Callable() && d.Owner != 0 && r.Tree.Lex.Text(d.Owner) == "module" {
			return []store.DefID{store.At(n, int32(i))}
		}
	}
	return nil
}
