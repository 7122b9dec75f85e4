package code

import "helve/engine/code/internal/syntax"

// This file knows what scripts export otherwise than by the names of what they define.

// exportedAs is what file n exports as y by exports.y = Name.
func (r *resolver) exportedAs(y uint32, n int32) value {
	if r.s.files[n].lang != syntax.JavaScript {
		return external
	}
	for i := range r.defsOf(n) {
		d := &r.defsOf(n)[i]
		if d.name != y || d.kind != syntax.Field || d.owner == 0 || d.typ == 0 || r.s.lex.text(d.owner) != "exports" {
			continue
		}
		if v := r.typeOf(symbol{n, int32(i)}); v.kind == symbolValue {
			v.level = max(v.level, Imported)
			return v
		}
	}
	return external
}

// exportedFunction is the function without a name that is all that file n exports: module.exports = () => {…}.
func (r *resolver) exportedFunction(n int32) []symbol {
	for i := range r.defsOf(n) {
		d := &r.defsOf(n)[i]
		if d.name == r.s.files[n].pkg && d.kind.Callable() && d.owner != 0 && r.s.lex.text(d.owner) == "module" {
			return []symbol{{n, int32(i)}}
		}
	}
	return nil
}
