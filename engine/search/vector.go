package search

import "math"

// minVector is the least number of positions that pairScan and groupScan take.
const minVector = 32

// pair says which two bytes of a needle to compare. Letters whose case is ignored are compared after setting the bit
// that makes them small. The assembler knows the layout.
type pair struct {
	at, at2 int
	or, is  [32]byte
	or2     [32]byte
	is2     [32]byte
}

func newPair(n *needle) *pair {
	p := &pair{at: n.at, at2: n.check}
	for i := range p.or {
		p.or[i] = caseBit(n.byte)
		p.is[i] = n.byte[0]
		p.or2[i] = caseBit(n.second)
		p.is2[i] = n.second[0]
	}
	return p
}

// caseBit is the bit in which the two cases of a letter differ, 0 where there is one.
func caseBit(both [2]byte) byte { return both[0] ^ both[1] }

// find returns where the needle begins next, or len(b).
func (p *pair) find(n *needle, b []byte, pos int) int {
	last := len(b) - max(p.at, p.at2)
	for last-pos >= minVector {
		i := pairScan(&b[pos], last-pos, p)
		if i < 0 {
			return len(b)
		}
		if n.is(b, pos+i) {
			return pos + i
		}
		pos += i + 1
	}
	for ; pos < last; pos++ {
		if n.is(b, pos) {
			return pos
		}
	}
	return len(b)
}

// group looks for many needles at once, by two bytes at offsets that all of them have. Needles are spread over eight
// sets, a bit each. The assembler knows the layout of the first fields.
type group struct {
	at, at2  int
	lo, hi   [32]byte // by half of the byte at at: the sets with a needle that has it there
	lo2, hi2 [32]byte
	sets     [8][]*needle
}

const (
	sets      = 8
	groupFrom = 3  // fewer needles are looked for one by one, which is faster
	maxOffset = 16 // how far into the needles two good bytes are looked for
)

// newGroup returns nil if the needles are too short or too few.
func newGroup(needles []needle) *group {
	least := maxOffset
	for i := range needles {
		least = min(least, len(needles[i].text))
	}
	if len(needles) < groupFrom || least < 2 {
		return nil
	}
	g := &group{}
	g.at, g.at2 = bestOffsets(needles, least)
	for i := range needles {
		n, set := &needles[i], i%sets
		g.sets[set] = append(g.sets[set], n)
		mark(&g.lo, &g.hi, n.both(g.at), set)
		mark(&g.lo2, &g.hi2, n.both(g.at2), set)
	}
	return g
}

// mark notes that a needle of a set has a byte. The instruction looks up each half of a byte in a table of 16, so a
// byte is taken for one of a set if another of the set has its upper half and a third its lower one.
func mark(lo, hi *[32]byte, both [2]byte, set int) {
	for _, c := range both {
		for _, lane := range [...]byte{0, 16} { // the instruction looks up within each half of a register
			lo[lane+c&15] |= 1 << set
			hi[lane+c>>4] |= 1 << set
		}
	}
}

// bestOffsets finds the two offsets at which the needles' bytes are rarest: where their shares in a text, added up over
// all needles, are least.
func bestOffsets(needles []needle, least int) (int, int) {
	at, at2, best := 0, 1, math.Inf(1)
	for i := range least {
		for j := i + 1; j < least; j++ {
			sum := 0.0
			for k := range needles {
				n := &needles[k]
				quarters := n.rarity(i) + n.rarity(j)
				sum += math.Exp2(-float64(quarters) / 4)
			}
			if sum < best {
				at, at2, best = i, j, sum
			}
		}
	}
	return at, at2
}

// find returns where a needle begins next, or len(b).
func (g *group) find(b []byte, pos int) int {
	last := len(b) - g.at2
	for last-pos >= minVector {
		i := groupScan(&b[pos], last-pos, g)
		if i < 0 {
			return len(b)
		}
		pos += i
		if g.is(b, pos) {
			return pos
		}
		pos++
	}
	for ; pos < last; pos++ {
		if g.is(b, pos) {
			return pos
		}
	}
	return len(b)
}

// is reports whether one of the needles begins at q.
func (g *group) is(b []byte, q int) bool {
	c, c2 := b[q+g.at], b[q+g.at2]
	first := g.lo[c&15] & g.hi[c>>4]
	second := g.lo2[c2&15] & g.hi2[c2>>4]
	bits := first & second
	for set := range g.sets {
		if bits>>set&1 == 0 {
			continue
		}
		for _, n := range g.sets[set] {
			if n.is(b, q) {
				return true
			}
		}
	}
	return false
}
