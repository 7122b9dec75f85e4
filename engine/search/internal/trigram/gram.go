// Package trigram tells which parts of which files can hold a text. It keeps, for every sequence of three bytes, the
// list of the blocks that have it; a block is some tens of kilobytes of one file, cut at a line end.
//
// An index is one or more segments: files that are written once, read with a checksum on every page, and never
// changed. They are read with pread, not mapped, so that a file cut short by someone else is an error and not a
// signal.
package trigram

import "math/bits"

const (
	gramBits = 21 // three bytes of seven bits
	grams    = 1 << gramBits
	// Least is the shortest literal that an index can look for.
	Least = 3
	// BlockSize is the least size of a block that is not a file's last. Smaller blocks are read faster, larger ones
	// make a smaller index.
	BlockSize = 24 << 10
	lastBlock = 36 << 10 // what is left of a file is one block up to this size
	// MaxFile is the largest file that is indexed. Larger ones are data more often than source, and are searched whole.
	MaxFile = 64 << 20
)

// fold maps a byte to its seven bits: all beyond ASCII are one. 0 marks a line end, with which no gram is kept, as no
// literal holds one.
func sevenBits() *[256]uint8 {
	var t [256]uint8
	for i := range t {
		t[i] = uint8(min(i, 128) & 127)
		if i >= 128 || i == 0 {
			t[i] = 1
		}
	}
	t['\n'] = 0
	return &t
}

// gramSet collects the distinct grams of one block.
type gramSet struct {
	seven *[256]uint8
	seen  []uint64 // bit by gram
	list  []uint32
}

func newGramSet() *gramSet { return &gramSet{seven: sevenBits(), seen: make([]uint64, grams/64)} }

// collect puts the grams of b into s.list, in no order.
func (s *gramSet) collect(b []byte) {
	list := s.list[:0]
	seen, seven := s.seen, s.seven
	// valid counts the bytes since the last line end.
	var g, valid uint32
	for _, c := range b {
		v := uint32(seven[c])
		if v == 0 {
			valid = 0
			continue
		}
		g = (g<<7 | v) & (grams - 1)
		if valid++; valid < 3 {
			continue
		}
		if w, bit := g>>6, uint64(1)<<(g&63); seen[w]&bit == 0 {
			seen[w] |= bit
			list = append(list, g)
		}
	}
	for _, g := range list {
		seen[g>>6] = 0
	}
	s.list = list
}

// variants returns the grams that three bytes of a literal may be in a text: one, or with fold every mixture of cases.
func variants(seven *[256]uint8, b []byte, fold bool) []uint32 {
	all := []uint32{0}
	for _, c := range b[:3] {
		both := []byte{c}
		if fold && 'a' <= c|0x20 && c|0x20 <= 'z' {
			both = append(both, c^0x20)
		}
		next := make([]uint32, 0, len(all)*len(both))
		for _, g := range all {
			for _, c := range both {
				next = append(next, g<<7|uint32(seven[c]))
			}
		}
		all = next
	}
	return all
}

// Bitmap is a set of blocks of one chapter.
type Bitmap []uint64

// Has reports whether a block is in the set.
func (m Bitmap) Has(block int) bool { return m[block>>6]>>(block&63)&1 == 1 }

// Len is the number of blocks in the set.
func (m Bitmap) Len() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}
