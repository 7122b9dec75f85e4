package search

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// An automaton that has too many states drops them. What the parts of a text had come to until then must not be taken
// up again: it is the number of another state, or of none.
func TestAMatchIsFoundThoughTheStatesWereDropped(t *testing.T) {
	m, err := newMatcher(&Query{Patterns: []string{`a[ab]{12}c`}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		d := newDFA(m.prog)
		d.stop = new(atomic.Bool)
		for len(d.states) < maxStates-500 {
			d.find([]byte(twoLetters(r, 64)), 0)
		}
		d.fed = minUse * maxStates // or it would find that it does not pay, and leave the text to the vm
		// Four parts of 3001, 650, 600 and 550 bytes: they are gone through in step for 550. What is left of the first
		// needs more states than there is room for; the second has begun a match.
		text := padded(600, twoLetters(r, 2400), 3001) +
			padded(545, twoLetters(r, 3)+"a"+twoLetters(r, 12)+"c", 650) +
			padded(0, "", 600) + padded(0, "", 550)
		if d.nothing([]byte(text)) {
			t.Error("a text with a match was dismissed")
		}
		if d.resets == 0 {
			t.Errorf("%d states: the test does not come to what it is about", len(d.states))
		}
	}
}

// twoLetters are n letters, a or b.
func twoLetters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab"[r.IntN(2)]
	}
	return string(b)
}

// padded is a line of so many bytes with a text at some place.
func padded(at int, text string, bytes int) string {
	return strings.Repeat("x", at) + text + strings.Repeat("x", bytes-at-len(text)-1) + "\n"
}
