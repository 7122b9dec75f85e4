// Package order sorts lists of many types with one copy of the sort.
//
// slices.SortFunc and slices.SortStableFunc are compiled once more for each element type: some 12 KB of code and 5 KB
// of tables for a struct, and helve sorts eighty types of them. By sorts the places of the elements, which are int32
// for all of them, and then swaps each element to where it belongs.
package order

import "slices"

// few elements are put in order without a list of places.
const few = 12

// By sorts list by compare, which answers as strings.Compare does. Elements that compare as equal keep their order.
func By[E any](list []E, compare func(a, b E) int) {
	// Only these two functions are compiled for each type.
	arrange(len(list),
		func(a, b int32) int { return compare(list[a], list[b]) },
		func(a, b int32) { list[a], list[b] = list[b], list[a] })
}

// arrange puts n elements in order that it knows by their places alone.
func arrange(n int, compare func(a, b int32) int, swap func(a, b int32)) {
	if n <= few {
		insert(int32(n), compare, swap)
		return
	}
	from := sorted(n, compare)
	// Each round of places that exchange their elements is gone through once; a place that is done names itself.
	for start := range from {
		at := int32(start)
		for next := from[at]; int(next) != start; next = from[at] {
			swap(at, next)
			from[at] = at
			at = next
		}
		from[at] = at
	}
}

func insert(n int32, compare func(a, b int32) int, swap func(a, b int32)) {
	for i := int32(1); i < n; i++ {
		for j := i; j > 0 && compare(j, j-1) < 0; j-- {
			swap(j, j-1)
		}
	}
}

// sorted are the numbers below n in the order of what stands at them; places of equal elements keep theirs.
func sorted(n int, compare func(a, b int32) int) []int32 {
	places := make([]int32, n)
	inOrder := true
	for i := range places {
		places[i] = int32(i)
		inOrder = inOrder && (i == 0 || compare(int32(i-1), int32(i)) <= 0)
	}
	if inOrder {
		return places
	}
	slices.SortFunc(places, func(a, b int32) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return int(a) - int(b)
	})
	return places
}
