package check

import (
	"slices"
	"sort"

	"helve/internal/change"
	"helve/internal/visible"
)

// withAsking adds to what was found in a set the changes, removals too, by which another program would ask us no more.
// In a set that was made already each change is one of content, and what lies in something that was found is found.
func (o Options) withAsking(set *change.Set, found []Finding, made bool) []Finding {
	if o.Asks == nil {
		return found
	}
	for i := range set.Changes {
		one := &set.Changes[i]
		if !made && one.Alters() && one.Was.Mode == one.Will.Mode { // another time or owner
			continue
		}
		why := o.Asks(one.Place())
		known := func(f Finding) bool {
			return f.Place == one.Place() || made && one.Place().Within(f.Place)
		}
		if why != "" && !slices.ContainsFunc(found, known) {
			if made { // it goes with all that is in it
				found = slices.DeleteFunc(found, func(f Finding) bool { return f.Place.Within(one.Place()) })
			}
			found = append(found, finding(i, one.Place(), why))
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Index < found[j].Index })
	return found
}

// find notes something dangerous, once a place; "" is nothing.
func (c *checker) find(i int, p place, why string) {
	if why == "" || c.held[p] {
		return
	}
	c.held[p] = true
	c.found = append(c.found, finding(i, p, why))
}

// findGit is find for what git makes of several files, whatever else was found at the place.
func (c *checker) findGit(i int, p place, why string) {
	if why == "" {
		return
	}
	c.find(i, p, why)
	for j := range c.found {
		c.found[j].Git = c.found[j].Git || c.found[j].Place == p
	}
}

// finding has its reason in one line, in which nothing is hidden: names of files stand in it, as somebody else chose
// them.
func finding(i int, p place, why string) Finding {
	return Finding{Index: i, Place: p, Why: visible.Line(why)}
}
