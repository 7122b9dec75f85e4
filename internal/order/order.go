// Package order sorts lists of large values in few bytes of program: slices.SortStableFunc is compiled once for each
// form of a value, some 6 kB of it each time.
package order

import "slices"

// By sorts a list; what compares as equal stays in its order. It moves each value twice, at its end: for lists that are
// long and sorted often, slices.SortStableFunc is quicker.
func By[E any](list []E, compare func(a, b E) int) {
	if len(list) < 2 {
		return
	}
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int { return compare(list[i], list[j]) })
	sorted := make([]E, len(list))
	for to, from := range places {
		sorted[to] = list[from]
	}
	copy(list, sorted)
}
