package change

import (
	"fmt"
	"slices"
	"strconv"
)

// A Withheld place is one that is taken out of a set before it is made.
type Withheld struct {
	// Index is the change's in the set.
	Index int
	// Place is the change's own, or one in a directory that the change brings as a whole.
	Place
	// Why is told in the refusal.
	Why error
	// Elsewhere says that its owner has kept what was to stand there: it goes with the transaction.
	Elsewhere bool
}

// Withhold takes changes out of a set, or single entries out of the directories that it brings as a whole, and keeps
// what was to stand there. It returns the rest, which shares nothing with s, and a refusal for each, in their order. An
// error means that something could not be taken out: the set must then not be made.
func (t *Transaction) Withhold(s *Set, out []Withheld) (*Set, []Refusal, error) {
	if len(out) == 0 {
		return s, nil, nil
	}
	rest := &Set{Changes: slices.Clone(s.Changes), Units: s.Units}
	gone := map[Place]bool{}
	var refused []Refusal
	for n, w := range out {
		r, err := t.withhold(&rest.Changes[w.Index], w, n)
		if err != nil {
			return nil, nil, fmt.Errorf("change: hold back %s: %w", quoted(w.Path), err)
		}
		refused = append(refused, r)
		if w.Place == rest.Changes[w.Index].Place() {
			gone[w.Place] = true
		}
	}
	left := rest.Changes[:0]
	for i := range rest.Changes {
		if !within(rest.Changes[i].Place(), gone) {
			left = append(left, rest.Changes[i])
		}
	}
	rest.Changes = left
	return rest, refused, nil
}

// within reports one of some places, or what lies in one of them.
func within(p Place, some map[Place]bool) bool {
	for ; p.Path != "."; p = p.Parent() {
		if some[p] {
			return true
		}
	}
	return false
}

// withhold keeps what was to stand at one place.
func (k *keeper) withhold(c *Change, w Withheld, n int) (Refusal, error) {
	r := Refusal{Place: w.Place, Index: w.Index, Why: w.Why}
	from := c.From
	if w.Place != c.Place() {
		if c.From == "" || !w.Within(c.Place()) {
			return r, fmt.Errorf("%s does not bring it", quoted(c.Path))
		}
		rel := w.Path[len(c.Path)+1:]
		from = in(c.From, string(rel))
	}
	if from == "" && c.Write == nil {
		return r, nil // a link, a directory or a deletion: the set says all there is to it
	}
	kept, err := k.subfolder(keptName)
	if err != nil {
		return r, err
	}
	defer kept.close()
	to := spot{kept, keptAs(w.Place) + "%" + strconv.Itoa(n)}
	part := &step{Place: w.Place, change: &Change{From: from, Write: c.Write}}
	if err := k.rescueContent(part, to); err != nil {
		return r, err
	}
	if w.Elsewhere {
		return r, to.in.removeAll(to.name)
	}
	k.keep = true
	r.Kept = k.keptPath(to)
	return r, nil
}
