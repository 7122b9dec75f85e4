package search

import "bytes"

// finder looks for any of some literals. It is immutable; what a search remembers is in a finderState.
type finder struct {
	needles []needle
	pairs   []*pair // by needle; nil without vector instructions
	group   *group  // instead of pairs, for many needles
}

// needle is one literal, looked for by its rarest byte.
type needle struct {
	text   []byte // in lower case if fold
	fold   bool
	at     int     // offset of its rarest byte
	byte   [2]byte // that byte in both cases
	check  int     // offset of the next rarest
	second [2]byte
}

// finderState remembers, for one text, where each needle comes next, so that none is looked for twice.
type finderState struct{ next []int }

// newFinder plans the search for a set of literals: several at once, or one after the other, by vector instructions
// where there are some.
func newFinder(l literals) *finder {
	f := &finder{}
	for _, s := range l.set {
		f.needles = append(f.needles, newNeedle(s, l.fold))
	}
	if !vectors() {
		return f
	}
	f.group = newGroup(f.needles)
	if f.group != nil {
		return f
	}
	for i := range f.needles {
		f.pairs = append(f.pairs, newPair(&f.needles[i]))
	}
	return f
}

// newNeedle chooses the two bytes of a literal to look for: the rarest finds the fewest wrong places, and the next
// rarest dismisses almost all of those.
func newNeedle(s string, fold bool) needle {
	n := needle{text: []byte(s), fold: fold}
	if fold {
		n.text = lowerASCII(n.text)
	}
	for i := range n.text {
		if n.rarity(i) > n.rarity(n.at) {
			n.at = i
		}
	}
	n.check = n.at
	for i := range n.text {
		if i != n.at && (n.check == n.at || n.rarity(i) > n.rarity(n.check)) {
			n.check = i
		}
	}
	n.byte = n.both(n.at)
	n.second = n.both(n.check)
	return n
}

func lowerASCII(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// rarity is how rare the byte at an offset is in source code, less what it costs to look for two bytes in its place.
func (n *needle) rarity(i int) int {
	const twoBytes = 6
	two := n.both(i)
	if two[0] != two[1] {
		return min(rarity(two[0]), rarity(two[1])) - twoBytes
	}
	return rarity(two[0])
}

// both is the byte at an offset in both cases; twice the same where there is one.
func (n *needle) both(i int) [2]byte {
	c := n.text[i]
	if n.fold && isLetter(c) {
		return [2]byte{c, c ^ 0x20}
	}
	return [2]byte{c, c}
}

// begin forgets the last text.
func (f *finder) begin(s *finderState) {
	s.next = s.next[:0]
	for range f.needles {
		s.next = append(s.next, -1)
	}
}

// find returns where in b, at pos or later, the first needle begins, or -1.
func (f *finder) find(s *finderState, b []byte, pos int) int {
	best := len(b)
	if f.group != nil {
		best = f.group.find(b, pos)
	} else {
		for i := range s.next {
			if s.next[i] < pos {
				s.next[i] = f.findOne(i, b, pos)
			}
			best = min(best, s.next[i])
		}
	}
	if best == len(b) {
		return -1
	}
	return best
}

// findOne returns where one needle begins next, or len(b).
func (f *finder) findOne(i int, b []byte, pos int) int {
	if f.pairs != nil {
		return f.pairs[i].find(&f.needles[i], b, pos)
	}
	return f.needles[i].find(b, pos)
}

// find returns where the needle begins next, or len(b).
func (n *needle) find(b []byte, pos int) int {
	if n.byte[0] == n.byte[1] {
		return n.findOne(b, pos)
	}
	return n.findTwo(b, pos)
}

// tooMany false hits: the byte is frequent here, and looking at each of them costs more than a search for the whole
// text.
func tooMany(hits, bytes int) bool { return hits > 16 && hits*12 > bytes }

// findOne looks for the rarest byte, and for the whole text from where that byte turned out to be frequent.
func (n *needle) findOne(b []byte, pos int) int {
	c, from := n.byte[0], pos
	for p, hits := pos+n.at, 0; p < len(b); hits++ {
		i := bytes.IndexByte(b[p:], c)
		if i < 0 {
			return len(b)
		}
		q := p + i - n.at
		p += i + 1
		if n.is(b, q) {
			return q
		}
		if n.fold || !tooMany(hits, p-from) {
			continue
		}
		i = bytes.Index(b[q+1:], n.text)
		if i < 0 {
			return len(b)
		}
		return q + 1 + i
	}
	return len(b)
}

// findTwo looks for the rarest byte in both cases, and remembers where either comes next.
func (n *needle) findTwo(b []byte, pos int) int {
	next := [2]int{-1, -1}
	for p := pos + n.at; p < len(b); {
		for k := range next {
			if next[k] >= p {
				continue
			}
			next[k] = len(b)
			i := bytes.IndexByte(b[p:], n.byte[k])
			if i >= 0 {
				next[k] = p + i
			}
		}
		at := min(next[0], next[1])
		if at == len(b) {
			break
		}
		if n.is(b, at-n.at) {
			return at - n.at
		}
		p = at + 1
	}
	return len(b)
}

// is reports whether the needle begins at q.
func (n *needle) is(b []byte, q int) bool {
	if q+len(n.text) > len(b) {
		return false
	}
	c := b[q+n.check]
	if c != n.second[0] && c != n.second[1] {
		return false
	}
	here := b[q : q+len(n.text)]
	if !n.fold {
		return string(here) == string(n.text)
	}
	return equalFold(here, n.text)
}

// equalFold compares ASCII letters without their case. lower is in lower case.
func equalFold(b, lower []byte) bool {
	for i, c := range lower {
		x := b[i]
		if 'A' <= x && x <= 'Z' {
			x |= 0x20
		}
		if x != c {
			return false
		}
	}
	return true
}
