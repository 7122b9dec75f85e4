package code

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
func (s *Snapshot) ordinal(y symbol) int {
	defs := s.defsOf(y.file)
	if !numberable(&defs[y.def]) {
		return 1
	}
	if len(defs) > maxCompared {
		return int(s.ordinalsOf(y.file)[y.def])
	}
	return s.compared(y, defs)
}

// isNumbered reports whether the ordinal of y is n. It is asked of all definitions of one name.
func (s *Snapshot) isNumbered(y symbol, n int) bool {
	if !numberable(s.def(y)) {
		return n == 1
	}
	return int(s.ordinalsOf(y.file)[y.def]) == n
}

// numberable reports whether definitions of such a kind are told apart by numbers.
func numberable(d *def) bool { return d.kind.Callable() || d.kind.Type() }

// namesakes count definitions of one qualified name, by whether they have a body.
type namesakes struct{ with, without int32 }

func (c *namesakes) add(d *def) {
	if d.body < d.end {
		c.with++
	} else {
		c.without++
	}
}

// ordinal is the number of d, which has these namesakes before it, and so many with itself in its file.
func (c namesakes) ordinal(all namesakes, d *def, lang syntax.Language) int {
	if !declaresApart(lang) || !d.kind.Callable() {
		return int(1 + c.with + c.without)
	}
	if d.body < d.end {
		return int(1 + c.with)
	}
	n := 1 + c.without
	if n > all.with { // more are declared than are defined here
		n += all.with
	}
	return int(n)
}

// compared is the ordinal of y, compared with all definitions of its file.
func (s *Snapshot) compared(y symbol, defs []def) int {
	d := &defs[y.def]
	qualified := s.qualified(y)
	var before, all namesakes
	for i := range defs {
		o := &defs[i]
		if o.name != d.name || o.kind.Type() != d.kind.Type() {
			continue
		}
		if (o.parent != d.parent || o.owner != d.owner) && s.qualified(symbol{y.file, int32(i)}) != qualified {
			continue
		}
		if int32(i) < y.def {
			before.add(o)
		}
		all.add(o)
	}
	return before.ordinal(all, d, s.files[y.file].lang)
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
	defs := s.defsOf(n)
	all := map[namesake]*namesakes{}
	own := make([]*namesakes, len(defs))
	before := make([]namesakes, len(defs))
	for i := range defs {
		d := &defs[i]
		key := namesake{d.name, s.qualified(symbol{n, int32(i)}), d.kind.Type()}
		if all[key] == nil {
			all[key] = &namesakes{}
		}
		own[i], before[i] = all[key], *all[key]
		own[i].add(d)
	}
	list := make([]int32, len(defs))
	for i := range defs {
		list[i] = int32(before[i].ordinal(*own[i], &defs[i], s.files[n].lang))
	}
	return list
}

// declaresApart reports whether functions may be declared apart from their bodies.
func declaresApart(l syntax.Language) bool {
	switch l {
	case syntax.C, syntax.CPlusPlus, syntax.JavaScript, syntax.TypeScript:
		return true
	}
	return false
}
