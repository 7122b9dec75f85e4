package meaning

import (
	"context"
	"time"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

const (
	// maxRankedFiles is how many files are looked at to rank the definitions of a name that they mention. Of more,
	// about sampledFiles are.
	maxRankedFiles = 1024
	sampledFiles   = 256
	// useWeight is what a reference counts for that means one definition; one of several meanings is shared by them.
	useWeight = 60
)

// Ranked are the definitions that text means: those that it fits best first, copies of something else last, and of
// these the most used first.
func (r *uses) Ranked(text string) []store.DefID {
	list := r.Tree.Candidates(text)
	if len(list) < 2 || !r.several(list) {
		return store.SymbolsIn(list)
	}
	used := r.usageInTime(list)
	const prominenceBits, useBits = 18, 30
	store.SortBy(list, func(c store.Candidate) int {
		key := c.Fit << 1
		if !r.Tree.Files[c.File].Foreign {
			key++
		}
		key = key<<useBits | min(used[c.DefID], 1<<useBits-1)
		return -(key<<prominenceBits + r.Tree.Prominence(c.DefID))
	})
	return store.SymbolsIn(list)
}

// several reports whether the candidates are more than versions of one thing.
func (r *uses) several(list []store.Candidate) bool {
	same := r.Tree.Versions(list[0].DefID)
	for _, c := range list[1:] {
		if !same(c.DefID) {
			return true
		}
	}
	return false
}

// usageInTime is the usage that is found in half of the time that is left: the other half is for what was asked.
func (r *uses) usageInTime(list []store.Candidate) map[store.DefID]int {
	all := r.Clock
	end, bounded := all.Context.Deadline()
	if !bounded {
		return r.usage(list)
	}
	ctx, cancel := context.WithTimeout(all.Context, time.Until(end)/2)
	defer cancel()
	r.Clock = store.Clock{Context: ctx}
	used := r.usage(list)
	if r.Clock.Ended { // what it has found until then is not all
		r.begin(all.Context, r.Tree, r.table)
		return used
	}
	r.Clock = all
	return used
}

// usage is how much the candidates, which have one name, are used.
func (r *uses) usage(list []store.Candidate) map[store.DefID]int {
	y := r.Def(list[0].DefID).Name
	files := 0
	r.Mentioning(y, true, func(int32) { files++ })
	used := map[store.DefID]int{}
	families := map[syntax.Language]bool{}
	for _, c := range list {
		f := store.Family(r.Tree.Files[c.File].Lang)
		if families[f] {
			continue
		}
		families[f] = true
		m := r.someMentions(y, f, files)
		for i := range m.List {
			targets := m.List[i].Targets
			for _, t := range targets {
				used[t.DefID] += max(1, useWeight/len(targets))
			}
		}
	}
	return used
}

// someMentions are the mentions of a name that so many files have; of many files, those in some of them. Which these
// are depends on their paths alone, so that an index that grew answers as one that was built at once.
func (r *uses) someMentions(y uint32, of syntax.Language, files int) *mentions {
	if files <= maxRankedFiles {
		return r.MentionsOf(y, of)
	}
	m := &mentions{}
	every := uint32(files / sampledFiles)
	r.Mentioning(y, true, func(n int32) {
		f := r.Tree.Files[n]
		if store.Family(f.Lang) == of && store.HashOf(f.Path)%every == 0 {
			r.mentionsIn(m, n, y)
		}
	})
	return m
}

// Only answers the definitions that text means first, as one group, and the other ones.
func (r *uses) Only(text string) (group, others []store.DefID, err error) {
	s := r.Tree
	found := r.Ranked(text)
	if len(found) == 0 {
		return nil, nil, s.Unknown(r.Clock.Context, text)
	}
	if store.ParseName(text).Ordinal > 0 { // one of several versions, and no other
		r.chosen = r.overload(found[0])
		return r.signatures(found[0]), nil, nil
	}
	same := s.Versions(found[0])
	for _, y := range found {
		if same(y) {
			group = append(group, y)
		} else {
			others = append(others, y)
		}
	}
	return s.Declared(group, same), others, nil
}

// VersionsOf are the versions of y, which have one name: all overloads in its file, and what other files
// of its package have for other systems.
func (r *uses) VersionsOf(y store.DefID) []store.DefID {
	group, same := []store.DefID{y}, r.Tree.Versions(y)
	r.Mentioning(r.Def(y).Name, false, func(n int32) {
		if n != y.File && !r.traits(n).Folders {
			return
		}
		for d := range r.DefsOf(n) {
			if z := store.At(n, int32(d)); z != y && r.Def(z).Name == r.Def(y).Name && same(z) {
				group = append(group, z)
			}
		}
	})
	return group
}
