package order_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helve/internal/order"
)

// entry is as large as what the searches sort.
type entry struct {
	path string
	_    [5]int64
}

func BenchmarkBy(b *testing.B)       { benchmark(b, order.By[entry]) }
func BenchmarkSortFunc(b *testing.B) { benchmark(b, slices.SortFunc[[]entry]) }

func benchmark(b *testing.B, sort func([]entry, func(a, b entry) int)) {
	for _, n := range []int{10, 1000, 50_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			from := make([]entry, n)
			for i := range from {
				from[i].path = "src/" + strconv.Itoa(r.IntN(1_000_000))
			}
			list := make([]entry, n)
			for b.Loop() {
				copy(list, from)
				sort(list, func(a, b entry) int { return strings.Compare(a.path, b.path) })
			}
		})
	}
}
