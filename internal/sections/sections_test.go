package sections_test

import (
	"maps"
	"slices"
	"testing"

	"helve/internal/sections"
)

func TestASectionHasTheWordsOfItsLines(t *testing.T) {
	got := sections.Read("early\n\n# a comment\n[one]\na b\r\n  c\n[two]\n[one]\nd")
	want := map[string][]string{"": {"early"}, "one": {"a", "b", "c", "d"}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
}
