// Package trigram tells which parts of which files can hold a text. It keeps, for every sequence of three bytes (a
// gram), the list of the blocks that have it; a block is some tens of kilobytes of one file, cut at a line end. A block
// can hold a text only if it is in the lists of all grams of the text.
//
// An index is one or more segments: files that are written once, read with a checksum on every page, and never
// changed. They are read with pread, not mapped, so that a file cut short by someone else is an error and not a
// signal.
//
// # A segment
//
//   - chapters, each of up to 65,535 blocks: the lists of block numbers; the buckets, which say where in them each
//     gram's list is; the table of where each bucket begins. A question reads four bytes of that, one bucket and one
//     list for every gram.
//   - the table of directories, files, blocks and rule files (see table.go)
//   - a checksum for every page of the above
//   - the metadata: root, where the table is, where each chapter is, the rule files outside the root
//   - a footer of fixed size: the name of the format, the lengths of the parts, checksums
//
// Numbers in lists and metadata are varints, those in tables and the footer little-endian.
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

// sevenBits maps a byte to its seven bits: all beyond ASCII are one. 0 marks a line end, with which no gram is kept, as
// no literal holds one.
func sevenBits() *[256]uint8 {
	var t [256]uint8
	for i := range t {
		t[i] = uint8(i)
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
	seen  *[grams / 64]uint64 // bit by gram; those with a line end count as seen from the beginning
	list  []uint32
}

func newGramSet() *gramSet {
	s := &gramSet{
		seven: sevenBits(),
		seen:  new([grams / 64]uint64),
	}
	for g := range uint32(grams) {
		if g>>14 == 0 || g>>7&127 == 0 || g&127 == 0 {
			s.seen[g>>6] |= 1 << (g & 63)
		}
	}
	return s
}

// collect puts the grams of b into s.list, in no order. For each byte it asks one thing, whether the gram was seen:
// that is half of what an index costs. Afterwards only the words are cleared again in which bits were set: a block has
// some thousands of two million grams.
func (s *gramSet) collect(b []byte) {
	list := s.list[:0]
	seen, seven := s.seen, s.seven
	g := uint32(0) // as behind a line end
	for _, c := range b {
		g = (g<<7 | uint32(seven[c])) & (grams - 1)
		word, bit := g>>6, uint64(1)<<(g&63)
		if seen[word]&bit == 0 {
			seen[word] |= bit
			list = append(list, g)
		}
	}
	for _, g := range list {
		// The grams of a word have the first two of their bytes in common, which are no line ends here; in every other
		// word the lowest one ends in one.
		seen[g>>6] = uint64(^(g >> 6) & 1)
	}
	s.list = list
}

// variants returns the grams that three bytes of a literal may be in a text: one, or with fold every mixture of cases.
func variants(seven *[256]uint8, b []byte, fold bool) []uint32 {
	all := []uint32{0}
	for _, c := range b[:Least] {
		both := []byte{c}
		small := c | 0x20
		letter := 'a' <= small && small <= 'z'
		if fold && letter {
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
func (m Bitmap) Has(block int) bool {
	word, bit := block>>6, block&63
	return m[word]>>bit&1 == 1
}

// newBitmap is an empty set with room for so many blocks.
func newBitmap(blocks int) Bitmap {
	words := (blocks + 63) / 64
	return make(Bitmap, words)
}

// Len is the number of blocks in the set.
func (m Bitmap) Len() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}
