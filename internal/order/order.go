// Package order sorts short lists of many types with one copy of the sort.
//
// slices.SortFunc is compiled once more for each element type: some 12 KB of code and 5 KB of tables for a struct, and
// helve sorts sixty types of them. Lists that are long or sorted often (files, postings, candidates) stay with slices,
// which is about twice as fast.
package order

import "sort"

// By sorts list by compare, which answers as strings.Compare does. Elements that compare as equal keep their order.
func By[E any](list []E, compare func(a, b E) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
