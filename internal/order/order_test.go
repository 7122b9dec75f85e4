package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"helve/internal/order"
)

// The library's stable sort is the oracle.
func TestListsAreSortedAsTheLibraryDoes(t *testing.T) {
	type value struct {
		key, from int
	}
	byKey := func(a, b value) int { return cmp.Compare(a.key, b.key) }
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		list := make([]value, n)
		for i := range list {
			list[i] = value{r.IntN(n/2 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		order.By(list, byKey)
		if !slices.Equal(list, want) {
			t.Fatalf("%d values: %v, want %v", n, list, want)
		}
	}
}
