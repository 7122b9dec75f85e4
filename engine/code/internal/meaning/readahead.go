package meaning

import "helve/engine/code/internal/store"

// ahead holds the references to many names, so that a file that mentions several is unpacked once. Its zero value
// holds none.
type ahead struct {
	names store.NameSet
	refs  map[int32][]store.Ref // of the files that were read
}

// AheadOf is how many definitions share what is read ahead: a search that ends early has not read much in vain.
const AheadOf = 512

// ReadAhead reads the references to the names of list in all files that mention at least two of them.
func (r *uses) ReadAhead(list []store.DefID) {
	*r.ahead = ahead{names: r.Tree.NewNameSet(), refs: map[int32][]store.Ref{}}
	count := make([]uint8, len(r.Tree.Files))
	for _, from := range list {
		y := r.Def(from).Name
		if r.ahead.names.Has(y) {
			continue
		}
		r.ahead.names.Add(y)
		r.Mentioning(y, true, func(n int32) {
			if count[n] < 2 && r.dispatch.related(n, []store.DefID{from}) {
				count[n]++
			}
		})
	}
	for n, k := range count {
		if k > 1 && !r.Clock.Look() {
			r.ahead.refs[int32(n)] = store.RefsAmong(r.Tree.Files[n].Packed, r.ahead.names)
		}
	}
}

// named are the references of file n, whose rows are packed, to one name.
func (a *ahead) named(packed []byte, n int32, name uint32) []store.Ref {
	known, ok := a.refs[n]
	if !ok || !a.names.Has(name) {
		return store.RefsNamed(packed, name)
	}
	var list []store.Ref
	for i := range known {
		if known[i].Name == name {
			list = append(list, known[i])
		}
	}
	return list
}
