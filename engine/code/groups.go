package code

import (
	"slices"

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
// them in the same order.
func (s *Snapshot) deal(list []arrow, tests bool) ([]arrow, []GroupCount) {
	var by [groups][]arrow
	for _, a := range list {
		g := groupOf(a.use, tests && s.files[a.to.file].test)
		by[g] = append(by[g], a)
	}
	var counts []GroupCount
	var first, rest []arrow
	for g, l := range by {
		if len(l) == 0 {
			continue
		}
		counts = append(counts, GroupCount{Group(g), len(l)})
		n := min(len(l), dealt)
		first, rest = append(first, l[:n]...), append(rest, l[n:]...)
	}
	return slices.Concat(first, rest), counts
}
