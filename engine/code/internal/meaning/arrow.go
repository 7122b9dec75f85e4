package meaning

import (
	"cmp"
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// Arrow is an edge between numbers: to is a definition, or a file where def is -1.
type Arrow struct {
	To   store.DefID
	Use  syntax.Use
	Line int32
	Sure Confidence
}

// replaces reports whether the arrow leads to what implements or overrides, rather than to a user.
func (a Arrow) replaces() bool { return a.Use == syntax.Implement || a.Use == syntax.Override }

// Merge keeps the surest arrow to each target, and of equals the first. That a method stands in for another one is kept
// beside its calls of it: who overrides often calls what it overrides.
func Merge(s *store.Snapshot, list []Arrow) []Arrow {
	slices.SortStableFunc(list, func(a, b Arrow) int {
		return cmp.Or(s.ByPath(a.To.File, b.To.File), cmp.Compare(a.To.Def, b.To.Def),
			FalseFirst(a.replaces(), b.replaces()),
			cmp.Compare(a.Sure.Level, b.Sure.Level), cmp.Compare(a.Sure.Of, b.Sure.Of), cmp.Compare(a.Use, b.Use))
	})
	return slices.CompactFunc(list, func(a, b Arrow) bool { return a.To == b.To && a.replaces() == b.replaces() })
}

// FalseFirst orders what is true behind what is not.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// MaxAlike is the number of definitions that an ambiguous reference contributes to a list.
const MaxAlike = 8
