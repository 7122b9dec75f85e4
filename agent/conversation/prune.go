package conversation

import (
	"cmp"
	"slices"
	"time"
)

// Bounds of what is kept where nobody says otherwise.
const (
	DefaultKeep  = 30 * 24 * time.Hour
	DefaultBytes = 1 << 30
)

// Outdated are the conversations of a list that are to be forgotten: those that nobody went on with since before, and
// the oldest of the others until all together have at most so many bytes. Pinned ones and those that run stay,
// and count.
func Outdated(list []About, before time.Time, bytes int64) []About {
	var all int64
	for _, a := range list {
		all += a.Bytes
	}
	oldest := slices.SortedStableFunc(slices.Values(list), func(a, b About) int {
		return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID))
	})
	var out []About
	for _, a := range oldest {
		if a.Pinned || a.State == Running || !a.Updated.Before(before) && all <= bytes {
			continue
		}
		out = append(out, a)
		all -= a.Bytes
	}
	return out
}
