package code

import (
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/syntax"
)

// Group is what one end of an edge is to the other.
type Group uint8

// The groups, in the order in which answers have them. Of what uses a definition, tests are a group of their own.
const (
	Calls Group = iota
	Reads
	Extends
	Implements
	Overrides
	Tests
	groups // how many there are
)

// GroupCount is how many edges of a group there are.
type GroupCount struct {
	Group Group
	Total int
}

// groupOf is the group of an edge; test tells that it is one of a test, and that these are apart.
func groupOf(use syntax.Use, test bool) Group {
	switch {
	case use == syntax.Implement:
		return Implements
	case use == syntax.Override:
		return Overrides
	case test:
		return Tests
	case use == syntax.Inherit:
		return Extends
	case use == syntax.Mention:
		return Reads
	}
	return Calls
}

// dealt is how many edges of each group come before the rest: enough to see what there is of each.
const dealt = 8

// deal puts the first edges of each group in front, group after group, and counts the groups. The rest comes behind
// them in the same order. Where tests are a group of their own, what else is in tests comes last in its group.
func (s *Snapshot) deal(list []meaning.Arrow, tests bool) ([]meaning.Arrow, []GroupCount) {
	if tests {
		slices.SortStableFunc(list, func(a, b meaning.Arrow) int {
			return meaning.FalseFirst(s.tree.Files[a.To.File].Test, s.tree.Files[b.To.File].Test)
		})
	}
	var totals [groups]int
	place := make(map[meaning.Arrow]int, len(list)) // of the group, behind all groups where others of it come before
	for _, a := range list {
		g := groupOf(a.Use, tests && s.tree.Files[a.To.File].Test)
		place[a] = int(g)
		if totals[g] >= dealt {
			place[a] += int(groups)
		}
		totals[g]++
	}
	slices.SortStableFunc(list, func(a, b meaning.Arrow) int { return place[a] - place[b] })
	var counts []GroupCount
	for g, n := range totals {
		if n > 0 {
			counts = append(counts, GroupCount{Group(g), n})
		}
	}
	return list, counts
}
