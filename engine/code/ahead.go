package code

// ahead holds the references to many names, so that a file that mentions several is unpacked once. Its zero value
// holds none.
type ahead struct {
	names nameSet
	refs  map[int32][]ref // of the files that were read
}

// aheadOf is how many definitions share what is read ahead: a search that ends early has not read much in vain.
const aheadOf = 512

// readAhead reads the references to the names of list in all files that mention at least two of them.
func (r *resolver) readAhead(list []symbol) {
	r.ahead = ahead{names: r.s.newNameSet(), refs: map[int32][]ref{}}
	count := make([]uint8, len(r.s.files))
	for _, from := range list {
		y := r.def(from).name
		if r.ahead.names.has(y) {
			continue
		}
		r.ahead.names.add(y)
		r.mentioning(y, true, func(n int32) {
			if count[n] < 2 && r.related(n, []symbol{from}) {
				count[n]++
			}
		})
	}
	for n, k := range count {
		if k > 1 && !r.clock.look() {
			r.ahead.refs[int32(n)] = refsAmong(r.s.files[n].packed, r.ahead.names)
		}
	}
}

// named are the references of file n, whose rows are packed, to one name.
func (a *ahead) named(packed []byte, n int32, name uint32) []ref {
	known, ok := a.refs[n]
	if !ok || !a.names.has(name) {
		return refsNamed(packed, name)
	}
	var list []ref
	for i := range known {
		if known[i].name == name {
			list = append(list, known[i])
		}
	}
	return list
}
