package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
)

// reasons count refusals by what they say.
type reasons map[string]int

// add counts the refusal of a change of a definition, by what it says first of a place.
func (r reasons) add(err error, y code.Symbol) {
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if _, why, ok := strings.Cut(rest, ": "); ok {
		first, _, _ = strings.Cut(why, "\n")
	}
	r[strings.NewReplacer(y.ID, "X", y.Name, "x", y.Path, "F").Replace(first)]++
}

// print prints them, the most frequent first.
func (r reasons) print(out io.Writer) {
	often := func(a, b string) int { return cmp.Or(r[b]-r[a], cmp.Compare(a, b)) }
	for _, why := range slices.SortedFunc(maps.Keys(r), often) {
		fmt.Fprintf(out, "  %4d %s\n", r[why], why)
	}
}

// pace is how long things took: the median, rounded, and the slowest.
func pace(times []time.Duration, round time.Duration) string {
	if len(times) == 0 {
		return "nothing was planned"
	}
	slices.Sort(times)
	median, slowest := times[len(times)/2], times[len(times)-1]
	return fmt.Sprintf("median %v, slowest %v", median.Round(round), slowest.Round(time.Millisecond))
}
