package store

import (
	"slices"

	"helve/engine/code/internal/syntax"
)

// postings say which files define or mention a name: for name y, list[start[y]:start[y+1]], ascending. An item is four
// times the file's number, with two marks.
type postings struct {
	Start []uint32
	list  []uint32
}

const (
	markDefined  = 1 // the file defines the name
	MarkOuter    = 2 // it defines it outside types and functions, where other files can name it alone
	postingShift = 2
)

// outer reports whether others can name d alone: fields and methods are named through their type.
func outer(f *File, d *Def, defs *outerDefs) bool {
	if d.Owner == 0 && (d.Parent < 0 || defs.module(d.Parent)) {
		return true
	}
	return d.Kind == syntax.Member && f.Lang.Traits().Enumerators
}

// outerDefs remembers which definitions of one file are namespaces.
type outerDefs struct{ modules map[int32]bool }

func (o *outerDefs) module(d int32) bool { return o.modules[d] }

// newPostings gathers the postings of files, whose names are below count.
func newPostings(files []*File, count int) postings {
	p := postings{Start: make([]uint32, count+2)}
	g := gatherer{stamp: make([]uint32, count)}
	for i, f := range files {
		g.file(uint32(i), f, func(y, _ uint32) { p.Start[y+2]++ })
	}
	for y := 2; y < len(p.Start); y++ {
		p.Start[y] += p.Start[y-1]
	}
	p.list = make([]uint32, p.Start[len(p.Start)-1])
	clear(g.stamp)
	for i, f := range files {
		g.file(uint32(i), f, func(y, mark uint32) {
			p.list[p.Start[y+1]] = uint32(i)<<postingShift | mark
			p.Start[y+1]++
		})
	}
	p.Start = p.Start[:count+1]
	return p
}

// of are the postings of name y.
func (p *postings) of(y uint32) []uint32 {
	if int(y)+1 >= len(p.Start) {
		return nil
	}
	return p.list[p.Start[y]:p.Start[y+1]]
}

// gatherer finds the distinct names of one file at a time.
type gatherer struct {
	stamp []uint32 // 1 + the last file that had the name
	rows  nameRows
}

// file calls each for every name of f once, with its marks.
func (g *gatherer) file(number uint32, f *File, each func(y, mark uint32)) {
	g.rows.of(f, func(y, mark uint32) {
		if int(y) < len(g.stamp) && y != 0 && g.stamp[y] != number+1 {
			g.stamp[y] = number + 1
			each(y, mark)
		}
	})
}

// marksOf are the names of one file, ascending: an item is four times the name with its marks.
func marksOf(f *File) []uint32 {
	var list []uint32
	var rows nameRows
	rows.of(f, func(y, mark uint32) {
		if y != 0 {
			list = append(list, y<<postingShift|mark)
		}
	})
	slices.Sort(list)
	out := list[:0]
	for _, item := range list { // of the items of one name the last has all marks
		if n := len(out); n > 0 && out[n-1]>>postingShift == item>>postingShift {
			out[n-1] = item
			continue
		}
		out = append(out, item)
	}
	return slices.Clone(out)
}

// nameRows finds the names in packed rows; its memory is reused.
type nameRows struct {
	inner []uint32 // names that the file defines inside others
}

// of calls see for the names of f, with their marks: those that it defines outside others first, then other
// definitions, then what it mentions.
func (g *nameRows) of(f *File, see func(y, mark uint32)) {
	p, err := open(f.Packed)
	if f.Packed == nil || err != nil {
		return
	}
	g.inner = g.inner[:0]
	defs := outerDefs{}
	var d Def
	for i := range p.defCount {
		if p.defs.def(&d, int32(i)); p.defs.err != nil {
			break
		}
		if d.Kind == syntax.Module {
			if defs.modules == nil {
				defs.modules = map[int32]bool{}
			}
			defs.modules[int32(i)] = true
		}
		if outer(f, &d, &defs) {
			see(d.Name, markDefined|MarkOuter)
		} else {
			g.inner = append(g.inner, d.Name)
		}
	}
	for _, y := range g.inner {
		see(y, markDefined)
	}
	mentioned(&p.bases, p.baseCount, see)
	mentioned(&p.refs, p.refCount, see)
	imported(&p.imports, p.importCount, see)
}

// mentioned calls see for the names of count references.
func mentioned(u *unpacker, count int, see func(y, mark uint32)) {
	r := Ref{From: -1}
	for range count {
		if u.ref(&r); u.err != nil {
			break
		}
		see(r.Name, 0)
	}
}

// imported calls see for the names of count imports.
func imported(u *unpacker, count int, see func(y, mark uint32)) {
	for range count {
		u.uvarint()
		name := uint32(u.uvarint())
		u.uvarint()
		u.uvarint()
		if u.err != nil {
			break
		}
		see(name, 0)
	}
}
