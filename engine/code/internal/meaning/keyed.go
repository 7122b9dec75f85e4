package meaning

import (
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows what the names before the colons of a literal mean: T{name: x}.

// isKeyed reports whether v is a named map or list. What stands before a colon in a literal of it is no field
// of it, as it is of a structure, but a name that stands alone.
func (r *evaluator) isKeyed(v Value, n int32) bool {
	if !r.rules(n).keyed || v.Kind != SymbolValue || len(v.Symbols) != 1 {
		return false
	}
	d := r.Def(v.Symbols[0])
	return d.Kind == syntax.Alias && strings.HasPrefix(r.Tree.Lex.Text(d.Type), "[")
}

// bare answers what the name of u means where it stands alone.
func (r *evaluator) bare(u *store.Ref, n, from int32) []Target {
	f := r.scopes.Lookup(u.Name, n, from)
	return r.explained(r.rank(r.fitting(f.Value.Symbols, u.Use), n, f.Level), f.Value)
}
