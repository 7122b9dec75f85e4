package trigram

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// list is where one gram's blocks are.
type list struct {
	off   int64
	bytes int
	dense bool
}

// Candidates returns, by chapter, the blocks that may hold one of the literals and are among within, if that is not
// nil; fold ignores the case of ASCII letters. A nil bitmap means all blocks of the chapter.
func (s *Segment) Candidates(literals []string, fold bool, within []Bitmap) ([]Bitmap, error) {
	all := make([]Bitmap, len(s.chapters))
	for i := range s.chapters {
		sum := make(Bitmap, (s.chapters[i].blocks+63)/64)
		for _, l := range literals {
			one, err := s.literal(&s.chapters[i], l, fold)
			if err != nil {
				return nil, err
			}
			if one == nil {
				sum = nil
				break
			}
			for w := range one {
				sum[w] |= one[w]
			}
		}
		if all[i] = sum; within != nil {
			all[i] = sum.and(within[i])
		}
	}
	return all, nil
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

// literal intersects the lists of a literal's rarest grams.
func (s *Segment) literal(c *chapter, l string, fold bool) (Bitmap, error) {
	if len(l) < Least {
		return nil, nil
	}
	type place struct {
		lists []list
		bytes int
	}
	var places []place
	for i := 0; i+Least <= len(l); i++ {
		var p place
		for _, g := range variants(s.seven, []byte(l[i:i+Least]), fold) {
			at, ok, err := s.find(c, g)
			if err != nil {
				return nil, err
			}
			if ok {
				p.lists, p.bytes = append(p.lists, at), p.bytes+at.bytes
			}
		}
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.bytes, b.bytes) })
	var found Bitmap
	for i, p := range places {
		if i >= lessLists || found != nil && found.Len() < fewEnough {
			break
		}
		one := make(Bitmap, (c.blocks+63)/64)
		for _, at := range p.lists {
			if err := s.add(one, c, at); err != nil {
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

// find looks a gram up in a chapter.
func (s *Segment) find(c *chapter, g uint32) (list, bool, error) {
	b, low := g>>bucketBits, byte(g&(1<<bucketBits-1))
	var buf [8]byte
	ends, err := s.read(buf[:0], c.top+int64(4*b), 8)
	if err != nil {
		return list{}, false, err
	}
	from, to := binary.LittleEndian.Uint32(ends), binary.LittleEndian.Uint32(ends[4:])
	if from == to {
		return list{}, false, nil
	}
	if to < from || to-from > 1<<bucketBits*12 {
		return list{}, false, corrupt("bucket")
	}
	bucket, err := s.read(make([]byte, 0, to-from), c.buckets+int64(from), int(to-from))
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
			return list{off, n >> 1, n&1 == 1}, !r.bad, nil
		}
		off += int64(n >> 1)
	}
	return list{}, false, nil
}

// add puts a list's blocks into m.
func (s *Segment) add(m Bitmap, c *chapter, at list) error {
	b, err := s.read(make([]byte, 0, at.bytes), at.off, at.bytes)
	if err != nil {
		return err
	}
	if at.dense {
		for i, x := range b {
			if i>>3 >= len(m) {
				return corrupt("list")
			}
			m[i>>3] |= uint64(x) << (i & 7 * 8)
		}
		return nil
	}
	doc := -1
	for len(b) > 0 {
		d := int(b[0])
		n := 1
		if d >= 0x80 {
			v, k := binary.Uvarint(b)
			if d, n = int(v), k; k <= 0 {
				return corrupt("list")
			}
		}
		b = b[n:]
		if doc += d + 1; doc < 0 || doc >= c.blocks {
			return corrupt("list")
		}
		m[doc>>6] |= 1 << (doc & 63)
	}
	return nil
}
