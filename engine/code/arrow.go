package code

import (
	"cmp"
	"slices"
	"strings"

	"helve/engine/code/internal/syntax"
)

// arrow is an edge between numbers: to is a definition, or a file where def is -1.
type arrow struct {
	to   symbol
	use  syntax.Use
	line int32
	sure Confidence
}

// replaces reports whether the arrow leads to what implements or overrides, rather than to a user.
func (a arrow) replaces() bool { return a.use == syntax.Implement || a.use == syntax.Override }

// merge keeps the surest arrow to each target, and of equals the first. That a method stands in for another one is kept
// beside its calls of it: who overrides often calls what it overrides.
func merge(s *Snapshot, list []arrow) []arrow {
	slices.SortStableFunc(list, func(a, b arrow) int {
		return cmp.Or(s.byPath(a.to.file, b.to.file), cmp.Compare(a.to.def, b.to.def), last(a.replaces(), b.replaces()),
			cmp.Compare(a.sure.Level, b.sure.Level), cmp.Compare(a.sure.Of, b.sure.Of), cmp.Compare(a.use, b.use))
	})
	return slices.CompactFunc(list, func(a, b arrow) bool { return a.to == b.to && a.replaces() == b.replaces() })
}

// last orders what is true behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// virtual reports whether u may run what overrides the method that it names: super.f() does not.
func (r *resolver) virtual(u *ref) bool {
	return u.use == syntax.Call && r.s.lex.text(u.name) != "__init__" && !strings.HasSuffix(r.s.lex.text(u.qual), "^")
}

// maxAlike is the number of definitions that an ambiguous reference contributes to a list.
const maxAlike = 8
