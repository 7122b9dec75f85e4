package code

import (
	"context"
	"time"

	"helve/engine/code/internal/syntax"
)

const (
	// maxRankedFiles is how many files are looked at to rank the definitions of a name that they mention. Of more, about
	// sampledFiles are.
	maxRankedFiles = 1024
	sampledFiles   = 256
	// useWeight is what a reference counts for that means one definition; one of several meanings is shared by them.
	useWeight = 60
)

// ranked are the definitions that text means: those that it fits best first, copies of something else last, and of
// these the most used first.
func (r *resolver) ranked(text string) []symbol {
	list := r.s.candidates(text)
	if len(list) < 2 || !r.several(list) {
		return symbolsIn(list)
	}
	used := r.usageInTime(list)
	const prominenceBits, useBits = 18, 30
	sortBy(list, func(c candidate) int {
		key := c.fit << 1
		if !r.s.files[c.file].foreign {
			key++
		}
		key = key<<useBits | min(used[c.symbol], 1<<useBits-1)
		return -(key<<prominenceBits + r.s.prominence(c.symbol))
	})
	return symbolsIn(list)
}

// several reports whether the candidates are more than versions of one thing.
func (r *resolver) several(list []candidate) bool {
	same := r.s.versions(list[0].symbol)
	for _, c := range list[1:] {
		if !same(c.symbol) {
			return true
		}
	}
	return false
}

// usageInTime is the usage that is found in half of the time that is left: the other half is for what was asked.
func (r *resolver) usageInTime(list []candidate) map[symbol]int {
	all := r.clock
	end, bounded := all.ctx.Deadline()
	if !bounded {
		return r.usage(list)
	}
	ctx, cancel := context.WithTimeout(all.ctx, time.Until(end)/2)
	defer cancel()
	r.clock = clock{ctx: ctx}
	used := r.usage(list)
	if r.clock.ended { // what it has found until then is not all
		*r = *newResolver(all.ctx, r.s)
		return used
	}
	r.clock = all
	return used
}

// usage is how much the candidates, which have one name, are used.
func (r *resolver) usage(list []candidate) map[symbol]int {
	y := r.def(list[0].symbol).name
	files := 0
	r.mentioning(y, true, func(int32) { files++ })
	used := map[symbol]int{}
	families := map[syntax.Language]bool{}
	for _, c := range list {
		f := family(r.s.files[c.file].lang)
		if families[f] {
			continue
		}
		families[f] = true
		m := r.someMentions(y, f, files)
		for i := range m.list {
			targets := m.list[i].targets
			for _, t := range targets {
				used[t.symbol] += max(1, useWeight/len(targets))
			}
		}
	}
	return used
}

// someMentions are the mentions of a name that so many files have; of many files, those in some of them. Which these are
// depends on their paths alone, so that an index that grew answers as one that was built at once.
func (r *resolver) someMentions(y uint32, of syntax.Language, files int) *mentions {
	if files <= maxRankedFiles {
		return r.mentionsOf(y, of)
	}
	m := &mentions{}
	every := uint32(files / sampledFiles)
	r.mentioning(y, true, func(n int32) {
		f := r.s.files[n]
		if family(f.lang) == of && hashOf(f.Path)%every == 0 {
			r.mentionsIn(m, n, y)
		}
	})
	return m
}

// only answers the definitions that text means first, as one group, and the other ones.
func (r *resolver) only(text string) (group, others []symbol, err error) {
	s := r.s
	found := r.ranked(text)
	if len(found) == 0 {
		return nil, nil, s.unknown(r.clock.ctx, text)
	}
	if parseName(text).ordinal > 0 { // one of several versions, and no other
		r.chosen = r.overload(found[0])
		return r.signatures(found[0]), nil, nil
	}
	same := s.versions(found[0])
	for _, y := range found {
		if same(y) {
			group = append(group, y)
		} else {
			others = append(others, y)
		}
	}
	return s.declared(group, same), others, nil
}

// versionsOf are the versions of y, which have one name: all overloads in its file, and in Go what other files of the package
// have for other systems.
func (r *resolver) versionsOf(y symbol) []symbol {
	group, same := []symbol{y}, r.s.versions(y)
	r.mentioning(r.def(y).name, false, func(n int32) {
		if n != y.file && r.s.files[n].lang != syntax.Go {
			return
		}
		for d := range r.defsOf(n) {
			if z := (symbol{n, int32(d)}); z != y && r.def(z).name == r.def(y).name && same(z) {
				group = append(group, z)
			}
		}
	})
	return group
}
