// Package order sorts lists of many types with one copy of the sort.
//
// slices.SortFunc is compiled once more for each element type: some 12 KB of code and 5 KB of tables for a struct, and
// helve sorts sixty types of them. By sorts the places of the elements, which are int32 for all of them, and then puts
// each element where it belongs.
package order

import "slices"

// few elements are put in order without a list of places.
const few = 12

// By sorts list by compare, which answers as strings.Compare does. Elements that compare as equal keep their order.
func By[E any](list []E, compare func(a, b E) int) {
	if len(list) <= few {
		insert(list, compare)
		return
	}
	places := sorted(len(list), func(a, b int32) int { return compare(list[a], list[b]) })
	old := slices.Clone(list)
	for to, from := range places {
		list[to] = old[from]
	}
}

func insert[E any](list []E, compare func(a, b E) int) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && compare(list[j], list[j-1]) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
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
