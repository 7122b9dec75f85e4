package code

// postings say which files define or mention a name: for name y, list[start[y]:start[y+1]], ascending. An item is
// twice the file's number, plus one when the file defines the name.
type postings struct {
	start []uint32
	list  []uint32
}

// newPostings gathers the postings of files, whose names are below count.
func newPostings(files []*file, count int) postings {
	p := postings{start: make([]uint32, count+2)}
	g := gatherer{stamp: make([]uint32, count)}
	for i, f := range files {
		g.file(uint32(i), f, func(y uint32, _ bool) { p.start[y+2]++ })
	}
	for y := 2; y < len(p.start); y++ {
		p.start[y] += p.start[y-1]
	}
	p.list = make([]uint32, p.start[len(p.start)-1])
	clear(g.stamp)
	for i, f := range files {
		g.file(uint32(i), f, func(y uint32, defined bool) {
			item := uint32(i) << 1
			if defined {
				item |= 1
			}
			p.list[p.start[y+1]] = item
			p.start[y+1]++
		})
	}
	p.start = p.start[:count+1]
	return p
}

// of are the postings of name y.
func (p *postings) of(y uint32) []uint32 {
	if int(y)+1 >= len(p.start) {
		return nil
	}
	return p.list[p.start[y]:p.start[y+1]]
}

// gatherer finds the distinct names of one file at a time.
type gatherer struct {
	stamp []uint32 // 1 + the last file that had the name
}

// file calls each for every name of f once: those it defines first.
func (g *gatherer) file(number uint32, f *file, each func(y uint32, defined bool)) {
	p, err := open(f.packed)
	if f.packed == nil || err != nil {
		return
	}
	mark := number + 1
	see := func(y uint32, defined bool) {
		if int(y) < len(g.stamp) && y != 0 && g.stamp[y] != mark {
			g.stamp[y] = mark
			each(y, defined)
		}
	}
	var d def
	for i := range p.defCount {
		if p.defs.def(&d, int32(i)); p.defs.err != nil {
			break
		}
		see(d.name, true)
	}
	r := ref{from: -1}
	for range p.refCount {
		if p.refs.ref(&r); p.refs.err != nil {
			break
		}
		see(r.name, false)
	}
	u := &p.imports
	for range p.importCount {
		u.uvarint()
		name := uint32(u.uvarint())
		u.uvarint()
		u.uvarint()
		if u.err != nil {
			break
		}
		see(name, false)
	}
}
