package store

import "helve/engine/code/internal/syntax"

// This file tells definitions of one qualified name in one file apart: the second f of a class is path#Type.f~2.

const (
	// maxCompared is how many definitions a file may have for one of them to be compared with all others. Of a larger
	// one all are numbered at once: a list that names thousands of them would compare each with each.
	maxCompared = 2048
	// maxOrdinals bounds the numbers that are remembered, four bytes each.
	maxOrdinals = 1 << 20
)

// ordinal is the number of y among the definitions of its name: 1 for the first of them, and for what needs none. A
// declaration is one with what has a body: both are 1 where there is one of each.
func (s *Snapshot) ordinal(y DefID) int {
	defs := s.DefsOf(y.File)
	if !numberable(&defs[y.Def]) {
		return 1
	}
	if len(defs) > maxCompared {
		return int(s.ordinalsOf(y.File)[y.Def])
	}
	return s.compared(y, defs)
}

// isNumbered reports whether the ordinal of y is n. It is asked of all definitions of one name.
func (s *Snapshot) isNumbered(y DefID, n int) bool {
	if !numberable(s.Def(y)) {
		return n == 1
	}
	return int(s.ordinalsOf(y.File)[y.Def]) == n
}

// numberable reports whether definitions of such a kind are told apart by numbers.
func numberable(d *Def) bool { return d.Kind.Callable() || d.Kind.Type() }

// namesakes count definitions of one qualified name, by whether they have a body.
type namesakes struct{ with, without int32 }

func (c *namesakes) add(d *Def) {
	if d.Body < d.End {
		c.with++
	} else {
		c.without++
	}
}

// ordinal is the number of d, which has these namesakes before it, and so many with itself in its file.
func (c namesakes) ordinal(all namesakes, d *Def, lang syntax.Language) int {
	if !lang.Traits().Prototypes || !d.Kind.Callable() {
		return int(1 + c.with + c.without)
	}
	if d.Body < d.End {
		return int(1 + c.with)
	}
	n := 1 + c.without
	if n > all.with { // more are declared than are defined here
		n += all.with
	}
	return int(n)
}

// compared is the ordinal of y, compared with all definitions of its file.
func (s *Snapshot) compared(y DefID, defs []Def) int {
	d := &defs[y.Def]
	qualified := s.Qualified(y)
	var before, all namesakes
	for i := range defs {
		o := &defs[i]
		if o.Name != d.Name || o.Kind.Type() != d.Kind.Type() {
			continue
		}
		if (o.Parent != d.Parent || o.Owner != d.Owner) && s.Qualified(DefID{y.File, int32(i)}) != qualified {
			continue
		}
		if int32(i) < y.Def {
			before.add(o)
		}
		all.add(o)
	}
	return before.ordinal(all, d, s.Files[y.File].Lang)
}

// ordinalsOf are the ordinals of all definitions of file n, found in one pass.
func (s *Snapshot) ordinalsOf(n int32) []int32 {
	c := s.cache
	c.mu.Lock()
	list, ok := c.ordinals[n]
	c.mu.Unlock()
	if ok {
		return list
	}
	list = s.enumerated(n)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.numbered += len(list); c.numbered > maxOrdinals {
		clear(c.ordinals)
		c.numbered = len(list)
	}
	c.ordinals[n] = list
	return list
}

// namesake is what definitions of one qualified name share.
type namesake struct {
	name      uint32
	qualified string
	isType    bool
}

func (s *Snapshot) enumerated(n int32) []int32 {
	defs := s.DefsOf(n)
	all := map[namesake]*namesakes{}
	own := make([]*namesakes, len(defs))
	before := make([]namesakes, len(defs))
	for i := range defs {
		d := &defs[i]
		key := namesake{d.Name, s.Qualified(DefID{n, int32(i)}), d.Kind.Type()}
		if all[key] == nil {
			all[key] = &namesakes{}
		}
		own[i], before[i] = all[key], *all[key]
		own[i].add(d)
	}
	list := make([]int32, len(defs))
	for i := range defs {
		list[i] = int32(before[i].ordinal(*own[i], &defs[i], s.Files[n].Lang))
	}
	return list
}
