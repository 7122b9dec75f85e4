package shell

import (
	"testing"

	"helve/internal/testing/corpus"
)

// The places, spellings and detours behind which the whole system, a home or everything around the workspace would go.
func TestCatastrophesAreRefusedBehindDetours(t *testing.T) {
	for _, src := range corpus.Commands("catastrophe") {
		if a := Analyze(src, workspace); a.Verdict != Catastrophic || a.Reason == "" || a.Line < 1 {
			t.Errorf("%q: %s (%q), want catastrophic", src, a.Verdict, a.Reason)
		}
	}
}

// The harmless neighbours of all these: asked about, or not even that.
func TestTheNeighboursOfCatastrophesAreNotRefused(t *testing.T) {
	for _, src := range corpus.Commands("neighbour") {
		if a := Analyze(src, workspace); a.Verdict == Catastrophic {
			t.Errorf("%q: catastrophic: %s", src, a.Reason)
		}
	}
}
