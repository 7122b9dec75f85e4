package trigram

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The grams of a block are the runs of three bytes without a line end, whatever was collected before.
func TestTheGramsOfABlockAreItsRunsOfThree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	s := newGramSet()
	for range 2000 {
		b := make([]byte, rng.IntN(200))
		for i := range b {
			b[i] = []byte{'\n', '\r', 0, 'a', 'b', ' ', 0x7f, 0xff, byte(rng.Uint32())}[rng.IntN(9)]
		}
		want := map[uint32]bool{}
		for i := 0; i+Least <= len(b); i++ {
			if !slices.Contains(b[i:i+Least], '\n') {
				want[variants(s.seven, b[i:], false)[0]] = true
			}
		}
		s.collect(b)
		for _, g := range s.list {
			if !want[g] {
				t.Fatalf("%q: gram %x is none of it", b, g)
			}
		}
		if len(s.list) != len(want) {
			t.Fatalf("%q: %d grams, want %d", b, len(s.list), len(want))
		}
	}
}
