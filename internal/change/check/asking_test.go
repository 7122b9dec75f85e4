//go:build unix

package check_test

import (
	"os"
	"strings"
	"testing"

	"helve/internal/change"
	"helve/internal/change/check"
)

// A change by which another program would ask us no more is found once, whatever else is found of it, in the order of
// the changes; another time of such a file is none.
func TestWhatWouldAskUsNoMoreIsFoundOnce(t *testing.T) {
	g := newGround(t)
	g.begin()
	must(t, os.WriteFile(g.root+"/settings.json", []byte("old"), 0o644))
	set := &change.Set{Changes: []change.Change{
		file(".envrc", "date\n", 0o644),
		file("a.txt", "a", 0o644),
		file("settings.json", "{}", 0o644),
	}}
	o := g.options()
	o.Asks = func(p change.Place) string {
		if strings.HasSuffix(string(p.Path), "a.txt") {
			return ""
		}
		return "it is asked by this file"
	}
	found, err := check.Check(t.Context(), o, set)
	must(t, err)
	var got []string
	for _, f := range found {
		got = append(got, string(f.Path))
	}
	if strings.Join(got, " ") != ".envrc settings.json" {
		t.Errorf("found: %+v", found)
	}
	o.Asks = nil
	if found, err = check.Check(t.Context(), o, set); err != nil || len(found) != 1 {
		t.Errorf("where nobody asks: %+v, %v", found, err)
	}
}

// Whoever looks through sets leaves nothing open, however many there are.
func TestLookingThroughASetLeavesNothingOpen(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("the system does not tell what is open: ", err)
		}
		return len(list)
	}
	g := newGround(t)
	g.begin()
	set := &change.Set{Changes: []change.Change{file("a.txt", "a", 0o644)}}
	look := func() {
		_, err := check.Check(t.Context(), g.options(), set)
		must(t, err)
	}
	look()
	before := open()
	for range 20 {
		look()
	}
	if after := open(); after > before {
		t.Errorf("%d were open, then %d", before, after)
	}
}
