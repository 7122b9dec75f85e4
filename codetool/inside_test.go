package codetool

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of a list is cut where it is longer than may be, not where it is just as long, and in whole characters.
func TestALineIsCutWhereItIsTooLong(t *testing.T) {
	whole := strings.Repeat("a", lineBytes)
	if got := cut(whole); got != whole {
		t.Errorf("a line of %d bytes became one of %d", len(whole), len(got))
	}
	for _, line := range []string{whole + "b", whole[1:] + "ä", whole + "ä", "ä" + whole} {
		got := cut(line)
		if !strings.HasSuffix(got, "…") || !utf8.ValidString(got) || len(got) > lineBytes+len("…") {
			t.Errorf("%d bytes became %d: …%q", len(line), len(got), got[len(got)-9:])
		}
	}
	if got := cut("a\nb"); got != "a b" {
		t.Errorf("%q", got)
	}
}

// Of a variable that stands twice in an environment the last one counts, as for programs.
func TestTheLastOfAVariableCounts(t *testing.T) {
	x := &Index{o: Options{Environ: []string{"A=1", "B=2", "A=3", "C"}}}
	for name, want := range map[string]string{"A": "3", "B": "2", "C": "", "D": ""} {
		if got := x.getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
