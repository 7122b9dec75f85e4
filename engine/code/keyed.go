package code

import (
	"strings"

	"helve/engine/code/internal/syntax"
)

// This file knows what the names before the colons of a literal of Go mean: T{name: x}.

// isKeyed reports whether v is a named map or list of Go. What stands before a colon in a literal of it is no field of it, as it
// is of a structure, but a name that stands alone.
func (r *resolver) isKeyed(v value, n int32) bool {
	if r.s.files[n].lang != syntax.Go || v.kind != symbolValue || len(v.syms) != 1 {
		return false
	}
	d := r.def(v.syms[0])
	return d.kind == syntax.Alias && strings.HasPrefix(r.s.lex.text(d.typ), "[")
}

// bare answers what the name of u means where it stands alone.
func (r *resolver) bare(u *ref, n, from int32) []target {
	f := r.lookup(u.name, n, from)
	return r.explained(r.rank(r.fitting(f.v.syms, u.use), n, f.level), f.v)
}
