package search

import (
	"math"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// run looks for a sequence of characters of which each is one of a few, such as [A-Z]{5}, where a pattern has no literal: most of
// the text is skipped, several bytes at a time (Navarro and Raffinot's backward matching of bit-parallel automata).
type run struct {
	length int
	masks  [256]uint32 // by byte: bit length-1-i is set if it may stand at i
}

const (
	minRun = 3
	maxRun = 24
	// maxRunShare is the share of the text, as byteRarity estimates it, that may stand at a place of a run on average. Above it the
	// automaton is faster.
	maxRunShare = 0.2
	// runGap is how many bytes apart a run's hits must be on average for the line-by-line search to pay.
	runGap  = 64
	minHits = 16 // fewer say nothing
)

// byteSet is what may stand at one place.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 == 1 }

// share estimates how much of a text the set's bytes make up.
func (s *byteSet) share() float64 {
	sum := 0.0
	for c := range 256 {
		if s.has(byte(c)) {
			sum += math.Exp2(-float64(rarity(byte(c))) / 4)
		}
	}
	return sum
}

// newRun finds the best run in a simplified tree; nil if none is worth it.
func newRun(re *syntax.Regexp) *run {
	var best, now []byteSet
	end := func() {
		if len(now) >= minRun && (best == nil || worth(now) > worth(best)) {
			best = now
		}
		now = nil
	}
	runParts(re, func(s *byteSet) {
		if s == nil || len(now) == maxRun {
			end()
		}
		if s != nil {
			now = append(now, *s)
		}
	})
	end()
	if best == nil || worth(best) < -math.Log2(maxRunShare)*minRun || mean(best) > maxRunShare {
		return nil
	}
	r := &run{length: len(best)}
	for i := range best {
		for c := range 256 {
			if best[i].has(byte(c)) {
				r.masks[c] |= 1 << (len(best) - 1 - i)
			}
		}
	}
	return r
}

func mean(sets []byteSet) float64 {
	sum := 0.0
	for i := range sets {
		sum += sets[i].share()
	}
	return sum / float64(len(sets))
}

// worth is about how many bits of surprise there are in a run.
func worth(sets []byteSet) float64 {
	sum := 0.0
	for i := range sets {
		sum -= math.Log2(sets[i].share())
	}
	return sum
}

// runParts calls part for what follows one another in every match, in order: what may stand in one byte, or nil for anything else.
func runParts(re *syntax.Regexp, part func(*byteSet)) {
	switch re.Op {
	case syntax.OpCapture:
		runParts(re.Sub[0], part)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			runParts(sub, part)
		}
	case syntax.OpPlus: // its first, anything, its last
		runParts(re.Sub[0], part)
		part(nil)
		runParts(re.Sub[0], part)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			part(literalSet(r, re.Flags&syntax.FoldCase != 0))
		}
	case syntax.OpCharClass:
		part(classSet(re.Rune))
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	default:
		part(nil)
	}
}

func literalSet(r rune, fold bool) *byteSet {
	if r >= utf8.RuneSelf || fold && foldsBeyondASCII(r) {
		return nil
	}
	s := &byteSet{}
	s.add(byte(r))
	if fold {
		s.add(byte(unicode.SimpleFold(r)))
	}
	return s
}

func classSet(pairs []rune) *byteSet {
	s := &byteSet{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] >= utf8.RuneSelf {
			return nil
		}
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			s.add(byte(r))
		}
	}
	return s
}

// find returns where the run begins next, or -1.
func (r *run) find(b []byte, pos int) int {
	top := uint32(1) << (r.length - 1)
	for pos+r.length <= len(b) {
		// state holds the places of the run at which the bytes looked at, backwards from its end, may lie.
		state, skip := top<<1-1, r.length
		for at := r.length - 1; ; at-- {
			if state &= r.masks[b[pos+at]]; state == 0 {
				break
			}
			if state&top != 0 {
				if at == 0 {
					return pos
				}
				skip = at
			}
			state <<= 1
		}
		pos += skip
	}
	return -1
}
