package shell

import (
	"testing"

	"helve/internal/testing/corpus"
)

// mostAsked is how many of a hundred command lines that only look may be asked about.
const mostAsked = 2

func TestLinesThatOnlyLookAreTriedAndNotAskedAbout(t *testing.T) {
	list := corpus.Looking()
	asked, words := 0, 0
	for _, src := range list {
		a := Analyze(src, workspace)
		switch {
		case a.Verdict == ReadOnly:
			words++
		case !a.Tries:
			asked++
			t.Logf("asked: %q: %s %s", src, a.Verdict, a.Reason)
		}
	}
	t.Logf("%d lines: %d read-only by their words, %d asked about", len(list), words, asked)
	if asked*100 > mostAsked*len(list) {
		t.Errorf("%d of %d are asked about", asked, len(list))
	}
}

func TestLinesThatActAreNeverTried(t *testing.T) {
	for _, src := range corpus.Acting() {
		a := Analyze(src, workspace)
		if a.Verdict == ReadOnly || a.Tries {
			t.Errorf("%q: %s, tries %v", src, a.Verdict, a.Tries)
		}
	}
	for _, group := range []string{"catastrophe", "neighbour"} {
		for _, src := range corpus.Commands(group) {
			a := Analyze(src, workspace)
			if a.Tries {
				t.Logf("%s: tried: %q", group, src)
			}
		}
	}
}
