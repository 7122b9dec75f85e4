package store

// NameSet is a set of names.
type NameSet []uint64

func (l NameSet) Add(y uint32) {
	if int(y/64) < len(l) {
		l[y/64] |= 1 << (y % 64)
	}
}

func (l NameSet) Has(y uint32) bool { return int(y/64) < len(l) && l[y/64]&(1<<(y%64)) != 0 }

// NewNameSet is an empty set of the names of s.
func (s *Snapshot) NewNameSet() NameSet {
	return make(NameSet, (s.Base.Names.Len()+len(s.Lex.Extra)+63)/64)
}
