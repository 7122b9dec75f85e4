package store

import (
	"cmp"
	"slices"
)

// SortBy sorts list by key, keeping the order of equals.
func SortBy[T any](list []T, key func(T) int) {
	if len(list) < 2 {
		return
	}
	type keyed struct {
		key  int
		item T
	}
	all := make([]keyed, len(list))
	for i, x := range list {
		all[i] = keyed{key(x), x}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i := range all {
		list[i] = all[i].item
	}
}
