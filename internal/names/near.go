package names

import (
	"sort"
	"strings"
)

// maxNear bounds the work of one suggestion: a name longer than this is no typo.
const maxNear = 80

// Near returns those of candidates that name may have meant, best first, at most n. It is for
// suggestions only: a near miss is never run.
func Near(name string, candidates []string, n int) []string {
	want := Fold(name)
	if want == "" || len(want) > maxNear {
		return nil
	}
	type scored struct {
		name string
		dist int
	}
	var found []scored
	for _, c := range candidates {
		have := Fold(c)
		if len(have) > maxNear {
			continue
		}
		if d, ok := nearness(want, have); ok {
			found = append(found, scored{c, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return a.dist < b.dist || a.dist == b.dist && a.name < b.name
	})
	out := make([]string, 0, n)
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// nearness is the edit distance where it is small beside the length; a whole word inside the other
// counts as a distance of 3.
func nearness(want, have string) (int, bool) {
	limit := 1 + min(len(want), len(have))/4
	if d := Distance(want, have, limit); d <= limit {
		return d, true
	}
	short, long := want, have
	if len(short) > len(long) {
		short, long = long, short
	}
	return 3, len(short) >= 4 && strings.Contains(long, short)
}

// Distance counts the insertions, deletions, substitutions and swaps of neighbours (bytes) that
// lead from a to b. Beyond limit it stops counting and returns limit+1.
func Distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if swapped(a[:i], b[:j]) {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			best = min(best, cur[j])
		}
		if best > limit {
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// swapped tells that two texts end in the same two bytes, in another order.
func swapped(a, b string) bool {
	i, j := len(a), len(b)
	return i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1]
}
