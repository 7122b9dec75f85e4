package code

import "helve/engine/code/internal/syntax"

const (
	// maxRankedFiles is how many files may mention a name for its definitions to be ranked by use. Where there are
	// more, their kinds and places rank them.
	maxRankedFiles = 4096
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
	used := r.usage(list)
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

// usage is how much the candidates, which have one name, are used; nothing where too many files mention it.
func (r *resolver) usage(list []candidate) map[symbol]int {
	y := r.def(list[0].symbol).name
	files := 0
	r.mentioning(y, true, func(int32) { files++ })
	if files > maxRankedFiles {
		return nil
	}
	used := map[symbol]int{}
	families := map[syntax.Language]bool{}
	for _, c := range list {
		f := family(r.s.files[c.file].lang)
		if families[f] {
			continue
		}
		families[f] = true
		m := r.mentionsOf(y, f)
		for i := range m.list {
			targets := m.list[i].targets
			for _, t := range targets {
				used[t.symbol] += max(1, useWeight/len(targets))
			}
		}
	}
	return used
}
