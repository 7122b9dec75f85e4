package code

// nameSet is a set of names.
type nameSet []uint64

func (l nameSet) add(y uint32) {
	if int(y/64) < len(l) {
		l[y/64] |= 1 << (y % 64)
	}
}

func (l nameSet) has(y uint32) bool { return int(y/64) < len(l) && l[y/64]&(1<<(y%64)) != 0 }

// newNameSet is an empty set of the names of s.
func (s *Snapshot) newNameSet() nameSet {
	return make(nameSet, (s.base.names.len()+len(s.lex.extra)+63)/64)
}
