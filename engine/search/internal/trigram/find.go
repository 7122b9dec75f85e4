package trigram

import (
	"encoding/binary"
	"sort"
)

// list is where one gram's blocks are, and in which of the two forms.
type list struct {
	off   int64
	bytes int
	dense bool // a bitmap, else distances
}

// Candidates returns, by chapter, the blocks that may hold one of the literals and are among within, if that is not
// nil; fold ignores the case of ASCII letters. A nil bitmap means all blocks of the chapter.
func (s *Segment) Candidates(literals []string, fold bool, within []Bitmap) ([]Bitmap, error) {
	all := make([]Bitmap, len(s.chapters))
	for i := range s.chapters {
		found, err := s.anyOf(&s.chapters[i], literals, fold)
		if err != nil {
			return nil, err
		}
		if within != nil {
			found = found.and(within[i])
		}
		all[i] = found
	}
	return all, nil
}

// anyOf unites the blocks of several literals. One of which nothing is known makes it all blocks.
func (s *Segment) anyOf(c *chapter, literals []string, fold bool) (Bitmap, error) {
	sum := newBitmap(c.blocks)
	for _, l := range literals {
		one, err := s.literal(c, l, fold)
		if err != nil || one == nil {
			return nil, err
		}
		for w := range one {
			sum[w] |= one[w]
		}
	}
	return sum, nil
}

// and intersects two sets, of which nil has everything.
func (m Bitmap) and(other Bitmap) Bitmap {
	if m == nil {
		return other
	}
	for w := range other {
		m[w] &= other[w]
	}
	return m
}

// place are the lists for one place in a literal: of one gram, or of every mixture of cases.
type place struct {
	lists []list
	bytes int
}

// places finds the lists for every place in a literal, the shortest first.
func (s *Segment) places(c *chapter, l string, fold bool) ([]place, error) {
	var all []place
	for i := 0; i+Least <= len(l); i++ {
		var p place
		three := []byte(l[i : i+Least])
		for _, g := range variants(s.seven, three, fold) {
			at, ok, err := s.find(c, g)
			if err != nil {
				return nil, err
			}
			if ok {
				p.lists = append(p.lists, at)
				p.bytes += at.bytes
			}
		}
		all = append(all, p)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].bytes < all[j].bytes })
	return all, nil
}

// literal intersects the lists of a literal's rarest grams; nil is all blocks.
func (s *Segment) literal(c *chapter, l string, fold bool) (Bitmap, error) {
	if len(l) < Least {
		return nil, nil
	}
	places, err := s.places(c, l, fold)
	if err != nil {
		return nil, err
	}
	var found Bitmap
	for i, p := range places {
		few := found != nil && found.Len() < fewEnough
		if i >= lessLists || few {
			break
		}
		one := newBitmap(c.blocks)
		for _, at := range p.lists {
			err := s.add(one, c, at)
			if err != nil {
				return nil, err
			}
		}
		for w := range found {
			one[w] &= found[w]
		}
		found = one
	}
	return found, nil
}

// longestBucket are the bytes of a bucket in which every gram has a list: a byte and a number for each.
const longestBucket = 12 << bucketBits

// find looks a gram up in a chapter. The table says where its bucket is, and the bucket where its list is: the offset
// of the first list, and then for each gram that has one, its low bits and the length, by which the next is found. The
// lowest bit of a length tells the form of the list.
func (s *Segment) find(c *chapter, g uint32) (list, bool, error) {
	b, low := g>>bucketBits, byte(g&(1<<bucketBits-1))
	var buf [8]byte
	ends, err := s.read(buf[:0], c.top+int64(4*b), len(buf))
	if err != nil {
		return list{}, false, err
	}
	from := binary.LittleEndian.Uint32(ends)
	to := binary.LittleEndian.Uint32(ends[4:])
	if from == to {
		return list{}, false, nil
	}
	if to < from || to-from > longestBucket {
		return list{}, false, corrupt("bucket")
	}
	size := int(to - from)
	bucket := make([]byte, 0, size)
	bucket, err = s.read(bucket, c.buckets+int64(from), size)
	if err != nil {
		return list{}, false, err
	}
	r := &reader{b: bucket}
	off := c.lists + int64(r.int())
	for len(r.b) > 0 {
		have := r.b[0]
		r.b = r.b[1:]
		n := r.int()
		if have == low {
			at := list{
				off:   off,
				bytes: n >> 1,
				dense: n&1 == 1,
			}
			return at, !r.bad, nil
		}
		off += int64(n >> 1)
	}
	return list{}, false, nil
}

// add puts a list's blocks into m.
func (s *Segment) add(m Bitmap, c *chapter, at list) error {
	b := make([]byte, 0, at.bytes)
	b, err := s.read(b, at.off, at.bytes)
	if err != nil {
		return err
	}
	if at.dense {
		return m.addDense(b)
	}
	return m.addSparse(b, c.blocks)
}

// addDense reads a list that is a bitmap of bytes.
func (m Bitmap) addDense(b []byte) error {
	if len(b) > 8*len(m) {
		return corrupt("list")
	}
	for i, x := range b {
		word, shift := i>>3, i&7*8
		m[word] |= uint64(x) << shift
	}
	return nil
}

// addSparse reads a list of the distances between block numbers, less one. Most are below 128, which is one byte.
func (m Bitmap) addSparse(b []byte, blocks int) error {
	doc := -1
	for len(b) > 0 {
		d, n := uint64(b[0]), 1
		if d >= 0x80 {
			d, n = binary.Uvarint(b)
			if n <= 0 {
				return corrupt("list")
			}
		}
		b = b[n:]
		doc += int(d) + 1
		if doc < 0 || doc >= blocks {
			return corrupt("list")
		}
		m[doc>>6] |= 1 << (doc & 63)
	}
	return nil
}
