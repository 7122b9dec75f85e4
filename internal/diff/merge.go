package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Merge makes both of two changes of a text, where no line that one of them changes touches one that the other changes.
// False: they do touch, and which of the two should count is not for a program to say.
func Merge(old, a, b string) (merged string, ok bool) {
	switch {
	case a == b, old == b:
		return a, true
	case old == a:
		return b, true
	}
	mine, theirs := edits(old, a), edits(old, b)
	var out strings.Builder
	at := 0
	put := func(e udiff.Edit) {
		out.WriteString(old[at:e.Start] + e.New)
		at = e.End
	}
	for len(mine) > 0 && len(theirs) > 0 {
		m, t := mine[0], theirs[0]
		switch {
		case m == t:
			put(m)
			mine, theirs = mine[1:], theirs[1:]
		case m.End < t.Start:
			put(m)
			mine = mine[1:]
		case t.End < m.Start:
			put(t)
			theirs = theirs[1:]
		default:
			return "", false
		}
	}
	for _, e := range append(mine, theirs...) {
		put(e)
	}
	return out.String() + old[at:], true
}
